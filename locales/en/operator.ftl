## The operator's account, for admins
command-operator = The operator's account, limit and alert
button-operator = 🏦 Operator's account
operator-title = <b>🏦 The operator's account</b>
operator-none = This bot has no account of an operator: <code>RENTAL_API_KEY</code> isn't set.
operator-unreachable = The rental service doesn't tell just now which account the operator's key opens. Try again in a minute.
operator-account = Account { $account }
operator-balance = { $balance ->
        [unknown] Balance: couldn't be read just now
       *[other] Balance: <b>{ $balance } TRX</b>
    }
operator-spent = Spent by admins today (UTC): <b>{ $spent } TRX</b> of { $cap } TRX at most
operator-alert = { $trx ->
        [none] 📉 Alert: <b>none</b>
       *[other] 📉 Alert: when the balance is below <b>{ $trx } TRX</b>
    }
operator-reports = { $reports ->
        [on] 📥 Service reports: <b>on</b>
       *[off] 📥 Service reports: <b>off</b>
    }
operator-holders = { $who ->
        [nobody] Linked by no admin
       *[other] Linked by: { $who }
    }
operator-note = <i>Whoever of you links it buys from its balance, within the day's limit for all of you together. All admins are told of each purchase. Nothing is withdrawn from it in a chat.</i>
button-operator-link = 🔗 Link it for me
button-operator-link-own = 🏦 Link the operator's account
button-operator-unlink = Unlink it from me
button-operator-cap = Limit of a day
button-operator-alert = Alert
operator-linked = ✅ <b>The operator's account is linked</b>
operator-linked-already = The operator's account is linked already.
operator-linked-note = What you buy is paid from its balance: at most { $cap } TRX a day (UTC) for all admins together. All admins are told of it.

## Its limit and its alert
operator-cap-ask =
    <b>Limit of a day</b>

    How many TRX may all admins together spend from the operator's account on a day (UTC)? Now it is { $cap } TRX. With 0 nobody spends anything.
button-operator-cap-none = 0: nobody spends
problem-operator-cap = Write an amount of TRX, like 100, or 0.
operator-cap-set = ✅ Limit: <b>{ $cap } TRX</b> a day.
operator-alert-ask =
    <b>Alert</b>

    Below how many TRX of balance are all admins to be told? Balance now: { $balance ->
        [unknown] couldn't be read
       *[other] { $balance } TRX
    }
button-operator-alert-none = No alert
operator-alert-set = { $trx ->
        [none] ✅ No alert any more.
       *[other] ✅ Alert below <b>{ $trx } TRX</b>.
    }

## Why it isn't done with it
operator-cap-reached = Admins may spend at most { $cap } TRX a day (UTC) from the operator's account: { $left } TRX are left. Another admin, or you, can change that under { $operator }.
operator-ongoing = Smart Mode isn't started or resumed on the operator's account: it goes on charging for each transfer, and no limit of a day would hold that.
toast-operator-cap = At most { $cap } TRX a day leave the operator's account: { $left } TRX are left.
toast-operator-never = This isn't done with the operator's account.
operator-barred = ⚠️ The account that you had linked can't be used here any more. Link an account of your own.
operator-key-unknown = The rental service doesn't tell just now whether the operator's key still opens this account. Try again in a minute.

## Told to all admins
operator-told = <b>🏦 The operator's account</b>
operator-told-linked = Admin <code>{ $by }</code> has linked it.
operator-told-unlinked = Admin <code>{ $by }</code> has unlinked it.
operator-told-cap = Admin <code>{ $by }</code> has set the limit of a day to <b>{ $trx } TRX</b>.
operator-told-alert = { $trx ->
        [none] Admin <code>{ $by }</code> has turned off the alert for its balance.
       *[other] Admin <code>{ $by }</code> has set the alert for its balance to <b>{ $trx } TRX</b>.
    }
operator-told-low = 📉 <b>{ $balance } TRX</b> are left, below the alert of { $mark } TRX.
operator-told-key = ⚠️ Somebody who is no admin, <code>{ $by }</code>, has sent a key of it at { $time }. I deleted the message as far as I could and kept nothing. If you don't know why they have it, replace the key at the service, and <code>RENTAL_API_KEY</code>.
operator-told-used = Admin <code>{ $by }</code>, { $outcome ->
        [done] done
        [failed] the order failed
        [refused] nothing was charged
        [unknown] how it ended isn't known yet
        [likely] probably done
       *[closed] closed by its user without knowing how it ended
    }:
operator-told-price = { $trx ->
        [unknown] Price: not known
       *[other] Price: <b>{ $trx } TRX</b>
    }
operator-told-number = Number: <code>{ $id }</code>
operator-no-price = The service doesn't say just now what this costs, and on the operator's account nothing is bought without a price, since it has a limit for the day. Nothing was bought. Try again later.
