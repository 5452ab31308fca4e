button-movements = ↕️ Movements
movements-title = <b>Movements</b>
movements-note = <i>{ $pages ->
        [one] {""}
       *[several] Movements { $first }–{ $last }, latest first.{" "}
    }Withdrawals include the fee. Purchases made by others or outside this bot are missing.</i>
movements-of-card = <i>≈ is the price on the card.</i>
movements-uncertain = <i>? marks what isn't certain.</i>
movements-gap = <i>The list may not add up to your balance. It lacks: { $missing }.</i>
movements-difference = <i>Your balance is <b>{ AMOUNT($trx) } TRX</b> { $is ->
        [higher] higher
       *[lower] lower
    } than the list since <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time> explains.{ $missing ->
        [none] {""}
       *[other] {" "}It may lack: { $missing }.
    }</i>
movements-missing = { $what ->
        [fees] daily fees of Smart Mode
        [all-fees] fees of Smart Mode
        [refunds] refunds I couldn't see
       *[withdrawal-fees] fees of failed withdrawals, if they came back
    }
movement-deposit = 📥 { $unix ->
        [none] –
       *[other] <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
    } · { $status ->
        [confirmed] +
       *[other] {""}
    }{ AMOUNT($amount) } { $currency }{ $trx ->
        [none] {""}
       *[other] {" "}({ AMOUNT($trx) } TRX)
    } · { $status ->
        [pending] awaiting confirmation
        [confirmed] credited
        [expired] expired, not credited. Ask the service.
       *[other] status <code>{ $status }</code>
    }
movement-about = { $unix ->
        [none] –
       *[other] <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
    }{ $order ->
        [none] {""}
       *[other] {" "}· order { $order }
    }{ $id ->
        [none] {""}
       *[other] {" "}· Ref. <code>{ $id }</code>
    }{ $to ->
        [none] {""}
       *[other] {" "}· { $to }
    }
movement-deposit-of = Deposit{ $sum ->
        [none] {""}
       *[known] {" "}of { AMOUNT($sum) } { $currency }
    }
movement-refund = { $certainty ->
        [reported] Refund
       *[probable] Probable refund
    }
movement-fee = Smart Mode transfer
movement-failed = { $refund ->
        [shared] maybe refunded, see ↩️
        [awaited] no refund seen yet
        [none] no refund seen
       *[unclear] I can't tell if it was refunded
    }
movement-status = { $status ->
        [pending] { $of ->
            [withdrawal] being processed
           *[deposit] awaiting confirmation
        }
        [expired] expired, not credited
        [failed] failed
       *[other] status <code>{ $status }</code>
    }
movement-unknown = { $outcome ->
        [likely] most likely done
       *[unknown] result unknown
    }
movement-either = of { $of ->
        [several] one or more of the orders
       *[one] order
    } { $orders }

## Money that waits
waiting-withdrawal = ⏳ { $by ->
        [other] Someone else's withdrawal
       *[reader] Withdrawal
    } of { AMOUNT($trx) } TRX → { $address }: { $hold ->
        [on] on hold until <tg-time unix="{ $unix }" format="T">{ $at }</tg-time>
       *[over] { $by ->
            [other] not confirmed yet
           *[reader] waits for you to confirm it
        }
    }. Not charged yet.
waiting-unknown = { $outcome ->
        [going] ⏳ Being processed, may already be charged:
        [likely] 🟡 Most likely done and charged:
       *[unknown] ⚠️ Result unknown, may already be charged:
    }
waiting-sending = ⏳ Withdrawal of { AMOUNT($trx) } TRX → { $address }: being processed, already charged.
waiting-deposit = 📥 { $amount ->
        [none] Deposit
       *[known] Deposit of { AMOUNT($amount) } { $currency }
    }: awaiting confirmation, not in the balance yet.
waiting-unread = ⚠️ I can't show all waiting deposits and withdrawals now.
