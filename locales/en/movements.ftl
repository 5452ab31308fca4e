button-movements = ↕️ Movements
movements-title = <b>Movements</b>
movements-note = <i>Up to { $most } movements, in TRX, times in UTC. Withdrawals include the fee. Purchases made outside this bot are missing.</i>
movements-of-card = <i>≈ is the price on the card.</i>
movements-uncertain = <i>? marks what isn't certain.</i>
movements-gap = <i>The list may not add up to your balance. It lacks: { $missing }.</i>
movements-missing = { $what ->
        [fees] daily fees of Smart Mode
        [all-fees] fees of Smart Mode
        [refunds] refunds I couldn't see
       *[withdrawal-fees] fees of failed withdrawals, if they came back
    }
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
movement-unknown = { $outcome ->
        [likely] most likely done
       *[unknown] result unknown
    }
movement-either = of { $of ->
        [several] one or more of the orders
       *[one] order
    } { $orders }

## Money that waits
waiting-withdrawal = ⏳ Withdrawal of { AMOUNT($trx) } TRX → { $address }: { $hold ->
        [on] on hold until <tg-time unix="{ $unix }" format="T">{ $at }</tg-time>
       *[over] waits for you to confirm it
    }. Not charged yet.
waiting-deposit = 📥 { $amount ->
        [none] Deposit
       *[known] Deposit of { AMOUNT($amount) } { $currency }
    }: awaiting confirmation, not in the balance yet.
waiting-unread = ⚠️ I can't show all waiting deposits and withdrawals now.
