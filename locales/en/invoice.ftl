command-invoice = New invoice
button-invoice-new = 🧾 New invoice
invoice-title = 🧾 Invoice · { $amount } energy · { $hours } h
invoice-short = Invoice: { $amount } energy
invoice-filter = 🧾 Invoices

## The questions
invoice-address-customer = <b>🧾</b> Which address of your customer <i>sends</i> the USDT? Paste it. The energy goes there.
invoice-address = <b>⚡</b> Which address <i>sends</i> the USDT? Paste it. The energy goes there.
invoice-note =
    <b>{ $note ->
        [none] Add a note for your customer?
       *[other] Send another note, or keep this one:
    }</b>{ $note ->
        [none] {""}
       *[other] {" "}<code>{ $note }</code>
    }

    Up to { $max } characters, no links.
invoice-note-offered =
    <b>Is this the note for your customer?</b>

    { $note }
invoice-note-kept = Noted: <code>{ $note }</code>. Now the address.
problem-invoice-note = Send up to { $max } characters without links.
problem-invoice-note-link = Send the note without links, websites or @usernames: customers might trust them.
problem-invoice-note-address = Send a note without a wallet address: the customer could send money there.
button-new-customer = New customer
button-invoices-back = ‹ Invoices
button-note = ✎ Note for the customer
button-note-add = Add as note
button-note-keep = Keep note
button-note-remove = Remove note

## The card of the operation
invoice-terms = { $reader ->
        [merchant] Creating costs nothing. Your customer has 30 minutes to pay. { invoice-payee }
       *[other] Nothing is charged now. You'll pay in TRX or USDT, within 30 minutes.
    }
invoice-payee = The payment goes to the service for the energy, not to your balance.
invoice-truth = <i>A payment can't be undone.</i>
button-invoice-create = ✅ Create invoice
invoice-going = ⏳ <b>Creating the invoice…</b>
invoice-done = ✅ <b>Invoice created</b>
invoice-refused = ❌ <b>Invoice not created.</b> Nothing was charged.
invoice-likely = 🟡 <b>Most likely created</b>
invoice-again = Same again
invoice-anyway = Create anyway
refusal-not-made = No valid reply from the service, so there's nothing to pay. Try again.
invoice-unavailable = Invoices aren't available right now. Nothing was charged. Try again later.
refusal-unavailable = Invoices aren't available right now. Try again later.
refusal-guest-open = You have three open invoices: /invoices. Pay one, or try again in { $minutes } min, when the first expires.
refusal-guest-hour = The limit is six invoices an hour. Try again in { $minutes } min.
refusal-guest-all = Too many invoices right now. Try again { $when }.

## The invoice
invoice-open = 🧾 <b>{ $reader ->
        [merchant] Awaiting payment
       *[other] Pay exactly { AMOUNT($trx) } TRX or { AMOUNT($usdt) } USDT
    }</b>
invoice-ending = ⏳ <b>{ $reader ->
        [merchant] Awaiting payment, expires soon
       *[other] Expires soon: pay exactly { AMOUNT($trx) } TRX or { AMOUNT($usdt) } USDT
    }</b>
invoice-over = ⌛ <b>Expired. { $reader ->
        [merchant] Your customer can no longer pay it.
       *[other] Don't pay this invoice.
    }</b>
invoice-revoked = 🚫 <b>Link disabled by the seller. Don't pay.</b>
invoice-paid = 💰 <b>Paid. The energy is on its way.</b>
invoice-paid-note = <b>Don't send your USDT yet.</b> I'll write when the energy is there, usually within a minute.
invoice-follow-up-paid = 💰 <b>Paid.</b> Don't send your USDT yet: I'll write when the energy is there, usually within a minute.
invoice-follow-up-over = ⌛ <b>Invoice { $number } expired.</b> Sent a part, or all of it? Don't send more. Check the wallet you paid from: the service may return it. I'll write if it reports the payment within 24 h.
invoice-late = 💰 <b>Paid too late</b>
invoice-delivered = ✅ <b>Paid and delivered</b>
invoice-ended = { $reader ->
        [merchant] { invoice-delivered }
       *[other] ⌛ <b>Rental over.</b> The energy was delivered.
    }
invoice-rental-ended = Energy ended: <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
invoice-partial = 🟠 <b>Paid and partly delivered</b>
invoice-failed = ❌ <b>Paid, but not delivered</b>
invoice-unchecked = ⚠️ <b>This invoice can't be tracked any more. { $reader ->
        [merchant] Your customer shouldn't pay it.
       *[other] Don't pay it.
    }</b>
