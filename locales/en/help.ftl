command-help = How this works
button-help = ❓ Help
button-help-here = ?
button-help-more = More questions
button-help-commands = 📋 All commands
button-help-return = ‹ Back to the question
help =
    <b>How this works</b>

    Sending USDT burns TRX unless the sending address has energy. Rent it here. Nothing is bought until you tap <i>Confirm</i>.
help-questions = <b>Common questions.</b> Tap a number:
help-commands = <b>All commands</b>

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

    Energy can't be moved to another address.
help-answer-amount =
    For each USDT transfer:
    • <b>{ $holder }</b> to a wallet with USDT,
    • <b>{ $first }</b> to a wallet without USDT, or if you aren't sure.

    Prices and savings: /prices.
help-answer-burned =
    The energy was:

    • <b>too little:</b> a wallet without USDT needs { $first },
    • <b>not there:</b> not yet delivered, expired, or at another address,
    • <b>used up</b> by an earlier transfer.

    Missing bandwidth burns TRX too. Send only once the energy is there.
help-answer-duration =
    <b>1 hour</b> suits a transfer right away, <b>24 hours</b> gives you time. Unused energy expires without refund.

    Only Smart Mode renews itself, for a daily fee (charged without a message) and a fee per transfer. <i>Pause</i> under /smart takes one tap. <i>Set reminder</i> on a receipt warns you before the end.
help-answer-activation =
    Yes, once: /activate. Receiving TRX activates it too. <b>Receiving USDT doesn't.</b>

    Activation adds no energy.
help-answer-bandwidth =
    A TRX transfer uses about 268 bandwidth, a USDT transfer 345. Missing bandwidth burns TRX.

    Each address gets 600 a day for free. For more: /bandwidth, from { $least }.
help-answer-invoice =
    • <b>Wallet.</b> Any on TRON, in TRX or USDT (TRC20). An exchange may deduct a fee: then too little arrives.
    • <b>Amount.</b> Exactly as shown, in one payment. Sent too little? Send the rest before the invoice expires. Sent too much? Ask the seller or support.
    • <b>Late.</b> Don't pay an expired invoice. Already paid? The service decides; I keep checking for 24 h.
    • <b>Nothing changed?</b> Tap <i>Check payment</i>. Don't pay again: I can't return payments.
help-answer-key =
    The key opens your whole account, including withdrawals.

    • I delete your message, encrypt the key, use it only for you, and forget it when you unlink.
    • I read your balance, transactions and orders. I buy and withdraw only what you confirm.
    • With 2FA at the service, the key alone can't withdraw.

    <b>Sent it without tapping <i>Link account</i> first?</b> Delete it, replace the key at the service and link the new one.
help-answer-unknown =
    <b>Don't repeat it:</b> you might pay twice. I keep checking for 24 h and tell you here.

    Still nothing? Check the address and your orders at the service, then close the operation on its card.

    Only invoices are safe to repeat: creating one moves no money.
help-answer-withdrawal =
    • <b>Fee:</b> { AMOUNT($fee) } TRX extra. One withdrawal a minute.
    • <b>With 2FA:</b> I ask for a code and delete your message.
    • <b>Without 2FA:</b> { $cap ->
        [none] withdrawals are off.
       *[other] { AMOUNT($cap) } TRX daily limit, fees included. New addresses have a 10-minute security hold, in which other account holders can block them.
    }
    • <b>Can't be undone, carries no memo.</b> Don't withdraw to an exchange that requires one.
help-quick =
    <b>Shortcuts</b>
    <code>/buy ADDRESS 65000 24</code>
    <code>/bandwidth ADDRESS 1000 24</code>
    <code>/activate ADDRESS</code>
    <code>/withdraw ADDRESS 12.5</code>
    <code>/invoice ADDRESS 2 24</code>
    <code>/smart ADDRESS name</code>
    I ask for what's missing. Names from /addresses work too. Or paste just an address.
