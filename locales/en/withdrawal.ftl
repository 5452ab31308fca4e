command-withdraw = Withdraw TRX
button-withdraw = 📤 Withdraw
button-withdraw-all = All
withdrawal-title = 📤 Withdrawal of { $trx } TRX
withdrawal-filter = 📤 Withdrawals

## Who can't
withdrawal-without-codes =
    <b>Withdraw</b>

    I withdraw only from accounts with two-factor codes, so that nobody who has the API key alone can. Turn them on in your account at the rental service, then come back.
withdrawal-operator = This is the account of the bot's operator. I don't withdraw from it.
withdrawal-unknown = The rental service doesn't answer right now, so I can't begin a withdrawal. Please try again in a minute.
withdrawal-unexpected = Unexpected reply from the service, so I can't begin a withdrawal. Nothing was charged. Please try again later.

## The questions
withdrawal-amount =
    <b>Withdraw</b> · 1 of 2

    How much TRX? Write the amount that is to arrive. The fee of { $fee } TRX comes on top.
problem-withdrawal-none = There is nothing to withdraw: your balance is { $balance } TRX, and the fee is { $fee } TRX.
withdrawal-limited = This account has no two-factor codes, so at most { $cap } TRX leave it here within 24 hours; { $left } TRX of that are left now. Turning codes on at the service lifts this.
problem-withdrawal-more = That is more than there is: your balance is { $balance } TRX, and the fee of { $fee } TRX comes on top. Write another amount.
problem-withdrawal-cap = That is more than may leave this account now: at most { $cap } TRX within 24 hours, of which { $left } TRX are left, the fee of { $fee } TRX included. Write another amount. Turning two-factor codes on at the service lifts this limit.
withdrawal-address =
    <b>Withdraw</b> · 2 of 2

    Which address is it to go to? I can't add a memo: if an exchange asks for one, don't withdraw there.

    Paste the address{ $known ->
        [yes] , or choose one of yours.
       *[no] .
    }
problem-withdrawal-own = <code>{ $address }</code> is the deposit address of this very account. Send another one.

## The check of an account without codes
withdrawal-ends =
    <b>Withdraw</b> · a check

    Type the last { $count } characters of the address:
    <code>{ $begins }</code>……

    Read them where you got the address from: so you notice if another one was put in its place.
problem-ends = Those aren't the last { $count } characters of the address. Capital and small letters matter. If the address is another one than you meant, tap Back.
problem-ends-whole = Only the last { $count } characters, please.

## The card
withdrawal-terms =
    { $address }
    { $first ->
        [yes] ⚠️ <b>First withdrawal</b> from this account to this address.
       *[no] You have withdrawn from this account to this address before.
    }

    Arrives: <b>{ $trx } TRX</b>
    Fee: { $fee } TRX
    Leaves your balance: <b>{ $leaves } TRX</b>
    Left on it: { $left ->
        [unknown] couldn't be read just now
       *[other] { $left } TRX
    }

    { $cap ->
        [none] After Confirm I ask for your two-factor code.
       *[other] This account has no two-factor codes: it is sent as soon as you confirm, and at most { $cap } TRX leave it here within 24 hours. Turning codes on at the service lifts that.
    }
withdrawal-truth = <i>A withdrawal can't be undone, and carries no memo.</i>
withdrawal-going = ⏳ <b>Withdrawing…</b> The request is on its way.
withdrawal-done = ✅ <b>Withdrawal accepted</b>
withdrawal-sent = ✅ <b>Withdrawn and sent</b>
withdrawal-failed = ❌ <b>The withdrawal failed</b>
withdrawal-refused = ❌ <b>Not withdrawn.</b> Nothing was charged.
withdrawal-likely = 🟡 <b>Most likely withdrawn</b>
withdrawal-again = Withdraw again
withdrawal-anyway = Withdraw anyway
withdrawal-pending = Status: <b>on its way</b>. I'll write to you when it is sent.
withdrawal-completed = Status: <b>sent</b>.
withdrawal-given-back = Status: <b>failed</b>. The service gives the amount back to your balance.

