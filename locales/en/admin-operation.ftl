## One operation, for admins
admin-operation-title = <b>Operation { $id }</b>
admin-operation-whose = User <code>{ $user }</code> · { $payer ->
        [operator] operator account
       *[own] account
    }{ $account ->
        [none] {""}
       *[other] {" "}<code>{ $account }</code>
    }
admin-operation-refused = Refused: <code>{ $code }</code>. The user reads:
admin-operation-balance = Balance before: { AMOUNT($before) } TRX, after: { AMOUNT($after) } TRX
admin-operation-fell = Balance fell by <b>{ AMOUNT($price) } TRX</b>, this order's price
admin-operation-delivery = At the service: { $status ->
        [pending] not reported as delivered yet
        [unseen] never reported as delivered
        [filled] delivered
        [failed] failed
       *[other] status <code>{ $status }</code>
    }
admin-operation-part = Delivered so far: { $delivered }
admin-operation-delivered = Delivery reported: { $time }
admin-operation-unpaid = The service hasn't reported a payment. It reports full payments only.
admin-operation-expires = Expires: { $time }
admin-operation-paid = Paid: { $time }
admin-operation-invoice-delivered = Delivered: { $time }
admin-operation-refund = Refund. The user reads:
admin-operation-confirmed = Confirmed: { $time }
admin-operation-sent = Request sent: { $time }
admin-operation-created = Created: { $time }
admin-operation-ended = Ended: { $time }, { $by ->
        [reply] by the service's reply
        [user] closed by the user
        [unsent] before anything was sent
       *[evidence] by other evidence
    }
admin-operation-decided =
    👤 Decided by admin <code>{ $admin }</code>, { $time }: <b>{ $outcome }</b>
    Reason: <i>{ $reason }</i>
admin-operation-evidence = <b>Evidence</b>
admin-operation-balance-seen = Balance before: { AMOUNT($before) } TRX, last seen: { $after ->
        [none] not yet
       *[other] { AMOUNT($after) } TRX
    }
admin-operation-change = Change: <b>{ $direction ->
        [fell] −
       *[rose] +
    }{ AMOUNT($trx) } TRX</b>{ $by ->
        [price] , exactly the price
       *[other] {""}
    }
admin-operation-others =
    { $deposited ->
        [none] {""}
       *[other] Deposits since: { AMOUNT($deposited) } TRX,{" "}
    }{ $charged ->
        [none] {""}
       *[other] Other purchases since: { AMOUNT($charged) } TRX,{" "}
    }{ $direction ->
        [none] nothing else changed
        [fell] so <b>−{ AMOUNT($trx) } TRX</b> is left
       *[rose] so <b>+{ AMOUNT($trx) } TRX</b> is left
    }{ $by ->
        [price] : exactly the price
       *[other] {""}
    }
admin-operation-reports = Matching orders: { $entries ->
        [none] none reported by the service
       *[other] { $entries }
    }
admin-operation-listed = New at the service for this address: { $entries ->
        [none] nothing
       *[other] { $entries }
    }
admin-operation-checks = Checks: { $count }, last { $last }
admin-operation-next = Next check: { $next }
admin-operation-no-key = ⚠️ The user's API key is gone, so the operation can't be checked any more: decide it.
admin-operation-receipt = Receipt: { $message ->
        [none] no message known
       *[other] message { $message }
    }{ $at ->
        [none] {""}
       *[other] , last shown { $at }
    }
admin-operation-follow-up = News below it: message { $message }, sent { $at }{ $is ->
        [current] {""}
       *[replaced] , outdated
    }
admin-operation-shown = { $state ->
        [shown] ✅ The user was shown this outcome.
        [undelivered] 🚫 Telegram didn't deliver the outcome. The user gets it when they return.
       *[pending] ⏳ The user hasn't been shown the latest state yet.
    }
admin-operation-log = In the log: <code>"operation":"{ $id }"</code>
admin-operation-pay-to = Pay to: <code>{ $address }</code>
admin-operation-cards = Shown in { $count ->
        [one] { $count } chat
       *[other] { $count } chats
    }
admin-operation-opened = Opened by users:
button-operation-user = 👤 User