invoice-unrecognized = ⚠️ <b>{ $reader ->
        [merchant] Your customer shouldn't pay this invoice now
       *[other] Don't pay this invoice now
    }</b>
invoice-stale = ⏳ <b>{ $reader ->
        [merchant] Your customer can't pay this invoice yet.
       *[other] Don't pay yet.
    }</b>
invoice-unreported = ⏳ <b>{ $reader ->
        [merchant] Your customer can no longer pay this invoice.
       *[other] Don't pay this invoice.
    }</b>
invoice-number = Invoice { $number }
invoice-pay-to =
    On TRON (TRC20), to this address:
    <code>{ $address }</code>
invoice-delivers =
    { $amount } energy for { $hours } h to
    <code>{ $address }</code>
invoice-sold =
    { $amount } energy for { $hours } h
    to { $target }
invoice-by-seller = A seller made this invoice: check that the address is yours.
invoice-either = { AMOUNT($trx) } TRX or { AMOUNT($usdt) } USDT
invoice-link-off = The link is disabled. <i>{ button-share }</i> makes a new one.
invoice-off-until = Anyone who already has the payment address can still pay until <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>.
invoice-customer-until = Your customer can pay until <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>. I'll write when it's paid in full and delivered.
invoice-note-shown = { $reader ->
        [merchant] Note for the customer
       *[other] Seller's note
    }: <code>{ $note }</code>
invoice-until = Pay by <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>. Exactly this amount must arrive: exchange and wallet fees come on top. Payments in other coins or networks are lost.
invoice-ends = Expires at <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>. Later payments may be lost. Exactly this amount must arrive: exchange and wallet fees come on top.
invoice-parts = { $reader ->
        [merchant] Sent only a part? Just the rest is due, at the same address, in the same coin.
       *[other] Sent only a part? Send just the rest, in the same coin. Sent it all? Don't pay again.
    }
invoice-arrived = 🔎 <a href="{ $url }">See what has arrived</a>
invoice-was-payable-to = Payment address (don't pay): { $address }
invoice-over-note = { $reader ->
        [merchant] Did your customer send it all, or a part?
       *[other] Already sent it all, or a part? Don't send more. Check the wallet you paid from: the service may have returned it.
    } I'll write if the service reports the payment within 24 h.{ $support ->
        [none] {""}
        [seller] {" "}No news by then? Give the seller the invoice number and your transaction.
       *[other] {" "}No news by then? Contact support: { $support }
    }
    { $reader ->
        [merchant] To be paid now, create a new invoice.
       *[other] To pay now, you need a new invoice.
    }
invoice-over-for-good = The service reported no full payment within 24 h. { $reader ->
        [merchant] To be paid now, create a new invoice.
       *[other] Already paid? { $support ->
            [none] Check the wallet you paid from.
            [seller] Give the seller the invoice number and your transaction.
           *[other] Contact support: { $support }
        }
    }
invoice-late-note = It came after the deadline, so the service decides.{ $support ->
        [none] {""}
        [seller] {" "}No news in 24 h? Ask the seller.
       *[other] {" "}No news in 24 h? Contact support: { $support }
    }
invoice-partial-note = Delivered: <b>{ $delivered } of { $amount } energy</b>. The service hasn't reported the rest, or a refund.
invoice-failed-note = The service says it's refunding the payment. I can't see when it arrives: { $reader ->
        [merchant] your customer should check the wallet they paid from.
       *[other] check the wallet you paid from.
    }
invoice-failed-seller = Not back? Give the seller the invoice number.
invoice-failed-next = { $reader ->
        [merchant] Does your customer still need the energy? Tap <i>{ invoice-again }</i>.
        [buyer] <b>Don't send your USDT.</b> Still need the energy? Tap <i>{ invoice-again }</i>.
       *[payer] <b>Don't send your USDT.</b> Still need the energy? Ask the seller for a new link.
    }
invoice-stale-note = { $reader ->
        [merchant] This card updates by itself.
       *[other] Already paid? Don't pay again. Otherwise wait for this card to update.
    }
invoice-revoked-note = Already paid in full? Don't pay again: the energy is still delivered, and I'll write to you. Otherwise ask the seller.
invoice-unreported-note = Its time is up, but the service hasn't responded since, so I don't know whether it was paid. { $reader ->
        [merchant] This card updates by itself.
       *[other] Already paid? Don't pay again: this card updates by itself.
    }
invoice-unrecognized-note = Status at the service: <code>{ $status }</code>. { $reader ->
        [merchant] Not paid yet? Create a new invoice.
       *[other] Already paid? Don't pay again. Otherwise use a new invoice.
    }
