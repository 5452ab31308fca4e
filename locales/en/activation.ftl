command-activate = Activate an address
button-activation = 🚀 Activate address
activation-title = 🚀 Address activation
activation-short = Activation
activation-address =
    <b>Activate address</b> · <b>{ AMOUNT($price) } TRX</b>

    A new address is activated once. Sending it TRX activates it too; sending USDT doesn't.

    Which address? Paste it.
problem-activation-done = <code>{ $address }</code> is already active. Send another address.

## The card
activation-truth = <i>An activation can't be undone.</i>
activation-going = ⏳ <b>Activating…</b>
activation-done = ✅ <b>Activated</b>
activation-refused = ❌ <b>Not activated.</b> Nothing was charged.
activation-likely = 🟡 <b>Most likely activated</b>
activation-again = Try again
activation-anyway = Activate anyway
activation-filter = 🚀 Activation