## The code
operation-awaiting = 🔐 <b>Send me your two-factor code</b>
operation-awaiting-note = The six digits that your authenticator shows now. I delete your message at once. Nothing is sent before that, and nothing once the card's time is over.
code-not-digits = I need the six digits that your authenticator shows, as a text message. Send the code, or tap Cancel on the card.
code-question = I'm waiting for the code of the card above: the six digits that your authenticator shows. Send only them, or tap Cancel on the card.
code-exposed = ⚠️ <b>I couldn't delete your message with the code.</b> Delete it yourself. A code works only once, and for about a minute.
code-late = The card expired before your code came. Nothing was withdrawn.
code-decided = This withdrawal has already been handled, so I didn't use your code.
code-early = Your code came before this card asked for one, so I didn't use it. Send the code that your authenticator shows now.
code-unasked = 🔒 I deleted a number that looked like a two-factor code: I wasn't waiting for one, or not for this one. If you meant an amount, write it with a word, like 131000 TRX.
code-unasked-stays = ⚠️ That looks like a two-factor code, and I couldn't delete it. Delete it yourself.
left-code = I no longer expect a two-factor code. Nothing was withdrawn.
toast-balance-differs = Your balance is another one than the card said. Here is a fresh card.
toast-cap = At most { $cap } TRX leave this account within 24 hours: { $left } TRX are left.
toast-rests = The service takes one withdrawal a minute. Tap again in { $seconds } s.

## An address that is new to an account without codes
button-strike = ⛔ Strike it out
button-show-card = Show the card
withdrawal-announced-many = Too many addresses were announced for this account lately. Try again in ten minutes, or tomorrow.
address-asked =
    ⏳ <b>A new address waits</b>
    <code>{ $address }</code>

    You haven't withdrawn to it from account { $account } here. I tell everybody else who has linked the account, and any of them can strike the address out. { $minutes ->
        [one] In a minute
       *[other] In { $minutes } minutes
    } I offer you the card here. Nothing is sent before you confirm that.

    Accounts with two-factor codes don't wait: you can turn them on at the service.
address-announced =
    ⚠️ <b>Somebody wants to withdraw { $trx ->
        [unknown] TRX
       *[other] { $trx } TRX
    } from account { $account } to a new address</b>
    <code>{ $address }</code>
    { $compared }

    It is somebody who has linked this account, and so has its API key. From { $from } they can confirm the withdrawal. If you don't know the address, strike it out, then replace the API key at the service.
address-offered =
    ✅ <b>You can withdraw to this address now</b>
    <code>{ $address }</code>

    Nobody has struck it out. Nothing is sent until you tap Confirm on the card.
address-struck =
    ⛔ <b>Struck out</b>
    <code>{ $address }</code>

    Somebody who has linked account { $account } doesn't want money to go there. I withdraw nothing to it from this account for a day.
address-struck-own =
    ⛔ <b>You struck it out</b>
    <code>{ $address }</code>

    I withdraw nothing to it from this account for a day.
address-struck-late = ⚠️ A withdrawal to it was on its way just then, and may have been sent.
address-offer-over =
    <b>This offer was made use of</b>
    <code>{ $address }</code>

    To withdraw there once more, begin again: Balance → Withdraw.
address-struck-by-you =
    ⛔ <b>You struck it out</b>
    <code>{ $address }</code>

    I withdraw nothing to it from this account for a day. If you don't know who asked for it, replace the API key at the service: they have it.

## For the others who hold the account
withdrawal-told = 📤 <b>A withdrawal from account { $account }</b>
withdrawal-told-note = Somebody else who has linked this account confirmed it here. If that wasn't meant to be, replace the API key at the service.
