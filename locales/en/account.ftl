command-account = Your account
button-account = 👤 Account
account-card =
    <b>Account { $account }</b>
    <code>{ $email }</code>
    Balance: <b>{ $balance } TRX</b>
    Key: { $tail ->
        [operators] the operator's, from the configuration
       *[other] { $tail }
    }
    Two-factor codes: { $totp ->
        [on] on
       *[off] off
    }
    Service reports: { $reports ->
        [on] on
        [off] off
       *[none] not offered by this bot
    }

    Its own address on TRON (to deposit, use Balance → Deposit):
    <code>{ $address }</code>

## Unlinking it
button-unlink = Unlink account
button-unlink-yes = Yes, unlink
unlink-ask =
    { $tail ->
        [operators] <b>Unlink the operator's account?</b>

            What you have bought stays as it is. You can link it again at any time.
       *[other] <b>Unlink the account with key { $tail }?</b>

            I forget the key. What you have bought stays as it is. If you no longer use the key, replace it at the service to be safe.
    }
unlink-reports = Service reports are on. If nobody else has linked this account, I turn them off at the service: they then go nowhere until you set another place there.
unlink-invoices = ⚠️ <b>Invoices of { $about ->
        [unlink] this account
       *[replace] the account that is linked now
    } that aren't settled yet: { $count }</b>
unlink-invoice = Invoice { $number } · { $price } TRX
unlink-invoices-more = and { $count } more
unlink-invoices-after = { $about ->
        [unlink] Once it is unlinked
       *[replace] If you link another
    }, I can't check them any more: their cards and pages then say so, and no longer where to pay. What is paid the service delivers all the same.
unlinked = The account is unlinked, and I have forgotten its key.
unlinked-operators = The operator's account is unlinked.
unlinked-invoices = I no longer check { $count ->
        [one] one invoice
       *[other] { $count } invoices
    } of account { $account }: the cards and pages say so.
unlink-none = No account is linked.
