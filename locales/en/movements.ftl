button-movements = ↕️ Movements
movements-title = <b>Movements</b>
movements-none = Nothing yet.
movements-note = <i>The latest { $most } at most. Deposits and withdrawals are the account's; of purchases I know those that you made here.</i>
movement-deposit = 📥 { $when } · +{ $amount } { $currency } · { $status ->
        [pending] waiting to be confirmed
        [confirmed] credited
        [expired] expired
       *[other] status <code>{ $status }</code>
    }
movement-withdrawal = 📤 { $when } · −{ $amount } TRX (fee { $fee }) to { $to } · { $status ->
        [pending] on its way
        [completed] sent
        [failed] failed and refunded
       *[other] status <code>{ $status }</code>
    }
movement-order = 🛒 { $when } · { $price ->
        [none] price not named
       *[other] { $what ->
            [paid] paid { $price } TRX
           *[other] order failed, { $price } TRX had been paid
        }
    }
