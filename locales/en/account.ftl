command-account = Your account
button-account = 👤 Account
account-card =
    <b>Account { $account }</b>
    <code>{ $email }</code>
    Balance: <b>{ AMOUNT($balance) } TRX</b>
    API key: { $tail ->
        [operators] the operator's
       *[other] { $tail }
    }
    2FA: { $totp }
    Instant alerts: { $reports ->
        [none] not available
       *[other] { $reports }
    }

    To deposit: <i>{ button-balance } → { button-deposit }</i>
button-other-key = 🔑 Use another key

## Unlinking it
button-unlink = Unlink account
button-unlink-yes = Yes, unlink
unlink-ask =
    { $tail ->
        [operators] <b>Unlink the operator account?</b>

            Purchases stay.
       *[other] <b>Unlink the account with key { $tail }?</b>

            Purchases stay; the key is deleted here.
    }
unlink-invoices = ⚠️ <b>Invoices I'd stop watching: { $count }</b>
unlink-invoice = Invoice { $number } · { AMOUNT($trx) } TRX or { AMOUNT($usdt) } USDT
unlink-invoices-after = Open ones can't be paid here any more. Paid ones are still delivered. Late payments aren't reported here.
unlinked = Account unlinked, API key deleted.
unlinked-seller = Seller mode is off until you link this account again.
link-seller-again = Seller mode is on again: a pasted address makes an invoice.
unlinked-operators = Operator account unlinked.
unlinked-invoices = Invoices of account { $account } that can't be paid here any more: { $count }
unlink-none = No account is linked.
command-unlink = Unlink the account
button-advanced = 🧩 For developers
account-advanced =
    <b>🧩 For developers</b>

    The account's webhook.

## What ends or goes on without the account
leaving-draft = ✖️ Your open card is cancelled too.
leaving-operations = ⚠️ <b>Some purchases or withdrawals aren't finished.</b> { $reader ->
        [admin] Without the user's key, I can't find out their results.
       *[user] Without your key I can't tell you their results. Wait for them first.
    }
leaving-refunds = ⚠️ <b>Some refunds are still being checked.</b> { $reader ->
        [admin] Without the user's key, I can't see them.
       *[user] Without your key I can't see if they arrive.
    }
leaving-holds = ⚠️ <b>Withdrawals are waiting.</b> Without the key, nobody can confirm them here.
leaving-reminders = ⚠️ <b>These expiry reminders won't come:</b>
leaving-settings = Your notification settings are reset: no more alert below { AMOUNT($trx) } TRX.
leaving-subscriptions = ⚠️ <b>Smart Mode keeps running and charging.</b> { $reader ->
        [suspending] The user can still pause or end it here.
        [admin] Without the user's key, nobody can pause or end it here.
       *[user] Pause or end it first: without your key I can't.
    }
leaving-subscriptions-paused = Smart Mode that charges nothing while paused:
leaving-subscription = • <code>{ $what }</code>: { $status }
leaving-subscriptions-unknown = ⚠️ <b>Smart Mode may be on.</b> If so, it keeps running and charging.
leaving-reports = { $reader ->
        [admin] If nobody else linked this account, its instant alerts stop.
       *[user] If you're the only one who linked this account, its instant alerts stop.
    }
