## The operator account, for admins
command-operator = Operator account, limit, alert
button-operator = 🏦 Operator account
operator-title = <b>🏦 Operator account</b>
operator-none = No operator account: <code>RENTAL_API_KEY</code> isn't set.
operator-unreachable = I can't read the operator account right now. Nothing was changed.
operator-spent = Spent today (UTC): <b>{ AMOUNT($spent) }</b> of { AMOUNT($cap) } TRX{ $is ->
        [used-up] . <b>⚠️ The limit is used up.</b>
       *[left] {""}
    }
operator-alert = 📉 Low-balance alert: <b>{ $trx ->
        [none] off
       *[other] below { AMOUNT($trx) } TRX
    }</b>
operator-reports = 🔔 Instant alerts: <b>{ $reports }</b>
operator-holders = Linked by: { $who }
operator-note = <i>Admins who link it buy from its balance within the daily limit. Refunded orders count towards it too. Withdrawals aren't possible.</i>
button-operator-link = 🔗 Link it
button-operator-link-own = 🏦 Link operator account
button-operator-unlink = Unlink it
button-operator-cap = Daily limit
button-operator-alert = Low-balance alert
operator-linked = ✅ <b>Operator account linked</b>
operator-linked-already = The operator account is already linked.
operator-linked-note = You buy from its balance. Admins share { AMOUNT($cap) } TRX a day (UTC) and see your purchases.

## Limit and alert
operator-cap-ask = How many TRX may all admins together spend per day (UTC)? Now: { AMOUNT($cap) } TRX.
button-operator-cap-none = 0: no spending
problem-operator-cap = Send an amount of TRX like 100, or 0.
operator-alert-ask = Alert all admins below how many TRX? Now: { $trx ->
        [none] off
       *[other] { AMOUNT($trx) } TRX
    }.
button-operator-alert-none = No alert

## Rejections
operator-cap-reached = Over the operator account's daily limit: this costs { AMOUNT($price) } TRX, and { AMOUNT($left) } of { AMOUNT($cap) } TRX are left. Any admin can change it in <i>{ button-operator }</i>.
toast-operator-cap = Daily limit: { AMOUNT($left) } of { AMOUNT($cap) } TRX left.
toast-operator-never = Not available on the operator account.
operator-void = ⚠️ You no longer have access to the operator account. Link your own.
operator-key-unknown = The operator key couldn't be checked. Nothing was charged. Try again in a minute.

## Notifications to all admins
operator-notice-linked = Linked by admin <code>{ $by }</code>
operator-notice-unlinked = Unlinked by admin <code>{ $by }</code>
operator-notice-cap = Daily limit set to <b>{ AMOUNT($trx) } TRX</b> by admin <code>{ $by }</code>
operator-notice-alert = Low-balance alert: { $trx ->
        [none] off
       *[other] <b>{ AMOUNT($trx) } TRX</b>
    }, set by admin <code>{ $by }</code>
operator-notice-low = 📉 <b>{ AMOUNT($balance) } TRX</b> left, below the alert level of { AMOUNT($mark) } TRX.
operator-notice-restored = ✅ <b>{ AMOUNT($balance) } TRX</b> now, no longer below the alert level of { AMOUNT($mark) } TRX.
operator-notice-key = ⚠️ User <code>{ $by }</code> sent the operator's API key at { $time }. Unless you know why, replace it at the service and in <code>RENTAL_API_KEY</code>.
operator-notice-no-price = Price: unknown
operator-notice-used = Admin <code>{ $by }</code>: { $outcome ->
        [done] paid
        [partial] order partly delivered
        [failed] order failed
        [refused] nothing was charged
        [unknown] result unknown
        [likely] probably paid
       *[closed] closed, result unknown
    }
operator-no-price = The price isn't known, so the daily limit can't be checked. Nothing was charged.
