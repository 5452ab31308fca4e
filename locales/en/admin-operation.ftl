## One operation, for admins
admin-operation-refused = Refused: <code>{ $code }</code>. The user reads:
admin-operation-balance = Balance before: { AMOUNT($before) } TRX, after: { AMOUNT($after) } TRX
admin-operation-delivery = At the service: { $status ->
        [pending] not reported as delivered yet
        [filled] delivered
        [failed] failed
       *[other] status <code>{ $status }</code>
    }
admin-operation-part = Delivered so far: { $delivered }
admin-operation-delivered = Delivery reported: { $time } (UTC)
admin-operation-ended = Ended: { $time } (UTC), { $by ->
        [reply] by the service's reply
        [user] closed by the user
        [unsent] before anything was sent
       *[evidence] by other evidence
    }
admin-operation-messages = Receipt: { $receipt ->
        [none] no message known
       *[other] message { $receipt }
    }{ $reply ->
        [none] {""}
       *[other] , later news: message { $reply }
    }
admin-operation-shown = { $state ->
        [shown] ✅ The user was shown this outcome.
        [undelivered] 🚫 Telegram didn't deliver the outcome. The user gets it when they return.
       *[pending] ⏳ The user hasn't been shown the latest state yet.
    }
button-operation-user = 👤 User
