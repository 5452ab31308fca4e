command-bandwidth = Buy bandwidth
button-bandwidth = 📶 Buy bandwidth
bandwidth-title = 📶 { $amount } bandwidth · { $hours } h
bandwidth-short = { $amount } bandwidth

## The questions
bandwidth-address = <b>📶 1/3</b> · Which address will <i>send</i>? Paste it. Every address gets 600 bandwidth a day for free; a USDT transfer takes 345.
bandwidth-amount =
    <b>📶 2/3</b> · To: <code>{ $address }</code>

    How much? 350 covers one USDT transfer. Choose, or send { $min } to { $max }.
bandwidth-duration =
    <b>📶 3/3</b> · To: <code>{ $address }</code>
    Bandwidth: <b>{ $amount }</b>

    For how long? Choose, or send { $min } to { $max } hours.
problem-bandwidth-duration = Send { $min } to { $max } hours, like 24.
button-hours-priced = { $hours ->
        [1] 1 hour
       *[other] { $hours } hours
    } · ≈ { AMOUNT($price) } TRX

## The card
bandwidth-truth = <i>A purchase can't be undone or moved to another address.</i>
bandwidth-going = ⏳ <b>Buying…</b>
bandwidth-delivered = ✅ <b>Bandwidth delivered.</b> Use it by <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>.
bandwidth-done = ✅ <b>Bought</b>
bandwidth-refused = ❌ <b>Not bought.</b> Nothing was charged.
bandwidth-likely = 🟡 <b>Most likely bought</b>
bandwidth-again = Buy again
bandwidth-anyway = Buy anyway
bandwidth-filter = 📶 Bandwidth
