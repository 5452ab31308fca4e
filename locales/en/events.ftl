## Events of the service, for admins
command-events = Events from the service
button-events = 📡 Events
events-title = <b>📡 Events</b> · { $day }, { $which } (UTC)
events-received = ✅ Received: <b>{ $count }</b>
events-recovered = 🔎 Missed, found in the service's log: <b>{ $count }</b>
events-duplicates = ♻️ Duplicates, ignored: <b>{ $count }</b>
events-rejected = ⚠️ Rejected requests: <b>{ $count }</b>

## Reasons
events-rejected-hook = unknown URL
events-rejected-rate = too many per second
events-rejected-size = too large
events-rejected-signature = wrong signature
events-rejected-body = not an event
events-rejected-old = older than 30 days
events-rejected-storage = storage unavailable

## Delays
events-delay = ⏱ { $what ->
        [handled] Handled
       *[sent] Notifications sent
    }: { $half ->
        [none] none{ $what ->
            [handled] {""}
           *[sent] {" "}(receipts and invoice messages aren't counted)
        }
       *[other] half { $half }, nearly all { $most }
    }
events-within = { $seconds ->
        [0] after 300 s
       *[other] within { $seconds } s
    }
events-waiting = ✉️ Chats with unsent notifications: { $chats ->
        [0] none
       *[other] <b>{ $chats }</b>, longest wait { $minutes } min
    }

## One by one
events-latest = <b>Latest events</b>
events-event = { $time } { $how ->
        [logged] 🔎
       *[sent] ✅
    }
events-latest-rejections = <b>Latest rejected requests</b>
events-as-of = <i>As of { $time }.</i>
button-refresh = ↻ Refresh
button-events-today = Today
button-events-yesterday = Yesterday

## The operator account
events-operator = 🔔 Operator account: { $reports ->
        [unknown] the service isn't responding
       *[other] instant alerts <b>{ $reports }</b>
    }
button-events-operator = { $reports ->
        [on] Turn off operator's instant alerts
       *[off] Turn on operator's instant alerts
    }
