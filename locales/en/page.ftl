page-title = Energy invoice
page-description = Pay from any TRON wallet, without an account.
page-language = Language

## The state, and what to do
page-state-open = Waiting for your payment
page-what-open = This page updates by itself.
page-state-ending = Little time left
page-what-ending = Pay only if you can send it right now. Already sent in full? Don't pay again.
page-state-paid = Payment received
page-what-paid = The energy is on its way: <b>don't send your USDT yet</b>. Don't pay again.
page-state-late = Payment received, but too late
page-what-late = It came after the deadline, so the service decides. Don't pay again; { $maker ->
        [payer] get help in the bot
       *[seller] ask the seller
    }.
page-state-delivered = Energy delivered
page-what-delivered = You can close this page.
page-state-ended = Rental over
page-what-ended = The energy was delivered and can't be used any more. Don't pay this invoice again. { $maker ->
        [payer] Need energy? Create a new invoice in the bot.
       *[seller] Need energy? Ask for a new link.
    }
page-send-by = Send your USDT by
page-state-over = Expired. Don't pay
page-what-over = Already sent it all, or a part? Don't send more. Check the wallet you paid from: the service may have returned it. For 24 hours, <i>{ page-check }</i> shows if the service reports the payment. If it doesn't, { $maker ->
        [payer] get help in the bot with the invoice number and your transaction. Not paid? Create a new invoice in the bot.
       *[seller] give the seller the invoice number and your transaction. Not paid? Ask for a new link.
    }
page-state-unreported = Don't pay
page-what-unreported = The time is up, but the service hasn't responded since, so we can't tell whether this was paid. Already paid? Don't pay again: <i>{ page-check }</i> shows the result.
page-state-partial = Partly delivered
page-what-partial = Delivered: { $delivered } of { $amount } energy. The service hasn't reported the rest, or a refund. Don't pay again; { $maker ->
        [payer] get help in the bot
       *[seller] ask the seller
    }.
page-state-failed = Paid, but not delivered
page-what-failed = <b>Don't send your USDT.</b> The service says it refunds the sender: check the wallet you paid from. Not back? { $maker ->
        [payer] Get help in the bot with the invoice number. Still need the energy? Create a new invoice in the bot.
       *[seller] Give the seller the invoice number. Still need the energy? Ask for a new link.
    }
page-state-unchecked = This invoice can't be tracked any more. Don't pay it
page-what-unchecked = Already paid? Don't pay again: payments made in time are still delivered. Otherwise { $maker ->
        [payer] create a new invoice in the bot.
       *[seller] ask for a new link.
    }
page-state-unrecognized = Don't pay this invoice now
page-what-unrecognized = Status at the service: <code>{ $status }</code>. Already paid? Don't pay again; { $maker ->
        [payer] get help in the bot
       *[seller] ask the seller
    }.
page-state-stale = Don't pay yet
page-what-stale = The service isn't responding, so we can't tell whether this was paid. Already paid? Don't pay again. Sent only a part? Send just the rest, as below, before the deadline. Nothing sent yet? Wait: this page will show how to pay.
page-what-paid-unchecked = The service still delivers, but this page can't show when. Before you send USDT, check that your wallet has the energy. Don't pay again.
page-step-pay = Payment
page-step-paid = Received
page-step-delivered = Delivered

## Paying
page-until = Pay by
page-left = Time left
page-pay = How to pay
page-coin = Pay in
page-amount = Exact amount
page-or = or
page-address = To this address on TRON (TRC20)
page-compare = Compare it in your wallet.
page-qr = QR code of the payment address
page-scan = Address only: enter the amount yourself.
page-warning = Exactly this amount must arrive: exchange and wallet fees come on top. Payments in other coins or networks are lost.
page-parts = Sent only a part? Send just the rest, in the same coin, to the same address, before the deadline. A part alone buys nothing; the service may return it. Sent it all? Don't pay again.
page-arrived = See what has arrived
page-copy-amount = Copy <i>amount</i>
page-copy-address = Copy address
page-copied = Copied
page-not-copied = Selected, please copy
page-checking = Time is up. Don't pay.

## The receipt
page-invoice = Invoice
page-price = Price
page-was-payable-to = Payment address (don't pay)
page-payable-to = Payment address
page-created = Created
page-expired = Expired
page-paid-at = Paid
page-delivered-at = Delivered
page-usable = Energy ends
page-used = Energy ended

## What is paid for
page-energy = { $amount } energy for { $hours } h
page-delivery = Energy for the address
page-transaction = Delivery transaction
page-note = Seller's note
page-contact-seller = Questions about this invoice? Ask the seller.
page-contact-support = Questions about this invoice? <a href="{ $url }">Contact support</a>
page-made-in = Made in Telegram with <a href="https://t.me/{ $bot }">@{ $bot }</a>
page-safety = This page never asks for passwords, keys or seed phrases.

## When something is missing
page-offline = No connection. This page may be out of date.
page-empty-none = Invoice not found
page-advice-none = The link is expired, incomplete or turned off. Don't pay; get a new one. Already paid? Ask where you got the link, with your transaction.
page-empty-away = Can't check right now
page-advice-away = Try again in a minute; don't pay until then. Past payments aren't affected.
page-check = Check payment
page-unpaid = No full payment yet. The service reports full payments only.
page-not-answered = The service isn't responding. Try again in a few seconds.
