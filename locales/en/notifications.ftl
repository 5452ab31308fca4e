command-notifications = Choose your notifications
button-notifications = 🔔 Notifications
notifications-title = <b>Notifications</b>
notifications-reports = { $reports ->
        [on] ✅ Instant alerts: <b>on</b> (account { $account })
       *[other] Instant alerts: { $reports ->
            [off] <b>off</b>
           *[none] not available
        } (account { $account }). Deposits and withdrawals are reported up to six hours late, order deliveries and Smart Mode's charges not at all. Invoice payments are always reported.
    }
notifications-muting =
    🔔 on · 🔕 muted. Receipts are updated either way.

    🛡 New withdrawal addresses are always announced.
notifications-low = 📉 Low-balance alert: <b>{ $trx ->
        [none] off
       *[other] below { AMOUNT($trx) } TRX
    }</b>
button-notice = { $muted ->
        [yes] 🔕
       *[no] 🔔
    } { $what ->
        [orders] Orders{ $delivery ->
            [unseen] {" "}(not delivery)
           *[seen] {""}
        }
        [rentals] Rental reminders
        [invoices] Expired invoices
        [deposits] Deposits
        [withdrawals] Withdrawals
        [smart-mode] Smart Mode
        [low-balance] Low balance
        [hook] Missing instant alerts
       *[other] Other events
    }

## Low balance
button-low-balance = 📉 Set low-balance alert
notifications-low-ask =
    <b>📉 Low balance</b>

    Alert you below how many TRX? Tap or send an amount; 0 turns it off.
button-low-balance-off = Off
problem-low-balance = Send an amount like 50 or 12.5, up to six decimals, or 0 for off.
