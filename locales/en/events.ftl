## What admins see of the service's events
command-events = Events of the service that came in
button-events = 📡 Events
events-title = <b>📡 Events</b> · { $day }, { $which ->
        [today] today
       *[yesterday] yesterday
    } (UTC)
events-taken = ✅ New events that the service sent: <b>{ $count }</b>
events-missed = 🔎 Events that never arrived, but stood in its log: <b>{ $count }</b>
events-copies = 🔁 Events sent once more, and left alone: <b>{ $count }</b>
events-refused = ⚠️ Requests refused, from anybody: <b>{ $count }</b>

## Why
events-refused-hook = to an address that no account has
events-refused-rate = too many within one second
events-refused-size = too long for an event
events-refused-signature = not signed by the service
events-refused-body = signed, but no event
events-refused-old = of more than 30 days ago
events-refused-storage = while my storage was away

## How long it took
events-handled = ⏱ Events worked through after they came: { $says ->
        [both] half { $half }, nearly all { $most }
        [most] nearly all { $most }
       *[nothing] nothing yet
    }
events-told = ⏱ Notices sent to people after that: { $says ->
        [both] half { $half }, nearly all { $most }
        [most] nearly all { $most }
       *[nothing] nothing yet
    }
events-within = { $ms ->
        [100] within 0.1 s
        [500] within 0.5 s
        [1000] within 1 s
        [5000] within 5 s
        [30000] within 30 s
        [300000] within 5 min
       *[other] in more than 5 min
    }
events-waiting = 📤 Chats to which notices are still to be sent: { $chats ->
        [0] none
       *[other] <b>{ $more ->
            [yes] more than { $chats }
           *[no] { $chats }
        }</b>, the oldest of them { $minutes ->
            [0] for less than a minute
           *[other] for { $minutes } min
        }
    }

## One by one
events-latest = <b>Latest events</b>
events-event = { $time } { $how ->
        [logged] 🔎
       *[sent] ✅
    }
events-account = account { $account }
events-latest-refusals = <b>Latest refused requests</b>
events-as-of = <i>As of { $time }.</i>
button-refresh = ↻ Refresh
button-events-today = Today
button-events-yesterday = Yesterday

## The operator's account
events-operator = { $reports ->
        [on] 📥 Service reports of the operator's account { $account }: <b>on</b>
        [off] 📥 Service reports of the operator's account { $account }: <b>off</b>
       *[unknown] 📥 The rental service doesn't tell just now which account is the operator's.
    }
button-events-operator = { $reports ->
        [on] Turn off the operator's service reports
       *[off] Turn on the operator's service reports
    }
