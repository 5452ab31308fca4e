## Events of the service, for admins
command-events = Events from the service
button-events = 📡 Events
events-title = <b>📡 Events</b> · { $day }, { $which ->
        [today] today
       *[yesterday] yesterday
    } (UTC)
events-taken = ✅ Received: <b>{ $count }</b>
events-missed = 🔎 Missed, found in the service's log: <b>{ $count }</b>
events-copies = 🔁 Duplicates, ignored: <b>{ $count }</b>
events-refused = ⚠️ Rejected requests: <b>{ $count }</b>

## Reasons
events-refused-hook = unknown URL
events-refused-rate = too many per second
events-refused-size = too large
events-refused-signature = wrong signature
events-refused-body = not an event
events-refused-old = older than 30 days
events-refused-storage = storage unavailable

## Delays
events-delay = ⏱ { $what ->
        [handled] Handled
       *[sent] Notifications then sent
    }: { $half ->
        [none] none
       *[other] half { $half }, nearly all { $most }
    }
events-within = { $ms ->
        [100] within 0.1 s
        [500] within 0.5 s
        [1000] within 1 s
        [5000] within 5 s
        [30000] within 30 s
        [300000] within 5 min
       *[other] after 5 min
    }
events-waiting = 📤 Chats with unsent notifications: { $chats ->
        [0] none
       *[other] <b>{ $chats }</b>, the oldest { $minutes } min
    }

## One by one
events-latest = <b>Latest events</b>
events-event = { $time } { $how ->
        [logged] 🔎
       *[sent] ✅
    }
events-account = account { $account }
events-latest-refusals = <b>Latest rejected requests</b>
events-as-of = <i>As of { $time } UTC.</i>
button-refresh = ↻ Refresh
button-events-today = Today
button-events-yesterday = Yesterday

## The operator account
events-operator = 📥 Operator account: { $reports ->
        [on] alerts <b>on</b>
        [off] alerts <b>off</b>
       *[unknown] the service isn't answering
    }
button-events-operator = { $reports ->
        [on] Turn off operator's alerts
       *[off] Turn on operator's alerts
    }
