command-notifications = What I tell you
button-notifications = 🔔 Notifications
notifications-title = <b>Notifications</b>
notifications-reports = { $reports ->
        [on] ✅ The rental service reports to me what happens at account { $account }.
        [off] The rental service doesn't report to me what happens at account { $account }, so I notice less, and later. You can change that in the webhook log below.
       *[none] This bot has no public address, so the rental service can't report to it what happens at account { $account }. I notice less, and later.
    }
notifications-muting =
    🔔 I tell you; 🔕 muted. Tap to change. Muting stops only the extra message: your receipts are still updated.

    🛡 New withdrawal addresses are always announced.
notifications-low = { $trx ->
        [none] 📉 Low balance: <b>not set</b>
       *[other] 📉 Low balance: <b>below { $trx } TRX</b>
    }
button-notice = { $muted ->
        [yes] 🔕
       *[no] 🔔
    } { $what ->
        [orders] Orders
        [deposits] Deposits
        [withdrawals] Withdrawals
        [smart-mode] Smart Mode
        [low-balance] Low balance
        [hook] Webhook
       *[other] Other events
    }

## Which balance is low
button-low-balance = 📉 Set low balance
notifications-low-ask =
    <b>📉 Low balance</b>

    Below how many TRX shall I tell you? Tap or write an amount. 0 or <i>Off</i> turns it off.
button-low-balance-off = Off
problem-low-balance = Write an amount of TRX, like 50 or 12.5, with at most six digits after the point, or 0 to turn it off.
notifications-low-set = { $trx ->
        [none] ✅ I won't tell you of a low balance.
       *[other] ✅ I'll tell you when your balance falls below { $trx } TRX.
    }
