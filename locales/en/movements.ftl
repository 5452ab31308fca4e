button-movements = ↕️ Movements
movements-title = <b>Movements</b>
movements-note = <i>Up to { $most } movements, in TRX unless noted, dates in UTC. Withdrawals include the fee. Refunds of failed orders and purchases made outside this bot are missing.</i>
movement-deposit = 📥 { $when } · +{ AMOUNT($amount) } { $currency } · { $status ->
        [pending] awaiting confirmation
        [confirmed] credited
        [expired] expired
       *[other] status <code>{ $status }</code>
    }
movement-deposit-short = { $currency ->
        [TRX] Deposit
       *[other] { $currency } deposit
    }
movement-status = { $number }: status <code>{ $status }</code>
