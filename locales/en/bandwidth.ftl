command-bandwidth = Buy bandwidth
button-bandwidth = 📶 Bandwidth
bandwidth-title = 📶 { $amount } bandwidth · { $hours ->
        [1] 1 hour
       *[other] { $hours } hours
    }

## The questions
bandwidth-address =
    <b>Buy bandwidth</b> · 1 of 3

    Which address is going to <i>send</i>? Every transfer on TRON needs bandwidth: about 268 for TRX, about 345 for USDT. An address has 600 a day for free.

    Paste it{ $known ->
        [yes] , or choose one of yours.
       *[no] .
    }
bandwidth-amount =
    <b>Buy bandwidth</b> · 2 of 3
    To: <code>{ $address }</code>

    How much? 350 is enough for one USDT transfer.
    Choose, or write a whole number from { $min } to { $max }.
bandwidth-duration =
    <b>Buy bandwidth</b> · 3 of 3
    To: <code>{ $address }</code>
    Bandwidth: <b>{ $amount }</b>

    For how long? Choose, or write a whole number of hours from { $min } to { $max }.
problem-bandwidth-duration = Write a whole number of hours from { $min } to { $max }, like 24.
button-hours-priced = { $hours ->
        [1] 1 hour
       *[other] { $hours } hours
    } · ≈ { $price } TRX

## The card
bandwidth-truth = <i>A purchase can't be undone or moved to another address.</i>
bandwidth-going = ⏳ <b>Buying…</b> The request is on its way.
bandwidth-done = ✅ <b>Bought</b>
bandwidth-refused = ❌ <b>Not bought.</b> Nothing was charged.
bandwidth-likely = 🟡 <b>Most likely bought</b>
bandwidth-again = Buy again
bandwidth-anyway = Buy anyway
bandwidth-filter = 📶 Bandwidth
