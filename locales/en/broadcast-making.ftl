## How an admin makes a broadcast, and what there is of them
command-broadcast = Write to everybody
button-broadcast = 📣 Broadcast
broadcasts-title = <b>📣 Broadcasts</b>
broadcasts-about = What you send here goes to many people, as a message of this bot.
broadcasts-scheduled = <b>Not begun yet</b>
broadcasts-scheduled-one = { $when } · { $audience }
broadcasts-more = … and { $count } more, later
broadcasts-ended = <b>Ended last</b>
broadcasts-ended-one = { $when } · { $audience } · { $state ->
        [stopped] stopped: { $sent } of { $total } got it
        [missed] not sent: it would have been more than an hour late
       *[done] { $sent } of { $total } got it
    }
broadcasts-stop-ask = { $state ->
        [scheduled] Cancel this broadcast? It is sent to nobody then.
       *[begun] Stop this broadcast? Whoever hasn't got it yet won't get it, and it can't go on afterwards. To hold it up for a while, pause it.
    }
broadcasts-messages = { $own ->
        [none] ⬆️ This is the message that people get.
       *[other] ⬆️ These are the messages that people get. The first is for languages without their own message, then { $own }.
    }
broadcasts-messages-failed = ⚠️ Telegram couldn't copy the message: <code>{ $reason }</code>
button-broadcasts-new = ✏️ New broadcast
button-broadcasts-cancel = ✖️ Cancel: { $when }
button-broadcasts-show = 📄 Show: { $when }
button-broadcasts-stop-yes = ⏹ End it
button-broadcasts-stop-no = ‹ Leave it

## The message and its buttons
making-message = { $language ->
        [en] Send me the message for those who read English. Its buttons come next.
        [ru] Send me the message for those who read Russian. Its buttons come next.
       *[default] Send me the message that people are to get: a text, a photo, a video, an animation or a file, formatted as you like. You can forward one too. Its buttons come next.
    }
problem-making-message = That can't be sent to many. Expected: a text, a photo, a video, an animation or a file, with words below it or without.
problem-making-album = An album can't be sent to many: its parts would come apart. Expected: one message, with one picture, video or file at most.
making-buttons = Which buttons stand below it? Write a line for each, up to { $most }:
    <code>Label - https://example.com/page</code>
problem-making-buttons = { $why ->
        [form] I don't understand this line: <code>{ $line }</code>
        [label] The label in this line is empty or too long: <code>{ $line }</code>
        [address] This line has no address that I can take: <code>{ $line }</code>
        [many] These are too many lines.
       *[none] I see no line in that.
    }
    Expected: up to { $most } lines like <code>Label - https://example.com/page</code>, with a label of 1 to { $length } characters and an address that begins with https:// and holds no password. Write all of them again, or tap None.
button-making-none = None
making-refused = Telegram doesn't take this message with these buttons: <code>{ $reason }</code>. Write the buttons again, or go back and send another message.

## In which languages
making-contents = The message above is what people get: it was really sent, and copies of it will be. Leave it where it is until all is sent.
making-language = { $language ->
        [ru] Russian
       *[en] English
    }: { $own ->
        [yes] <b>a message of its own</b>
       *[no] the first message
    }
button-making-next = Next: who gets it ›
button-making-add = { $language ->
        [ru] ➕ Add it in Russian
       *[en] ➕ Add it in English
    }
button-making-replace = { $language ->
        [ru] ✏️ Replace the Russian one
        [en] ✏️ Replace the English one
       *[default] ✏️ Replace the first message
    }
button-making-drop = { $language ->
        [ru] ✖️ Remove the Russian one
       *[en] ✖️ Remove the English one
    }

## To whom
making-whom = Who gets it? Tap, or write a number of days: then it is for all who were here within them. Who has opted out, was shut out or has blocked the bot is never among them. <i>Who sells</i> is who says so in their settings, or has made an invoice for somebody else.
making-audience = { $who ->
        [en] Who reads English
        [ru] Who reads Russian
        [holders] Account holders
        [guests] Guests
        [merchants] Who sells
        [active] { $days ->
            [one] Active today
           *[other] Active in the last { $days } days
        }
        [me] 🧪 A test to me alone
       *[everybody] Everybody
    }
button-making-days = Active { $days } days
problem-making-whom = Tap one of the buttons, or write a whole number of days from 1 to { $max }, like 14.

## When
making-time = When? Tap, or write a time in UTC as <code>YYYY-MM-DD HH:MM</code>, at most 30 days from now. Now it is { $now } UTC. If it would begin more than an hour late, it isn't sent at all.
button-making-now = Now
button-making-1h = In 1 hour
button-making-3h = In 3 hours
button-making-tomorrow = Tomorrow at this time
problem-making-time = { $why ->
        [past] That time has passed.
        [far] That is more than 30 days from now.
       *[form] I see no time in that.
    } Now it is { $now } UTC. Expected: a time in UTC like <code>{ $example }</code>, at most 30 days from now, or a tap on a button.
making-time-over = The time at which it was to begin has passed. Choose another.

## The card
making-anew = { $why ->
        [changed] ⚠️ What would be sent has changed since the card was shown, so nothing was sent. Here it is as it is now:
       *[late] ⚠️ The card was older than ten minutes, so nothing was sent. Here it is as it is now:
    }
making-card = <b>📣 Check before you send</b>
making-to = Who gets it: <b>{ $audience }</b>
making-count = People: <b>{ $count }</b>
making-says = Messages: { $own ->
        [none] one for all languages
       *[other] the first, and one of its own for { $own }
    }
making-when = When: <b>{ $when ->
        [now] now
       *[other] { $when }
    }</b>
making-takes = Takes: { $unit ->
        [minute] up to a minute
        [minutes] about { $number } min
       *[hours] about { $number } h
    }
making-late = If it would begin more than an hour late, it isn't sent at all.
making-final = What was sent can't be taken back.
making-send = { $by ->
        [tap] Tap the button to send it.
       *[number] To send it, write the number of people: <b>{ $count }</b>. Until then nothing is sent.
    }
button-making-send = 📣 Send to { $count }
making-uncounted = { $why ->
        [late] ⏳ I'm still counting who gets it. Nothing was sent. Check again in a moment.
        [failed] ⚠️ I can't find out right now who gets it: reading them failed. Nothing was sent. Try again in a moment.
       *[nobody] There is nobody to send it to. Choose somebody else.
    }
toast-making-uncounted = { $why ->
        [late] Still counting.
       *[failed] It still can't be read.
    }
button-making-elsewhere = ‹ Somebody else
making-busy = Another broadcast is under way or held up, so this one was not begun. Try again here once that has ended; /broadcast shows it.
making-started = ✅ It is being sent.
making-scheduled = ✅ It will be sent at its time.
making-tested = 🧪 The test is on its way to you, in your own language.
making-gone = What you had prepared isn't there any more: it is kept for a day. Begin again with /broadcast.
