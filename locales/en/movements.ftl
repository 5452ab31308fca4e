button-movements = ↕️ Movements
movements-title = <b>Movements</b>
movements-none = Nothing yet.
movements-note = <i>Deposits and withdrawals are the account's. Of purchases I know those that you made here.</i>
movement-deposit = 📥 { $when } · +{ $amount } { $currency } · { $status ->
        [pending] waiting to be confirmed
        [confirmed] credited
        [expired] expired
       *[other] { $status }
    }
movement-withdrawal = 📤 { $when } · −{ $amount } TRX (fee { $fee }) to { $to } · { $status ->
        [pending] on its way
        [completed] sent
        [failed] failed and refunded
       *[other] { $status }
    }
movement-order = 🛒 { $when } · paid { $price } TRX
