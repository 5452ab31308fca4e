command-invoices = Your invoices
button-invoices = 🧾 Invoices
button-my-invoices = 🧾 My invoices
invoices-title = <b>Invoices</b>
invoices-totals =
    Paid or delivered, at their TRX prices, days in UTC:
    Today: { $today } · { AMOUNT($todayTrx) } TRX
    This week: { $week } · { AMOUNT($weekTrx) } TRX
    This month: { $month } · { AMOUNT($monthTrx) } TRX
invoices-totals-partial = <i>Only the latest invoices are counted.</i>
invoices-opened = <b>Invoices you opened</b>
invoices-pick = To open an invoice, tap its number.
button-invoices-find = 🔎 Find
invoices-find = <b>🔎 Which invoice?</b> Send its number, a word of your note, an address or the price.
problem-invoices-find = Send up to { $max } characters: a number, a word of your note, an address or the price.
invoices-found = <b>Invoices with</b> <code>{ $sought }</code>
invoices-found-none = You have no invoice with <code>{ $sought }</code>.
invoices-found-latest = <i>These are the latest. Looking for an older one? Send its number.</i>
invoices-empty = { $reader ->
        [seller] No invoices yet. With one, your customer pays for energy for their own address, without an account.
       *[guest] No invoices yet. With one, you pay for energy from any wallet, without an account.
    }
invoices-none-open = No invoice is awaiting payment.
invoices-none-such = No matches.

## An invoice in the list
invoices-what =
    { $amount } energy for { $hours } h · { $target }
    { AMOUNT($trx) } TRX or { AMOUNT($usdt) } USDT
invoices-account = { $account ->
        [none] as a guest
       *[other] account { $account }
    }
invoices-note = Note: <code>{ $note }</code>
invoices-open = 🧾 <b>Awaiting payment</b>
invoices-ending = ⏳ <b>Expires soon</b>
invoices-over = ⌛ <b>Expired</b>
invoices-unreported = ⏳ <b>Time is up, no report</b>
invoices-revoked = 🚫 <b>Link disabled</b>
invoices-paid = 💰 <b>Paid</b>
invoices-late = 💰 <b>Paid too late</b>
invoices-delivered = ✅ <b>Delivered</b>
invoices-partial = 🟠 <b>Partly delivered</b>
invoices-failed = ❌ <b>Paid, but not delivered</b>
invoices-unchecked = ⚠️ <b>Not tracked any more</b>
invoices-unrecognized = ⚠️ <b>Status not recognized</b>
invoices-unchecked-paid = <i>Not tracked any more{ $account ->
        [own] : the account isn't linked
       *[other] {""}
    }.</i>

## What is shown
filter-all = All
filter-open = Open
filter-sold = Paid
filter-paid = Paid, not delivered
filter-delivered = Delivered
filter-ended = Expired and failed

## The file
button-csv = ⬇ Download CSV
invoices-file = Your invoices of the last 90 days: { $count }. Times in UTC. The service doesn't report in which coin an invoice was paid.
invoices-file-partial = Your latest { $count } invoices of the last 90 days. Times in UTC. The service doesn't report in which coin an invoice was paid.
toast-file-slow = Telegram is slow. No file in a minute? Tap again.
