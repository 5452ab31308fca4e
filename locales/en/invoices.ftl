command-invoices = Your invoices
button-invoices = 🧾 Invoices
button-my-invoices = 🧾 My invoices
invoices-title = <b>Invoices</b>
invoices-totals =
    Paid or delivered, at their price in TRX:
    Today: { $today } · { $todayTrx } TRX
    This week: { $week } · { $weekTrx } TRX
    This month: { $month } · { $monthTrx } TRX
    <i>Days by UTC, weeks from Monday.</i>
invoices-totals-partial = <i>Only your latest invoices are counted: there are very many.</i>
invoices-pick = Tap a number to see its card.
invoices-empty = Nothing here yet. The invoices that you make are kept here for 90 days.
invoices-none-such = None of these.
invoices-further = None of these among the latest. Look further back.

## An invoice in the list
invoices-what = { $amount } energy for { $hours ->
        [one] 1 hour
       *[other] { $hours } hours
    } · { $target } · { $price } TRX
invoices-note = For who pays: <code>{ $note }</code>
invoices-open = 🧾 <b>To be paid</b>
invoices-ending = ⏳ <b>Its time ends soon</b>
invoices-over = ⌛ <b>Expired</b>
invoices-paid = 💰 <b>Paid</b>
invoices-late = 💰 <b>Paid late</b>
invoices-delivered = ✅ <b>Delivered</b>
invoices-failed = ❌ <b>Paid, but not delivered</b>
invoices-unchecked = ❔ <b>No longer checked</b>
invoices-unrecognized = ❔ <b>Status not recognized</b>
invoices-unchecked-paid = <i>No longer checked: its account isn't linked here now.</i>

## What is shown
filter-all = All
filter-open = Open
filter-paid = Paid
filter-delivered = Delivered
filter-ended = Others

## The file
button-csv = ⬇ As CSV
invoices-file = { $count ->
        [one] One invoice
       *[other] { $count } invoices
    }, all that I keep for you. Times are those of UTC.
invoices-file-partial = Your latest { $count } invoices. Times are those of UTC.
toast-file-slow = Telegram is slow to take the file. If it doesn't come within a minute, tap again.
