button-movements = ↕️ Movements
movements-title = <b>Movements</b>
movements-note = <i>Up to { $most } movements, in TRX, times in UTC. Withdrawals include the fee. Purchases made outside this bot are missing.</i>
movements-gap = <i>The list may not add up to your balance: { $missing ->
        [fees] daily fees of Smart Mode are missing
        [refunds] refunds I couldn't see are missing
       *[both] daily fees of Smart Mode and refunds I couldn't see are missing
    }.</i>
movements-fee-gap = <i>I can't see if the fee of a failed withdrawal came back, so the list may not add up to your balance.</i>
movement-deposit = 📥 { $unix ->
        [none] –
       *[other] <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
    } · +{ AMOUNT($amount) } { $currency }{ $trx ->
        [none] {""}
       *[other] {" "}({ AMOUNT($trx) } TRX)
    } · { $status ->
        [pending] awaiting confirmation
        [confirmed] credited
        [expired] expired
       *[other] status <code>{ $status }</code>
    }
movement-deposit-long = { $currency ->
        [TRX] Deposit
       *[other] { $amount ->
            [none] {""}
           *[known] { $amount }{" "}
        }{ $currency } deposit
    }
movement-deposit-short = { $currency ->
        [TRX] Deposit
       *[other] { $amount ->
            [none] {""}
           *[known] { $amount }{" "}
        }{ $currency }
    }
movement-refund = { $certainty ->
        [reported] Refund
        [short] Refund?
       *[probable] Probable refund
    }
movement-fee = { $length ->
        [short] Smart fee
       *[long] Smart Mode transfer
    }
movement-failed = { $refund ->
        [shared] maybe refunded, see ↩️
        [awaited] no refund seen yet
        [none] no refund seen
       *[unclear] I can't tell if it was refunded
    }
movement-status = status <code>{ $status }</code>
movement-unknown = result unknown
movement-either = of order { $orders }
