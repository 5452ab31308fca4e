button-movements = ↕️ Movements
movements-title = <b>Movements</b>
movements-none = Nothing yet.
movements-note = <i>The latest { $most } at most. Purchases made outside this bot are missing.</i>
movement-deposit = 📥 { $when } · +{ $amount } { $currency } · { $status ->
        [pending] awaiting confirmation
        [confirmed] credited
        [expired] expired
       *[other] status <code>{ $status }</code>
    }
movement-withdrawal = 📤 { $when } · −{ $amount } TRX (fee { $fee }) to { $to } · { $status ->
        [pending] on its way
        [completed] sent
        [failed] failed, refunded
       *[other] status <code>{ $status }</code>
    }
movement-order = 🛒 { $when } · { $price ->
        [none] price unknown
       *[other] { $what ->
            [paid] paid { $price } TRX
           *[other] paid { $price } TRX, order failed
        }
    }
