button-movements = ↕️ Movements
movements-title = <b>Movements</b>
movements-note = <i>Up to { $most } movements, in TRX unless noted, dates in UTC. Withdrawals include the fee. Refunds are listed if I have seen them. Purchases made outside this bot are missing.</i>
movement-deposit = 📥 { $when } · +{ AMOUNT($amount) } { $currency }{ $trx ->
        [none] {""}
       *[other] {" "}({ AMOUNT($trx) } TRX)
    } · { $status ->
        [pending] awaiting confirmation
        [confirmed] credited
        [expired] expired
       *[other] status <code>{ $status }</code>
    }
movement-deposit-short = { $currency ->
        [TRX] Deposit
       *[other] { $currency } deposit
    }
movement-refund = { $certainty ->
        [reported] Refund
       *[probable] Probable refund
    }
movement-status = status <code>{ $status }</code>
movement-unknown = result unknown
movement-either = { $orders ->
        [none] of one of several orders
       *[other] of order { $orders }
    }
