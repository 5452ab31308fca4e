command-activate = Activate an address
button-activation = 🚀 Activate address
activation-title = 🚀 Activation of an address
activation-address =
    <b>Activate address</b>

    A new TRON address has to be activated once before it can hold tokens or send. It costs <b>{ $price } TRX</b>. An address that has ever received TRX is active already; receiving USDT doesn't activate one.

    Which address shall I activate? Paste it{ $known ->
        [yes] , or choose one of yours.
       *[no] .
    }
problem-activation-done = <code>{ $address }</code> is active already, so there is nothing to pay for. Send another address, or tap Cancel.

## The card
activation-truth = <i>An activation can't be undone.</i>
activation-going = ⏳ <b>Activating…</b> The request is on its way.
activation-done = ✅ <b>Activated</b>
activation-refused = ❌ <b>Not activated.</b> Nothing was charged.
activation-likely = 🟡 <b>Most likely activated</b>
activation-again = Try again
activation-anyway = Activate anyway
activation-filter = 🚀 Activation
