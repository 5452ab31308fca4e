## What admins see of the service's events
button-events = 📡 Events
events-title = <b>📡 Events</b> · { $day }, { $which ->
        [today] today
       *[yesterday] yesterday
    } (UTC)
events-taken = ✅ Taken: <b>{ $count }</b>
events-missed = 🔎 Didn't arrive, found in the service's log: <b>{ $count }</b>
events-copies = 🔁 Copies: <b>{ $count }</b>
events-refused = ⚠️ Refused: <b>{ $count }</b>

## Why
events-refused-hook = for an address that nobody has
events-refused-rate = too many in one second
events-refused-size = too long
events-refused-signature = wrong signature, or none
events-refused-body = not an event
events-refused-old = older than 30 days
events-refused-storage = my storage was away

## How long it took
events-handled = ⏱ Arrived → handled: { $says ->
        [both] half { $half }, nearly all { $most }
        [most] nearly all { $most }
       *[nothing] nothing yet
    }
events-told = ⏱ Handled → told: { $says ->
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
events-waiting = 📤 Waiting to be told: { $chats ->
        [0] nobody
       *[other] <b>{ $more ->
            [yes] more than { $chats } chats
           *[no] { $chats ->
                [one] { $chats } chat
               *[other] { $chats } chats
            }
        }</b>, the longest { $minutes ->
            [0] for less than a minute
           *[other] for { $minutes } min
        }
    }

## One by one
events-latest = <b>Latest events</b>
events-event = { $time } { $how ->
        [logged] 🔎
       *[sent] ✅
    } <code>{ $type }</code> · #{ $account }
events-latest-refusals = <b>Latest refusals</b>
events-as-of = <i>As of { $time }.</i>
button-refresh = ↻ Refresh
button-events-today = Today
button-events-yesterday = Yesterday

## The operator's account
events-operator = { $reports ->
        [on] 📥 The operator's account { $account } reports here.
        [off] 📥 The operator's account { $account } doesn't report here.
       *[unknown] 📥 The rental service doesn't tell just now which account is the operator's.
    }
button-events-operator = { $reports ->
        [on] ⏹ Stop the operator's reports
       *[off] 📥 Let the operator's account report here
    }
