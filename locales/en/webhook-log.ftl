command-webhook-log = What the service sent
button-webhook-log = 📨 Webhook log
webhook-log-title = <b>Webhook log</b>
webhook-log-order = order { $number }
webhook-log-invoice = invoice { $number }
webhook-log-received = received, HTTP { $status }
webhook-log-not-received = not received, { $status ->
        [none] no answer
       *[other] HTTP { $status }
    }
webhook-log-attempts = { $attempts ->
        [0] not sent yet
        [one] { $attempts } attempt
       *[other] { $attempts } attempts
    }
webhook-log-none = Nothing sent yet.
webhook-log-pick = Tap a number for details.
webhook-log-goes = { $goes ->
        [here] Instant alerts come to this bot.
        [elsewhere] Instant alerts are off here. These went to the account's own webhook.
       *[nowhere] This bot has no public address for instant alerts.
    }
webhook-log-payload = <code>{ $payload }</code>{ $more ->
        [0] {""}
       *[other] 
            … lines left out: { $more }
    }
webhook-log-gone = No longer in the service's log.
