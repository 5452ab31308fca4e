command-notifications = What I tell you
button-notifications = 🔔 Notifications
notifications-title = <b>Notifications</b>
notifications-reports = { $reports ->
        [on] ✅ <b>Service reports: on.</b> The rental service tells me at once what happens at account { $account }.
        [off] <b>Service reports: off.</b> I look at account { $account } myself. Deposits and withdrawals reach you within some minutes while you use the bot, and within six hours otherwise. That an order has arrived I don't learn.
       *[none] This bot can't receive service reports, so I look at account { $account } myself. Deposits and withdrawals reach you within some minutes while you use the bot, and within six hours otherwise. That an order has arrived I don't learn.
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
        [hook] Service reports lost
       *[other] Other events
    }

## Which balance is low
button-low-balance = 📉 Set low balance
notifications-low-ask =
    <b>📉 Low balance</b>

    { $balance ->
        [unread] Your balance couldn't be read just now; you can go on without.
       *[other] Your balance now: <b>{ $balance } TRX</b>
    }

    Below how many TRX shall I tell you? Tap or write an amount. 0 or <i>Off</i> turns it off.
button-low-balance-off = Off
problem-low-balance = Write an amount of TRX, like 50 or 12.5, with at most six digits after the point, or 0 to turn it off.
notifications-low-set = { $trx ->
        [none] ✅ I won't tell you of a low balance.
       *[other] ✅ I'll tell you when your balance falls below { $trx } TRX.
    }
