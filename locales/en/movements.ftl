button-movements = ↕️ Movements
movements-title = <b>Movements</b>
movements-none = Nothing yet.
movements-note = <i>The latest { $most } at most. Purchases made outside this bot are missing.</i>
movement-deposit = 📥 { $when } · +{ AMOUNT($amount) } { $currency } · { $status ->
        [pending] awaiting confirmation
        [confirmed] credited
        [expired] expired
       *[other] status <code>{ $status }</code>
    }
movement-withdrawal = 📤 { $when } · −{ AMOUNT($amount) } TRX (fee { AMOUNT($fee) }) to { $to } · { $status ->
        [pending] on its way
        [completed] sent
        [failed] failed, refunded
       *[other] status <code>{ $status }</code>
    }
movement-order = 🛒 { $when } · { $price ->
        [none] price unknown
       *[other] { $what ->
            [paid] paid { AMOUNT($price) } TRX
           *[other] paid { AMOUNT($price) } TRX, order failed
        }
    }
