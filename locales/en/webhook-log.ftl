command-webhook-log = What the service reported
button-webhook-log = 📨 Webhook log
webhook-log-title = <b>Webhook log</b>
webhook-log-about = What the rental service sent about account { $account }, wherever that went, and how it was answered.
webhook-log-entry = { $taken ->
        [yes] 📬
       *[no] ⚠️
    } <code>{ $event }</code> · { $status ->
        [none] no answer
       *[other] HTTP { $status }
    }
    { $attempts ->
        [0] not sent yet
        [one] { $attempts } attempt
       *[other] { $many ->
            [yes] more than { $attempts } attempts
           *[no] { $attempts } attempts
        }
    } · { $when }
webhook-log-none = Nothing was sent yet. It begins once an address for notifications is set and something happens at the account.
webhook-log-latest = <i>The latest { $most }.</i>
webhook-log-goes = { $goes ->
        [here] It is sent to this bot now.
        [elsewhere] It isn't sent to this bot. An account's notifications go to one place only.
       *[nowhere] This bot has no public address, so it can't receive this.
    }
button-webhook-here = 📥 Send here
button-webhook-stop = ⏹ Stop sending here
