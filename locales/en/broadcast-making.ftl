## Overview of broadcasts, for admins
command-broadcast = Send a broadcast
button-broadcast = 📣 Broadcast
broadcasts-title = <b>📣 Broadcasts</b>
broadcasts-scheduled = <b>Scheduled</b>
broadcasts-scheduled-one = <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time> · { $audience }
broadcasts-ended = <b>Recent</b>
broadcasts-ended-one = <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time> · { $audience } · { $state ->
        [stopped] stopped, { $sent } of { $total } sent
        [missed] missed, not sent
       *[done] { $sent } of { $total } sent
    }
broadcasts-cancelled-one = planned for <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time> · { $audience } · cancelled, sent to nobody
broadcasts-stop-ask = { $state ->
        [scheduled] Cancel this broadcast?
       *[begun] Stop for good? Anyone not reached yet won't get it.
    }
toast-broadcast-ended = This broadcast was stopped or has ended already.
broadcasts-messages = ⬆️ { $state ->
        [draft] Your draft, as it will be sent
        [scheduled] As it will be sent
       *[other] As sent
    }{ $own ->
        [none] {""}
       *[other] : to all, then { $own }
    }
broadcasts-messages-failed = ⚠️ Telegram couldn't copy it: <code>{ $reason }</code>
button-broadcasts-new = ✏️ New broadcast
button-broadcasts-continue = ▶️ Continue the draft
button-broadcasts-cancel = ✕ Cancel { $number }
button-broadcasts-show = 📄 Show { $number }
button-broadcasts-stop-yes = { $state ->
        [scheduled] ✕ Yes, cancel
       *[begun] ⏹ Yes, stop
    }
button-broadcasts-stop-no = { $state ->
        [scheduled] ‹ Keep
       *[begun] ‹ Don't stop
    }

## The message and its buttons
making-message = Send or forward the { $version ->
        [default] message
       *[other] message in { $language }
    }: text, photo, video, animation or file.
problem-making-message = Send a text, photo, video, animation or file.
problem-making-album = Send one picture, video or file, not an album.
making-buttons = Buttons below it? Tap those that lead into the bot. Send others one per line, { $most } in all:
    <code>Label - https://example.com/page</code>
    <code>Label - { $payload }</code> opens <code>?start={ $payload }</code>. A small number means transfers: <code>buy-2-24h</code>.
problem-making-buttons = { $why ->
        [form] I can't read this line: <code>{ $line }</code>
        [label] Label empty or too long: <code>{ $line }</code>
        [address] Only https:// without a password: <code>{ $line }</code>
        [link] No such link into the bot: <code>{ $line }</code>. Links: <code>{ $links }</code>.
        [order] Nobody can order this: <code>{ $line }</code>
        [many] Too many lines.
       *[none] No lines found.
    }
    Send up to { $most } lines like <code>Label - https://example.com/page</code>: label up to { $length } characters.
button-making-same = As on main message ({ $count })
button-making-none = No buttons
button-making-picked = ✅ Continue with { $count ->
        [one] { $count } button
       *[other] { $count } buttons
    }
making-refused = Telegram rejected this: <code>{ $reason }</code>. Change the buttons or the message.

## Languages
making-contents = { $version ->
        [default] ⬆️ Users get exactly the main message shown above, with the bot's own buttons in their language. Speakers of a language can get another one. Don't delete your message above until sending ends.
       *[other] ⬆️ Only { $language } speakers get exactly this message. Don't delete your messages above until sending ends.
    }
making-language = { $language ->
        [ru] Russian
        [en] English
       *[default] main message
    }
making-version = { $language }: { $own ->
        [yes] <b>separate message</b>
       *[no] the main message
    }
button-making-next = Choose audience ›
button-making-add = ➕ Add { $language }
button-making-replace = ✏️ Replace { $language }
button-making-drop = ✕ Remove { $language }

## Audience
making-audience-ask = Choose an audience, or send a number of days for recent users. Opted-out, suspended and unreachable users are skipped.
making-audience = { $who ->
        [en] English speakers
        [ru] Russian speakers
        [holders] Account holders
        [guests] Guests
        [merchants] Sellers
        [active] Active in { $days } days
        [me] 🧪 Only me (test)
       *[everybody] Everyone
    }
problem-making-audience = Send a number of days from 1 to { $max }, or tap a button.

## Time
making-time = When? It's { $at } UTC now. Tap, or send a UTC time within 30 days: <code>YYYY-MM-DD HH:MM</code>.
button-making-now = Now
button-making-1h = In 1 hour
button-making-3h = In 3 hours
button-making-tomorrow = Same time tomorrow
problem-making-time = Send a UTC time within 30 days, like <code>{ $example }</code>. It's { $now } UTC now.
making-time-dateless = The date is missing.
making-time-over = That time has passed. Choose another.

## Card
making-outdated = ⚠️ Nothing was sent: the card was out of date.
making-card = <b>📣 Review and send</b>
making-to = Audience: <b>{ $audience }</b>
making-count = Users: <b>{ $count }</b>
making-messages = Messages: { $own ->
        [none] one for all languages
       *[other] { $own } its own, others the main one
    }
making-buttons-each = Buttons: { $others ->
        [none] { $main }
       *[other] main message { $main }, { $others }
    }
making-when = Time: <b><tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time></b>
making-when-now = Time: <b>now</b>
making-duration = Duration: about { $number } { $unit ->
        [hours] h
       *[minutes] min
    }
making-late = If it can't start within an hour of this time, it won't be sent.
making-final = { $start ->
        [later] You can cancel it until it starts. After that, it can't be undone.
       *[now] A broadcast can't be undone.
    }
making-send = To send, type the number of users: <b>{ $count }</b>.
button-making-schedule = 📣 Schedule
button-making-send = 📣 Send to { $count }
making-uncounted = { $why ->
        [late] ⏳ Still counting. Nothing was sent.
        [failed] ⚠️ The audience can't be read. Nothing was sent.
       *[empty] This audience is empty. Choose another.
    }
toast-making-uncounted = No change yet.
button-making-elsewhere = ‹ Change audience
making-busy = Another broadcast is running or paused. Nothing was sent. Try later: /broadcast
making-started = ✅ Sending started.
making-scheduled = ✅ Scheduled.
making-tested = 🧪 Your test is on its way, in all its versions. Only you get it.
making-gone = This draft has expired or was replaced. Start again: /broadcast
