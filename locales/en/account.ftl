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
    Delivery alerts: { $reports ->
        [none] not available
       *[other] { $reports }
    }

    TRON address (for deposits, use Balance → Deposit):
    <code>{ $address }</code>

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
unlink-reports = If you're the last holder of this account, its delivery alerts stop and its webhook will be empty.
unlink-invoices = ⚠️ <b>Open invoices: { $count }</b>
unlink-invoice = Invoice { $number } · { AMOUNT($price) } TRX
unlink-invoices-more = and { $count } more
unlink-invoices-after = They're no longer checked or payable here; paid ones are still delivered.
unlinked = Account unlinked, API key deleted.
unlinked-operators = Operator account unlinked.
unlinked-invoices = Invoices of account { $account } no longer checked: { $count }
unlink-none = No account is linked.
command-unlink = Unlink the account
button-advanced = 🛠 Advanced
account-advanced =
    <b>🛠 Advanced</b>

    For developers: the account's webhook.
