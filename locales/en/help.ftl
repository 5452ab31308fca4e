command-help = How this works
button-help = ❓ Help
button-help-here = ❓
button-help-commands = 📋 All commands
button-help-return = ‹ Back to the question
help =
    <b>How this works</b>

    Sending USDT burns TRX unless the sending address has energy. Here you rent energy or bandwidth for an address, from your account's balance at the rental service or, where that is offered, by an invoice from any wallet. Nothing is bought until you tap <i>Confirm</i> on a card that shows the whole address, the amount and the price.
help-questions = <b>What people ask.</b> Tap a number:
help-commands = <b>All commands</b>
help-support = Something is wrong? Write to a person: { $url }

## What people ask
help-question-sender = Which address gets the energy?
help-question-amount = How much energy do I need?
help-question-burned = Why did my transfer burn TRX although I had bought energy?
help-question-duration = 1 hour or 24, and what happens afterwards?
help-question-activation = My address is new: what is activating?
help-question-bandwidth = What is bandwidth, and do I need to buy it?
help-question-invoice = Paying an invoice: from which wallet, and what if it is late, too little or twice?
help-question-key = Is my API key safe, and what can you do with it?
help-question-unknown = “The outcome isn't known yet”: what does that mean?
help-question-withdrawal = Withdrawing: how long does it take, and what are the limits?

## And the answers
help-answer-sender =
    The one that <b>sends</b>. A transfer uses the energy of the address it comes from; who receives needs none.

    So give me the address that you are going to send USDT from, not the recipient's. Where an exchange sends for you, you need no energy: it sends from an address of its own.

    What was bought for one address can't be moved to another. So the card shows the whole address, and warns where it begins and ends like one of yours but is another.
help-answer-amount =
    For each USDT transfer:
    • <b>{ $holder }</b> where the recipient holds USDT already,
    • <b>{ $first }</b> where the recipient holds none yet.

    If you don't know, { $first } is enough for either.

    Several transfers add up. By number, as with <i>Several transfers</i> or on an invoice, each counts { $holder }. For recipients who are new to USDT write an amount of energy instead: { $first } each.

    What that costs now, and what it would burn without: /prices.
help-answer-burned =
    Whatever energy is missing is paid for by burning TRX. The usual reasons:

    • <b>Too little.</b> The recipient held no USDT: that takes { $first }, not { $holder }.
    • <b>Not in time.</b> The energy hadn't arrived yet, or its time was over.
    • <b>Used up.</b> A transfer before took it.
    • <b>Another address.</b> It was bought for an address other than the one that sent.
    • <b>No bandwidth.</b> Energy doesn't replace that, and what is missing of it burns TRX too.

    A transfer that fails for lack of energy burns TRX all the same. So send only once the energy is there.

    What you bought and when is in /history and /invoices. A TRON explorer shows what energy a transfer took, and what it burned.
help-answer-duration =
    <b>1 hour</b> is for a transfer that you make right away. <b>24 hours</b> leaves you time. What each costs now: /prices. Bandwidth you rent for as many hours as you write.

    Once the time is over, what you rented leaves the address by itself. What you didn't use is gone and isn't paid back. Nothing more is charged either: nothing renews itself but Smart Mode, which goes on until you pause or end it.

    The time of an invoice begins once it is paid and the energy has been delivered, not when the invoice is made.
help-answer-activation =
    A new TRON address has to be activated once before it can hold tokens or send. It is active once it has ever received TRX. <b>Receiving USDT doesn't activate it.</b>

    I activate one for you with /activate, paid from your account's balance. The price is at /prices. Where the service says that the address is active already, nothing is charged.

    An active address has no energy by that: to send USDT from it, buy some.
help-answer-bandwidth =
    Every transfer takes bandwidth: about 268 for TRX, about 345 for USDT. What is missing of it burns TRX. Energy doesn't replace it.

    An address gets 600 a day for free: enough for one transfer of USDT, or two of TRX. If it sends more than that in a day, buy bandwidth for it with /bandwidth. { $least } is the least there is, and enough for one USDT transfer.
help-answer-invoice =
    • <b>From which wallet.</b> Any on TRON, in TRX or USDT (TRC20). It needn't be the address that gets the energy. An exchange may take its fee out of what you send: then too little arrives.
    • <b>How much.</b> Exactly what the card says, in one payment. What becomes of less or more the service doesn't say. Don't send the rest on your own: ask who made the invoice, or a person.
    • <b>Late.</b> It is to be paid within 30 minutes. Once the card says that its time is over, don't pay it any more: that takes a new one. If you have paid all the same, I go on looking for a day and tell you. What becomes of the payment the service decides.
    • <b>Twice.</b> I can't bring a payment back. If you have sent it and the card stands as before, tap <i>Check payment</i> and wait; don't send it again.
    • <b>Not delivered.</b> If the service can't deliver, it says that it gives the payment back to whom it came from.
help-answer-key =
    The key opens your whole account, withdrawals included: the service has none that can do less. So:

    • I delete the message with it before anything else, keep it encrypted, use it for you alone, and forget it when you unlink the account (/account).
    • With it I read your account: balance, what came in and went out, your orders. I buy and withdraw nothing that you haven't confirmed on its card.
    • Turn on two-factor codes at the service. Then a withdrawal takes a code too, and the key alone isn't enough.
    • Send it only here, once I have asked for it after <i>Link account</i>.

    <b>You wrote it somewhere else</b>, in a group say, or I couldn't delete your message? Delete it yourself and replace the key at the service, since whoever has read it controls the account. Then link the account with the new one.
help-answer-unknown =
    The request was sent, but the service's answer got lost. It may have gone through, or not.

    <b>Don't repeat it.</b> To the service a second request is a second purchase or withdrawal: you might pay twice.

    I look for traces of it for a day, in what the service reports and lists and in your balance, and tell you what I find. <i>Most likely</i> means that the balance fell by exactly its price while nothing else was bought, and no more than that.

    If I find nothing, look at the address and at your account's orders at the service, then close it with <i>I have checked</i>. If you write to a person, name the operation's number.

    An invoice is no such case: it moves no money. If that answer gets lost, it wasn't made; just make another.
help-answer-withdrawal =
    • <b>How long.</b> The service sends it, and doesn't say how long that takes. I look, and tell you when it is sent. If it failed, the service gives the amount back to your balance. It takes one withdrawal a minute.
    • <b>Fee.</b> { $fee } TRX, on top of what arrives.
    • <b>With two-factor codes.</b> After <i>Confirm</i> I ask for one. I delete your message at once and use the code for this withdrawal alone.
    • <b>Without.</b> { $cap ->
        [none] I withdraw nothing from an account that has none. Turn them on at the service.
       *[other] You type the end of the address once more. At most { $cap } TRX leave the account within 24 hours, fees included. An address that you haven't withdrawn to from it waits for ten minutes: everybody else who has linked the account is told, and can strike it out.
    }
    • A withdrawal can't be undone, and carries no memo. Don't withdraw to an exchange that asks for one.
help-quick =
    <b>Quick ways</b>
    Say all at once, and the card comes straight away; what you leave out is asked:
    <code>/buy ADDRESS 65000 24</code>
    <code>/bandwidth ADDRESS 1000 24</code>
    <code>/activate ADDRESS</code>
    <code>/withdraw ADDRESS 12.5</code>
    <code>/invoice ADDRESS 2 24</code>
    <code>/smart ADDRESS name</code>
    Or just paste an address, also inside a sentence or a link. A name from /addresses does in place of an address.
