command-help = How this works
button-help = ❓ Help
help =
    <b>How this works</b>

    <b>Energy</b> lets an address send USDT without burning TRX. It goes to the address that <i>sends</i>.
    • 65,000 is enough for one USDT transfer to somebody who already holds USDT.
    • 131,000 is enough where the recipient holds none yet.

    <b>Bandwidth</b> is used by every transfer, also of TRX. An address has 600 a day for free.

    <b>Activating</b> makes a new address usable. It is done once.

    <b>Paying.</b> What you buy is charged to your account's balance at the rental service. Nothing is bought until you tap <i>Confirm</i> on a card that shows the whole address, the amount and the price.

    <b>Your API key</b> gives full control of your account, to this bot too. I keep it encrypted, use it only for you, and forget it when you unlink.
help-commands = <b>Commands</b>
help-support = Something is wrong? Write to a person: { $url }
