command-invoice = New invoice
button-invoice-new = 🧾 New invoice
button-buy-by-invoice = ⚡ Buy energy
invoice-title = 🧾 Invoice · { $transfers ->
        [0] { $amount } energy
        [one] { $transfers } transfer ({ $amount } energy)
       *[other] { $transfers } transfers ({ $amount } energy)
    } · { $hours ->
        [one] 1 hour
       *[other] { $hours } hours
    }
invoice-filter = 🧾 Invoices

## The questions
invoice-address =
    <b>{ $payer ->
        [self] Buy energy
       *[other] New invoice
    }</b> · 1 of 3

    Which address sends the USDT? The energy goes there, not to who receives.

    Paste it{ $known ->
        [yes] , or choose one of yours.
       *[no] .
    }
invoice-amount =
    <b>How much?</b> · 2 of 3
    For: <code>{ $address }</code>

    How many USDT transfers, from { $min } to { $max }? Each counts 65,000 energy, enough where the recipient holds USDT already. For a recipient who is new to USDT write 131000, or any amount of energy from { $least } to { $greatest }.
invoice-duration =
    <b>For how long?</b> · 3 of 3
    For: <code>{ $address }</code>

    The energy is there for this time once the invoice is paid.
problem-invoice-amount = Write a number of transfers from { $min } to { $max }, or an amount of energy from { $least } to { $greatest }.
invoice-note =
    <b>A line for who pays?</b>

    It stands on the card and on the page as yours, as plain text of up to { $max } characters, without links.
problem-invoice-note = Write one line of up to { $max } characters, without links, or tap the button.
problem-invoice-note-link = Send the note without links, website names and @usernames: the payer would trust them. No invoice has been made yet.
problem-invoice-note-address = That looks like a wallet address or a part of one, and the payer could send money there. Send another note, or tap Back to change the address.
button-no-note = Without a line
button-same-again = Same again for another customer
button-other-address = Another address
invoice-same-again =
    <b>Same again for another customer</b>
    { $title }
invoice-same-note = The line for who pays isn't taken along. Write another one, plain text of up to { $max } characters, without links, or tap a button.
invoice-customer =
    <b>Another customer</b>

    Which address sends the USDT this time?

    Paste it{ $known ->
        [yes] , or choose one of yours.
       *[no] .
    }

## The card of the operation
invoice-terms =
    Nothing is charged by this: the service makes an address to pay to, names its price in TRX and USDT, and waits 30 minutes to be paid.{ $transfers ->
        [0] {""}
        [one] {" "}One transfer of 65,000 energy is too little for a recipient who is new to USDT.
       *[other] {" "}Each transfer counts 65,000 energy: too little for a recipient who is new to USDT.
    }
invoice-truth = <i>A payment can't be undone.</i>
invoice-going = ⏳ <b>Making the invoice…</b>
invoice-done = ✅ <b>Invoice made</b>
invoice-refused = ❌ <b>No invoice was made.</b> Nothing was charged.
invoice-likely = 🟡 <b>Most likely made</b>
invoice-again = Another one
invoice-anyway = Make it anyway
refusal-not-made = { $code ->
        [UNEXPECTED_REPLY] Unexpected reply from the service.
       *[other] The service's answer got lost.
    } Nothing was charged, and there is nothing to pay: just make another one.
refusal-guest-open = You have three open invoices. Pay one of them (/invoices), or try again in { $minutes } min.
refusal-guest-hour = You have made six invoices within an hour. Try again in { $minutes } min.
refusal-guest-all = Many people are making invoices right now. Try again in { $seconds } s.

## The invoice
invoice-open = 🧾 <b>Pay { $trx } TRX or { $usdt } USDT</b>
invoice-ending = ⏳ <b>Pay { $trx } TRX or { $usdt } USDT soon</b>
invoice-over = ⌛ <b>Time is over. Don't pay this invoice any more.</b>
invoice-paid = 💰 <b>Paid. The energy is on its way.</b>
invoice-late = 💰 <b>Paid, but after its time</b>
invoice-delivered = ✅ <b>Paid and delivered</b>
invoice-failed = ❌ <b>Paid, but not delivered</b>
invoice-unchecked = ❔ <b>No longer checked. Don't pay this invoice any more.</b>
invoice-unrecognized = ❔ <b>Don't pay this invoice now</b>
invoice-stale = ⏳ <b>Checking this invoice. Don't pay yet.</b>
invoice-number = Invoice { $number }
invoice-amounts =
    Exactly <code>{ $trx }</code> TRX
    or exactly <code>{ $usdt }</code> USDT
    on TRON (TRC20), to this address:
    <code>{ $address }</code>
    { $compared }