invoice-unchecked-note = { $account ->
        [own] Account { $number } isn't linked here any more.{" "}
       *[other] {""}
    }{ $reader ->
        [merchant] Payments made in time are still delivered. { $account ->
            [own] Link the account again to see them.
           *[other] To be paid now, create a new invoice.
        }
       *[other] Already paid? Don't pay again: payments made in time are still delivered. To pay now, use another invoice.
    }
invoice-unchecked-paid = { $account ->
        [own] Account { $number } isn't linked here any more. Link it again to see what happens next.
       *[other] At the moment I can't tell you what happens next.
    }
invoice-opened = 👁 The link was opened.
invoice-picture-delivered = Delivered
invoice-picture-paid = Paid, on its way
invoice-picture-duration = for { $hours } h
invoice-created = Created: <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
invoice-expired = Expired: <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
invoice-paid-at = Paid: <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
invoice-delivered-at = Delivered: <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
invoice-price = Price: { AMOUNT($trx) } TRX or { AMOUNT($usdt) } USDT
invoice-usable-until = Usable until <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>
invoice-follow-up-delivered = ✅ <b>Delivered:</b> { $amount } energy for <code>{ $address }</code>
button-invoice-other = ✎ Other amount or address
invoice-own-now = ℹ️ <b>You pay this invoice yourself.</b> Invoices for customers need a linked account.
invoice-same-open = This invoice was already open, so I didn't make a second one. For twice the energy, tap <i>{ button-invoice-other }</i>.
invoice-hour-limit = ⚠️ <b>The limit is six invoices an hour.</b> You can create the next one from <tg-time unix="{ $unix }" format="T">{ $at }</tg-time>.
invoice-others-open = ℹ️ { $count ->
        [one] Your invoice { $numbers } can still be paid.
       *[other] Your invoices { $numbers } can still be paid.
    }{ $same ->
        [open] {""}
       *[none] {" "}Unpaid invoices cost nothing. Sent a part? Finish that invoice first.
    }
invoice-unreported-before = ⚠️ { $reader ->
        [merchant] Invoice { $number } for this address may be paid: the service hasn't responded since its time was up. Paid? Then your customer needs no new one.
       *[buyer] Paid invoice { $number } for this address? Don't pay a second one: the service hasn't responded since its time was up, so I can't see the payment yet.
    }
button-copy-trx = ⧉ Copy TRX amount
button-copy-usdt = ⧉ Copy USDT amount
button-check-payment = ↻ Check payment
button-payment-page = ↗ Payment page
button-share = ↗ Share
button-revoke = 🚫 Disable link
button-copy-page = ⧉ Copy page link
toast-invoice-revoked = Link disabled.
toast-invoice-asked = The service isn't responding. This card updates by itself.
toast-invoice-shared = New link created. Tap { button-share } again to send it.
toast-invoice-gone = This invoice is no longer available.
share-text =
    Invoice { $number }: { $amount } energy for { $hours } h to { $target }
    { AMOUNT($trx) } TRX or { AMOUNT($usdt) } USDT. Open the link to pay by { $at }.
invoice-left = Too many users opened this invoice. Open the link again to see it.
invoice-link-none = This link no longer works. Don't pay; get a new one. Already paid? Ask the seller, with your transaction.
guests-full = ⚠️ Guests have reached the operator account's limit of invoices per minute.
toast-invoice-unpaid-revoked = No full payment yet. Link disabled: don't pay.
toast-invoice-unpaid = No full payment yet. { $left } left.
invoice-unpaid-as-of = No full payment as of <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>.
invoice-unwanted = { $reader ->
        [merchant] An unpaid invoice costs nothing. To keep your customer from paying, open it and tap <i>{ button-revoke }</i>.
       *[buyer] An unpaid invoice costs nothing: just don't pay it.
    }
invoice-others-meant = Or is it about { $kinds ->
        [orders] { $orderCount ->
            [one] order { $orders }
           *[other] orders { $orders }
        }
        [both] { $count ->
            [one] invoice { $numbers }
           *[other] invoices { $numbers }
        } or { $orderCount ->
            [one] order { $orders }
           *[other] orders { $orders }
        }
       *[invoices] { $count ->
            [one] invoice { $numbers }
           *[other] invoices { $numbers }
        }
    }?
button-open-invoice = Open invoice { $number }
button-open-order = Open order { $number }
toast-invoice-none = The service reports no full payment for this invoice.
invoice-not-answered = The service isn't responding, so I can't see whether invoice { $number } was paid. Already paid? Don't pay again: its card updates by itself.
