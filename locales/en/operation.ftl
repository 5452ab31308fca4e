## A card that can be confirmed
operation-check = <b>Check before you confirm</b>
operation-address = To: <code>{ $address }</code>
operation-estimate = Price: about <b>{ $estimate } TRX</b>
operation-no-estimate = Price: <b>not known yet.</b> The service didn't tell me its prices just now; it names the price when it charges.
operation-balance = Balance: { $balance } TRX
operation-no-balance = Balance: couldn't be read just now
operation-lifetime = <i>You can confirm this card for { $minutes ->
        [one] 1 minute
       *[other] { $minutes } minutes
    }.</i>
operation-number = Operation { $id }
operation-lookalike =
    ⚠️ <b>Look closely.</b> This address begins and ends like one of yours, but it is another one. Fraudsters make such addresses on purpose.
    Yours: { $known }
    This one: { $given }
operation-like = ⚠️ <b>Possible duplicate</b> of operation { $id }, whose outcome isn't known yet.
button-confirm = ✅ Confirm
button-show-it = Show it
operation-only-tap = Words don't confirm: to buy, tap the button.
operation-decide = This card is still waiting. Tap one of its buttons, or write Cancel.
operation-shown-again = Here is the card again. Only this one counts: nothing was bought by the tap before.

## How it stands
operation-cancelled = ✖️ <b>Cancelled.</b> Nothing was charged.
operation-replaced = ⤵️ <b>Replaced by a newer card.</b> Nothing was charged.
operation-continued = ⤵️ <b>Continued below.</b>
operation-expired = ⌛ <b>This card has expired.</b> Nothing was charged.
operation-void = ⚠️ <b>This card may already have been used.</b> Check your balance and history at the service first.
operation-uncertain = ⚠️ <b>The outcome isn't known yet</b>
operation-unknown = The service hasn't confirmed it yet. <b>Don't repeat it:</b> it may have gone through. I'm checking and will tell you here.
operation-unexpected = Unexpected reply from the service: you may have been charged. <b>Don't repeat it:</b> I'm checking and will tell you here.
operation-searched = Checked { $count ->
        [one] once
       *[other] { $count } times
    } so far: no trace yet{ $balance ->
        [same] , and the balance hasn't changed.
        [moved] , but the balance has changed.
       *[unread] .
    }
operation-no-sign = { $balance ->
        [moved] No sign of it so far, but the balance has changed.
       *[other] No sign of it so far.
    } It may still { $kind ->
        [purchase] arrive
       *[other] go through
    }.
operation-search-over = I have stopped looking. Look at the address and at your account's orders, then close this with <i>{ $checked }</i>.
operation-likely = The balance fell by exactly this price, and nothing else was bought meanwhile. The service said nothing more, so it isn't certain. <b>Don't repeat it</b> before you have looked at the address.
operation-closed = ☑️ <b>Closed by you</b>
operation-closed-note = How it ended was never known for certain.
operation-decided = ☑️ <b>Closed as not done</b> by the operator of this bot
operation-operators = 🏦 Paid from <b>the operator's account</b>, within its limit of a day. All admins are told.
operation-by-hand =
    👤 A person at the operator of this bot looked into it and decided: { $outcome ->
        [done] it went through.
       *[not-done] it didn't go through.
    }
    Their reason: <i>{ $reason }</i>
    What the service charged, if anything, shows in your balance.
operation-support = Need a person? { $url }
operation-here = ⬆️ This is operation { $id }:
button-i-checked = I have checked

## What came of it
operation-order = Order <b>{ $order }</b>
operation-price = Charged: <b>{ $price } TRX</b>
operation-price-differs = Charged: <b>{ $price } TRX</b> (estimated { $estimate } TRX)
operation-price-unknown = Charged: the service didn't name the exact price; see your balance
operation-transaction = Transaction: <code>{ $hash }</code>
operation-transfer-fee = Each transfer: { $fee } TRX
operation-left = Balance left: { $balance } TRX
order-pending = Status: <b>pending</b>. I'll write to you when it has arrived.
order-pending-no-events = Status: <b>pending</b>. I get no word when it arrives, so look at the address in a minute.
order-filled = Status: <b>filled</b>. It has arrived at the address.
order-delivered = ✅ <b>Bought and delivered</b>
order-undelivered = ❌ <b>Not delivered</b>
order-failed =
    Status: <b>failed</b>. The service says that the order failed, but not what it gave back.
    { $price ->
        [none] It never named what it charged
       *[other] It had charged <b>{ $price } TRX</b>
    }: look at Balance → Movements.
order-status = Status: <code>{ $status }</code>

## Why it was refused
refusal-insufficient = There isn't enough on your balance. Deposit, then try again.
refusal-key = The service no longer accepts your API key. Link the account again.
refusal-limited = The service takes no more orders for the moment. { $seconds ->
        [0] Try again in a minute.
        [one] Try again in 1 second.
       *[other] Try again in { $seconds } seconds.
    }
refusal-address = The service doesn't accept this address.
refusal-already = This address is active already, so there is nothing to pay for.
refusal-offline = { $code ->
        [UNEXPECTED_REPLY] Unexpected reply from the service while checking
       *[other] The rental service can't be reached
    }, so your request wasn't sent. Try again in a few minutes.
refusal-unlinked = The account was unlinked or changed before the request was sent.
refusal-gone = This subscription is no longer there.
refusal-unchanged = It is so already: nothing was asked for.
refusal-listed = This address has Smart Mode already. Look at the list.
refusal-locked = Another change of this kind is under way for this account, or how it ended isn't known yet. Try again in ten minutes.
refusal-code = The service didn’t accept the code. This withdrawal is over: try again with a fresh card, and a code that you haven’t used.
refusal-code-gone = The code was gone before it could be used. Nothing was sent.
refusal-codes-off = Two-factor codes were turned off for this account meanwhile, so nothing was sent. Turn them on at the service, then try again.
refusal-codes-on = Two-factor codes were turned on for this account meanwhile, so nothing was sent. Try again: then I ask for one.
refusal-struck = Somebody who has linked this account has struck this address out, so nothing was sent.
refusal-unannounced = Those who have linked this account weren't told of this address long enough before, so nothing was sent. Try again.
refusal-cap = That is more than may leave this account within 24 hours, so nothing was sent.
refusal-balance = Your balance is another one than the card said, so nothing was sent. Try again for a card with what there is now.
refusal-operator = This is the account of the bot’s operator. I don’t withdraw from it.
refusal-operator-cap = At most so much may be spent from the operator's account on a day, so nothing was sent.
refusal-operator-ongoing = Smart Mode isn't started or resumed on the operator's account, so nothing was sent.
refusal-expired = Too much time went by before it could be sent.
refusal-interrupted = The request wasn't sent. Try again.
refusal-by-hand = A person at the operator of this bot decided that it didn't go through.
refusal-other = The service refused it ({ $code }).

## Short words over the chat
operation-no-record = ⌛ <b>I have no record of this card.</b> It may have been used: check your balance and history at the service first.
toast-expired = This card has expired.
toast-void = This card may already have been used. Check your balance and history at the service first.
toast-going = Already on its way.
toast-card-over = This card has been decided already.
toast-card-differs = This message doesn't say what I have on record, so nothing was bought. Please start again.
toast-card-below = This card stands further down.
toast-card-replaced = A newer card has taken the place of this one.
toast-no-operation = I no longer have this operation.
