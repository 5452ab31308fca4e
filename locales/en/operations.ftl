## Spending and outcomes of operations, for admins
command-operations = What users spent, and outcomes
button-operations = 📊 Operations
operations-title = <b>📊 Operations</b> · { $days ->
        [1] today, { $day } (UTC)
       *[other] { $days } days to { $day } (UTC)
    }
operations-spent = Spent by users: <b>{ $sum ->
        [estimated] ≈{" "}
       *[exact] {""}
    }{ AMOUNT($trx) } TRX</b> (not your income)
operations-operator = Spent by admins from the operator account: <b>{ AMOUNT($trx) } TRX</b>
operations-guests = including from guests: <b>{ AMOUNT($trx) } TRX</b> · { $count ->
        [one] { $count } invoice
       *[other] { $count } invoices
    }
operations-done = Done
operations-outcome = { $outcome ->
        [failed] ❌ Charged, then failed or probably refunded
        [refused] ❌ Refused, nothing charged
        [decided] ❌ Didn't go through, decided by admins
        [unclear] ↩️ Money came back for some of these; that amount isn't counted
       *[closed] ☑️ Closed by user, result unknown
    }: { $counts }
operations-invoices-failed = ❌ Invoices paid, then failed: { $count }
operations-unpriced = ❔ Done, price unknown, no amount counted: { $count }
operations-estimated = ≈ Partly card prices: the service didn't say what it charged.
operations-none = Nothing done yet.
operations-unresolved = ⚠️ Result unknown now: <b>{ $count }</b>
operations-note = <i>Invoices count when paid, at their TRX price. Withdrawals and failed or refunded orders don't count. Smart Mode counts with the fee at its start only.</i>
operations-period = { $days ->
        [1] Today
       *[other] { $days } days
    }
