command-buy = Buy energy
button-energy = ⚡ Buy energy
energy-title = ⚡ { $amount } energy · { $hours ->
        [1] 1 hour
       *[other] { $hours } hours
    }

## The questions
energy-address =
    <b>Buy energy</b> · 1 of 3

    Which address is going to <i>send</i> USDT? The energy goes to the sender.

    Paste it{ $known ->
        [yes] , or choose one of yours.
       *[no] .
    }
energy-purpose =
    <b>Buy energy</b> · 2 of 3
    To: <code>{ $address }</code>

    What is it for? Each transfer uses energy up.
    Choose, or write an exact amount from { $min } to { $max }.
energy-count =
    <b>Buy energy</b> · 2 of 3
    To: <code>{ $address }</code>

    How many transfers? I count { $each } energy for each, enough where the recipient already holds USDT.
    Choose, or write a number from 1 to { $max }.
energy-exact =
    <b>Buy energy</b> · 2 of 3
    To: <code>{ $address }</code>

    How much energy exactly? Write a whole number from { $min } to { $max }.
energy-duration =
    <b>Buy energy</b> · 3 of 3
    To: <code>{ $address }</code>
    Energy: <b>{ $amount }</b>

    For how long? It has to be used within that time.
energy-no-prices = <i>The service didn't tell me its prices just now.</i>
problem-energy-purpose = Tap one of the buttons, or write an exact amount of energy from { $min } to { $max }, like 65000.
problem-energy-duration = Choose 1 hour or 24 hours.
button-one-holder = 1 transfer, recipient holds USDT · { $amount }
button-one-new = 1 transfer, recipient is new to USDT · { $amount }
button-several = Several transfers
button-exact = Exact amount
button-1-hour = 1 hour
button-24-hours = 24 hours
button-1-hour-priced = 1 hour · ≈ { $price } TRX
button-24-hours-priced = 24 hours · ≈ { $price } TRX

## The card
energy-truth = <i>A purchase can't be undone or moved to another address.</i>
energy-going = ⏳ <b>Buying…</b> The request is on its way.
energy-done = ✅ <b>Bought</b>
energy-refused = ❌ <b>Not bought.</b> Nothing was charged.
energy-likely = 🟡 <b>Most likely bought</b>
energy-again = Buy again
energy-anyway = Buy anyway
energy-filter = ⚡ Energy