invoice-delivers = { $standing ->
        [delivered] Delivered:
        [over] It was for
        [failed] It was for
        [unchecked] It was for
        [unrecognized] Invoice for
        [stale] Invoice for
       *[other] Delivers
    } { $amount } energy for { $hours ->
        [one] 1 hour
       *[other] { $hours } hours
    } to
    <code>{ $address }</code>
invoice-note-shown = The seller writes: <code>{ $note }</code>
invoice-until = Pay until <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>, in one payment. Other coins and networks get lost.
invoice-ends = It ends <tg-time unix="{ $unix }" format="r">at { $at }</tg-time>. A payment that comes later may get lost. If you have already sent something, don't send it again.
invoice-over-note = { $own ->
        [yes] If somebody has paid all the same, I go on looking for a day and tell you here. For another try make a new invoice.
       *[no] If you have paid all the same, I go on looking for a day and tell you here. To pay now, ask for a new invoice.
    }
invoice-late-note = The payment came after the invoice's time. What becomes of it the service decides; I look for a day and tell you here.
invoice-failed-note = The service could not deliver and says that it gives the payment back to whom it came from.
invoice-transaction = Transaction: <code>{ $hash }</code>
invoice-stale-note = I can't check right now whether it was paid. If you have paid, don't pay again. If it is unpaid, this card will show how to pay.
invoice-unrecognized-note = { $named ->
        [yes] The service reports its status as <code>{ $status }</code>.
       *[no] The service reports no status for it.
    } { $own ->
        [yes] If it was paid, nobody should pay it again. To try again, make a new invoice.
       *[no] If you have paid, don't pay again. Ask the person who gave you this link.
    }
invoice-unchecked-note = The account that it was made on isn't linked here any more, so I can't see whether it is paid. { $own ->
        [yes] If it has been paid, nobody should pay it again: what is paid in time the service delivers all the same. Once that account is linked again, I check it again.
       *[no] If you have paid, don't pay again: what is paid in time the service delivers all the same. To pay now, ask for a new invoice.
    }
invoice-unchecked-paid = { $standing ->
        [late] The payment came after the invoice's time. What becomes of it the service decides. I can't check it any more
       *[paid] The service delivers it all the same, but I can't check it any more
    }: the account that it was made on isn't linked here now.
invoice-opened = 👁 The link was opened.
invoice-news-paid = 💰 <b>It was paid.</b> The energy is on its way.
invoice-news-late = 💰 <b>It was paid after its time.</b> I tell you what becomes of it.
invoice-news-delivered = ✅ <b>Delivered:</b> { $amount } energy for <code>{ $address }</code>
invoice-news-failed = ❌ <b>It could not be delivered.</b> The service says that it gives the payment back to whom it came from.
invoice-news-own = Invoice { $number } · { $trx } TRX or { $usdt } USDT
invoice-news-about = Invoice of { $trx } TRX or { $usdt } USDT
button-copy-trx = ⧉ Copy { $trx } TRX
button-copy-usdt = ⧉ Copy { $usdt } USDT
button-check-payment = ↻ Check payment
button-share = ↗ Share
button-revoke = 🚫 End the link
button-copy-page = ⧉ Copy page link
toast-invoice-revoked = The link leads nowhere any more.
toast-invoice-asked = Checking with the service. If anything has changed, this card will show it.
toast-invoice-unchecked = I can't check this invoice: its account isn't linked here now.
toast-invoice-shared = There is a new link. Tap Share once more to send it.
toast-invoice-gone = I no longer have this invoice.
share-text = Invoice: { $trx } TRX or { $usdt } USDT
invoice-left = Very many people have opened the link to this invoice, so I took its card away here. Open the link again to see it.
invoice-link-none = This link leads to no invoice any more. Ask for a new one.
guests-full = ⚠️ Guests are making as many invoices as may be made for them on the operator's account in a minute.
