command-buy = Buy energy
button-energy = ⚡ Buy energy
energy-title = ⚡ { $amount } energy · { $hours } h
energy-short = { $amount } energy

## The questions
energy-address = <b>⚡ 1/3</b> · Which address will <i>send</i> USDT? Paste it.
energy-purpose =
    <b>⚡ 2/3</b> · To: <code>{ $address }</code>

    How much energy? Choose, or send { $min } to { $max }.
energy-count =
    <b>⚡ 2/3</b> · To: <code>{ $address }</code>

    How many transfers to wallets with USDT? Each needs { $each } energy. Choose, or send 1 to { $max }.
energy-exact =
    <b>⚡ 2/3</b> · To: <code>{ $address }</code>

    How much energy? Send { $min } to { $max }.
energy-duration =
    <b>⚡ 3/3</b> · To: <code>{ $address }</code>
    Energy: <b>{ $amount }</b>

    For how long? Unused energy expires.
energy-no-prices = <i>Prices are unavailable right now.</i>
problem-energy-purpose = Tap a button, or send an amount from { $min } to { $max }, like 65000.
problem-energy-duration = Choose 1 hour or 24 hours.
button-one-holder = To a wallet with USDT · { $amount }
button-one-new = To a wallet without USDT · { $amount }
button-several = Several transfers
button-exact = Exact amount
button-1-hour = 1 hour
button-24-hours = 24 hours
button-1-hour-priced = 1 hour · ≈ { AMOUNT($price) } TRX
button-24-hours-priced = 24 hours · ≈ { AMOUNT($price) } TRX

## The card
energy-truth = <i>Can't be undone or moved to another address.</i>
energy-going = ⏳ <b>Buying…</b>
energy-done = ✅ <b>Bought</b>
energy-refused = ❌ <b>Not bought.</b> Nothing was charged.
energy-likely = 🟡 <b>Most likely bought</b>
energy-again = Buy again
energy-anyway = Buy anyway
energy-filter = ⚡ Energy
