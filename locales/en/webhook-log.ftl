command-webhook-log = Service reports sent so far
button-webhook-log = 📨 Webhook log
webhook-log-title = <b>Webhook log</b>
webhook-log-about = What the service reported about account { $account }, and whether it was received.
webhook-log-order = order { $number }
webhook-log-invoice = invoice { $number }
webhook-log-energy = { $amount } energy
webhook-log-bandwidth = { $amount } bandwidth
webhook-log-received = received, HTTP { $status }
webhook-log-not-received = not received, { $status ->
        [none] no answer
       *[other] HTTP { $status }
    }
webhook-log-attempts = { $attempts ->
        [0] not sent yet
        [one] { $attempts } attempt
       *[other] { $many ->
            [yes] more than { $attempts } attempts
           *[no] { $attempts } attempts
        }
    }
webhook-log-none = Nothing was sent yet. Entries appear once service reports are on and something happens at the account.
webhook-log-latest = <i>The latest { $most }.</i>
webhook-log-pick = Tap a number to see what was sent.
webhook-log-goes = { $goes ->
        [here] Service reports come to this bot now.
        [elsewhere] Service reports of this account aren't turned on here. What is listed went wherever the account has them sent.
       *[nowhere] This bot has no public address, so it can't receive service reports.
    }
webhook-log-payload = <code>{ $payload }</code>{ $more ->
        [0] {""}
        [one] 
            … and one line more
       *[other] 
            … and { $more } lines more
    }
webhook-log-gone = The service lists this report no more.
