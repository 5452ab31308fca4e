command-history = Purchases, withdrawals and invoices
button-history = 🕘 History
history-title = <b>History</b>
history-row = <b>{ $number }.</b> { $what }{ $hours ->
        [none] {""}
       *[other] {" "}· { $hours } h
    }{ $trx ->
        [none] {""}
       *[other] {" "}· <b>{ $price ->
            [card] ≈{" "}
           *[charged] {""}
        }{ AMOUNT($trx) } TRX</b>
    }
history-row-about = <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>{ $maker ->
        [invoice] {" "}· invoice { $order }
        [ref] {" "}· Ref. <code>{ $order }</code>
       *[order] {" "}· order { $order }
    } · { $to }{ $note ->
        [reported] {" "}· refunded
        [probable] {" "}· probably refunded
        [uncharged] {" "}· not charged
        [given-back] {" "}· the service returns it
        [on-its-way] {" "}· on its way
        [processing] {" "}· being processed
        [unseen] {" "}· arrival not seen
        [likely] {" "}· most likely done
        [unknown] {" "}· result unknown
        [refund-awaited] {" "}· no refund seen yet
        [refund-none] {" "}· no refund seen
        [refund-unclear] {" "}· refund unclear
        [refund-shared] {" "}· money came back for this or another order
       *[none] {""}
    }{ $account ->
        [same] {""}
        [none] {" "}· as a guest
       *[other] {" "}· account { $account }
    }
history-open = Tap a number for its receipt.
history-left = Link account { $account } again to see how this ends. Until then I can't tell.
history-spent = { $count ->
        [0] <b>Nothing spent today</b>
       *[other] Spent today: <b>{ AMOUNT($trx) } TRX</b>{ $partial ->
            [yes] {" "}or more
           *[no] {""}
        }
    } (since 00:00 UTC, purchases made here from your balance). Fees of Smart Mode aren't included.
history-empty = Nothing here yet.
history-unreadable = ⚠️ Unreadable entries: { $count }. Check your history at the service.
history-none-found = Nothing found for <code>{ $search }</code>. After /history, send an order number, a reference or an address.
history-none-of-kind = None of these yet.
button-older = Older ›
button-newest = « Newest
history-further = No matches here. Tap <i>{ button-older }</i>.
