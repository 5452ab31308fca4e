command-start = About and menu
command-menu = Open the menu
menu-guest =
    Sending USDT burns TRX unless the sending address has energy.{ $priced ->
        [yes] {""}
       *[no] {" "}Renting energy costs a fraction of that.
    }

    { $invoices ->
        [yes] Pay by invoice from any wallet, or link your account at the rental service.
       *[no] Link your account at the rental service to begin.
    }
menu-title = <b>Energy and bandwidth on TRON</b>
menu-offer = { $amount } energy for 1 h: <b>{ AMOUNT($price) } TRX</b>{ $burn ->
        [none] {""}
       *[other] {" "}instead of { AMOUNT($burn) } (−{ $percent }%)
    }
menu-maintenance = 🚧 <b>Maintenance:</b> you can look around, but nothing new can be started.
menu-account = Account { $account } · { $tail ->
        [operators] operator
       *[other] key { $tail }
    }
menu-balance-current = Balance: <b>{ AMOUNT($balance) } TRX</b>
menu-balance-last = Balance: <b>{ AMOUNT($balance) } TRX</b> ({ $age } ago)
menu-balance = <b>Balance</b>
menu-more = <b>More</b>
menu-continue-over = { $ended ->
        [confirmed] You've already confirmed that purchase: /history.
        [expired] That purchase has expired. Nothing was charged.
       *[cancelled] That purchase was cancelled. Nothing was charged.
    }
menu-idle = I didn't understand that. { talk-next }
button-balance = 💰 Balance
command-balance = Balance, deposits and withdrawals
button-more = ⋯ More
menu-admin = <b>Admin</b>
command-admin = Admin menu
button-admin = 🛠 Admin
