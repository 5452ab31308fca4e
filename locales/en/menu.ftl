command-start = What I do, and the menu
command-menu = Open the menu
menu-guest =
    <b>Energy and bandwidth on TRON</b>

    Sending USDT burns TRX unless the sending address has energy. Here you rent energy for an hour or a day and pay a fraction of that.

    { $invoices ->
        [yes] Buy energy by an invoice, paid straight from any wallet, or link your account at the rental service and pay from its balance.
       *[no] You pay from your account at the rental service. Link it to begin.
    }
menu-title = <b>Energy and bandwidth on TRON</b>
menu-account = Account { $account } · { $tail ->
        [operators] the operator's
       *[other] key { $tail }
    }
menu-has = Balance: <b>{ $balance } TRX</b>
menu-linked = What would you like to do?
menu-balance = <b>Balance</b>
menu-more = <b>More</b>
menu-idle = I didn't understand that. Here is what I can do:
button-balance = 💰 Balance
button-more = ⋯ More
menu-admin = <b>Admin</b>
command-admin = What admins have
button-admin = 🛠 Admin
