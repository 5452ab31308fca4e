command-help = How this works
button-help = ❓ Help
button-help-here = ❓
button-help-commands = 📋 All commands
button-help-return = ‹ Back to the question
help =
    <b>How this works</b>

    Sending USDT burns TRX unless the sending address has energy. Rent energy here, from your balance or by invoice. Nothing is bought until you tap <i>Confirm</i>.
help-questions = <b>Common questions.</b> Tap a number:
help-commands = <b>All commands</b>
help-support = Something wrong? Contact support: { $url }

## Questions
help-question-sender = Which address gets the energy?
help-question-amount = How much energy do I need?
help-question-burned = Why did my transfer still burn TRX?
help-question-duration = 1 or 24 hours?
help-question-activation = Do I need to activate a new address?
help-question-bandwidth = Do I need bandwidth?
help-question-invoice = How do I pay an invoice?
help-question-key = Is my API key safe?
help-question-unknown = Outcome not known: should I repeat it?
help-question-withdrawal = How do withdrawals work?

## Answers
help-answer-sender =
    The one that <b>sends</b> the USDT. If an exchange sends for you, you need none.

    Energy can't be moved to another address. The card warns about lookalikes of your addresses.
help-answer-amount =
    For each USDT transfer:
    • <b>{ $holder }</b> to a wallet with USDT,
    • <b>{ $first }</b> to a wallet without USDT, or if you aren't sure.

    A number of transfers counts { $holder } each. Prices and savings: /prices.
help-answer-burned =
    Missing energy burns TRX. The usual reasons:

    • <b>Too little.</b> A wallet without USDT needs { $first }, not { $holder }.
    • <b>Not in time.</b> The energy hadn't arrived yet or had expired.
    • <b>Used up</b> by an earlier transfer.
    • <b>Another address</b> got the energy.
    • <b>No bandwidth.</b> Energy doesn't replace it.

    Failed transfers burn TRX too, so send only once the energy is there: see /history and /invoices.
help-answer-duration =
    <b>1 hour</b> suits a transfer right away, <b>24 hours</b> gives you time. Prices: /prices.

    Unused energy expires and isn't refunded. Nothing renews itself except Smart Mode, until you pause or end it. The time of an invoice starts at delivery. <i>Set reminder</i> on a receipt reminds you before the end.
help-answer-activation =
    Yes, once: /activate (price: /prices). Receiving TRX activates it too. <b>Receiving USDT doesn't.</b>

    If the service says it's already active, nothing is charged. Activation adds no energy.
help-answer-bandwidth =
    Transfers use about 268 bandwidth for TRX, 345 for USDT. Missing bandwidth burns TRX, even if you have energy.

    Each address gets 600 a day for free. For more: /bandwidth. The minimum, { $least }, covers one USDT transfer.
help-answer-invoice =
    • <b>Wallet.</b> Any on TRON, in TRX or USDT (TRC20). An exchange may deduct a fee, so that too little arrives.
    • <b>Amount.</b> Exactly as shown, in one payment. Sent a different amount? Don't send the rest: ask the seller or support.
    • <b>Late.</b> Don't pay an expired invoice. Already paid? I keep checking for 24 h; the service decides what happens to the payment.
    • <b>Twice.</b> I can't return payments. Nothing changed after you paid? Tap <i>Check payment</i> and wait. Don't pay again.
    • <b>Not delivered.</b> The service says it refunds the sender.
help-answer-key =
    The key opens your whole account, including withdrawals.

    • I delete your message, encrypt the key, use it only for you, and forget it when you unlink (/account).
    • I read your balance, transactions and orders. I buy and withdraw only what you confirm.
    • Turn on 2FA at the service, so that the key alone can't withdraw.
    • Send the key only here, after <i>Link account</i>.

    <b>Sent it elsewhere, or I couldn't delete it?</b> Delete it, replace the key at the service and link the new one.
help-answer-unknown =
    <b>Don't repeat it:</b> you might pay twice.

    I keep checking for 24 h and tell you here. 🟡 is likely, not certain: your balance fell by exactly the price.

    Still nothing? Check the address and your orders at the service, then close the operation on its card. Support needs its number.

    Only invoices are safe to repeat: creating one moves no money.
help-answer-withdrawal =
    • <b>Time.</b> I tell you once it's sent; the service doesn't say how long it takes. Failed withdrawals return to your balance. Limit: one a minute.
    • <b>Fee.</b> { AMOUNT($fee) } TRX on top.
    • <b>With 2FA.</b> I ask for a code and delete your message.
    • <b>Without 2FA.</b> { $cap ->
        [none] Withdrawals are off. Turn on 2FA at the service.
       *[other] Daily limit: { AMOUNT($cap) } TRX, fees included. New addresses have a 10-minute security hold: other account holders are alerted and can block it.
    }
    • Withdrawals can't be undone and carry no memo. Don't withdraw to an exchange that requires one.
help-quick =
    <b>Shortcuts</b>
    Send everything at once; I ask for the rest:
    <code>/buy ADDRESS 65000 24</code>
    <code>/bandwidth ADDRESS 1000 24</code>
    <code>/activate ADDRESS</code>
    <code>/withdraw ADDRESS 12.5</code>
    <code>/invoice ADDRESS 2 24</code>
    <code>/smart ADDRESS name</code>
    Or paste an address, even in a sentence or a link. Names from /addresses work too.
