page-title = Energy invoice
page-description = An invoice that any TRON wallet can pay, without an account. The page shows by itself how it stands.
page-language = Language

## How it stands, and what to do
page-state-open = Waiting for your payment
page-what-open = Copy the amount and the address into your wallet, or scan the code with it. Once your payment arrives this page says so by itself.
page-state-ending = There is little time left
page-what-ending = Send the payment only if it leaves right away. If you have sent it already, just wait here, and don't send it a second time.
page-state-paid = Payment received
page-what-paid = The energy is on its way. There is nothing left for you to do: please don't send anything more.
page-state-late = Payment received, but too late
page-what-late = It came after the invoice's time. What becomes of it is up to the rental service; this page goes on watching for a day. Please send nothing more, and ask whoever gave you this link.
page-state-delivered = Energy delivered
page-what-delivered = Your payment was received, and the energy is at the address below. That was all: you can close this page.
page-state-over = Time is over. Don't pay any more
page-what-over = If you have paid, send nothing more and keep this page: it goes on watching for a day. If you haven't, ask whoever gave you this link for a new one.
page-state-failed = Paid, but not delivered
page-what-failed = The rental service could not deliver, and says that it gives the payment back to where it came from. Please send nothing more, and ask whoever gave you this link.
page-state-unchecked = No longer checked. Don't pay any more
page-what-unchecked = The account that this invoice was made on isn't linked here any more, so this page can't see whether it is paid. If you have paid, don't pay again: what is paid in time the rental service delivers all the same. If you haven't, ask whoever gave you this link for a new one.
page-state-unrecognized = Don't pay this invoice now
page-what-unrecognized = { $named ->
        [yes] The rental service reports its status as <code>{ $status }</code>.
       *[no] The rental service reports no status for it.
    } If you have paid, don't pay again; ask whoever gave you this link.
page-state-stale = Checking this invoice. Don't pay yet
page-what-stale = This page can't check right now whether it was paid. If you have paid, don't pay again. If it is unpaid, this page will show how to pay.
page-what-paid-unchecked = The rental service delivers the energy all the same, but this page can't see when: the account that the invoice was made on isn't linked here any more. There is nothing left for you to do: please don't send anything more.
page-what-late-unchecked = It came after the invoice's time. What becomes of it is up to the rental service, and this page can't see it: the account that the invoice was made on isn't linked here any more. Please send nothing more, and ask whoever gave you this link.
page-step-pay = Payment
page-step-paid = Received
page-step-delivered = Delivered

## Paying
page-until = Pay until
page-left = Time left
page-pay = How to pay
page-coin = Pay in
page-amount = Exact amount
page-or = or
page-address = To this payment address, on TRON (TRC20)
page-compare = In fours, to compare with your wallet
page-qr = QR code of the payment address
page-scan = The code holds the address only: enter the amount yourself.
page-warning = Exactly this amount, in one payment; your wallet's fees come on top. Other coins and other networks get lost.
page-copy-amount = Copy amount
page-copy-address = Copy address
page-copied = Copied
page-not-copied = Selected, please copy
page-checking = The time is over. Please don't pay now: one moment, I am looking how it stands.

## What is paid for
page-delivers = What this invoice is for
page-energy = { $amount } energy for { $hours ->
        [one] 1 hour
       *[other] { $hours } hours
    }
page-delivery = To the address
page-transaction = Transaction of the delivery
page-note = The seller writes
page-safety = This page never asks for a password, a key or a seed phrase.

## When something is missing
page-offline = No connection. What stands here may be out of date.
page-renews = This page renews itself every few seconds.
page-empty-none = This link leads to no invoice
page-advice-none = It may have ended, or a part of it is missing. Please pay nothing for it, and ask whoever gave it to you for a new one.
page-empty-away = Just now I can't look
page-advice-away = Please try again in a minute, and pay nothing until then. What you have paid already isn't lost by this.
