## How a broadcast stands, in the chat of each admin
progress-title = <b>📣 Broadcast: { $state ->
        [scheduled] waits for its time
        [gathering] finding out who gets it…
        [sending] under way
        [paused] held up
        [done] done
        [stopped] stopped
        [cancelled] cancelled before its time
       *[missed] not sent: it would have been more than an hour late
    }</b>
progress-audience = To: { $who ->
        [everybody] everybody
        [holders] those with an account
        [guests] those without an account
        [merchants] those who sell
        [me] who made it, as a test
        [language] { $language ->
            [ru] Russian speakers
           *[en] English speakers
        }
       *[active] those who were here within { $days } { $days ->
            [one] day
           *[other] days
        }
    }
progress-at = At: { $time }
progress-by = By: <code>{ $admin }</code>
progress-paused = { $why ->
        [admin] ⏸ Held up by <code>{ $by }</code>. Nobody gets it twice when it goes on.
        [gone] ⚠️ Telegram can't find the message any more that is copied: was the preview deleted? Those who have it keep it. Stop it and make it anew.
        [refused] ⚠️ Telegram doesn't take it from the bot: <code>{ $reason }</code>. Stop it and make it anew, or let it go on if that has been mended.
        [lost] ⚠️ Telegram's answers were lost, one after the other: those people count as not known, and don't get it again. Let it go on once Telegram can be reached.
        [audience] ⚠️ Who is still to get it can't be read any more. Stop it.
        [outdated] ⚠️ Its last recorded progress is missing or more than an hour old. If the bot was down, tap <b>Go on</b>. Otherwise tap <b>Stop</b>: an old record may have been put back.
        [rolled-back] ⚠️ Redis may have lost its last progress. If it goes on, people who got it since then get it again.
       *[nobody] ⚠️ Who confirmed it is no admin any more. Whoever lets it go on answers for it from then on.
    }
progress-all = <b>{ $done }</b> of <b>{ $total }</b>
progress-count = { $what ->
        [sent] ✅ Sent
        [blocked] 🚫 Have blocked the bot
        [deactivated] 👻 Have deleted their account
        [unreachable] 🔇 Can't be written to
        [failed] ❌ Failed
        [unknown] ❔ Unclear: may have received it, not sent again
       *[skipped] ➖ Left out: gone or opted out meanwhile
    }: { $count }
progress-speed = ⏱ { $perSecond } a second, about { $minutes } min left
progress-took = ⏱ Took { $minutes ->
        [1] a minute at most
       *[other] { $minutes } min
    }
progress-objections = 🐢 Telegram asked to slow down: { $count } { $count ->
        [one] time
       *[other] times
    }{ $seconds ->
        [0] {""}
       *[other] , quiet for { $seconds } s more
    }
progress-retaken = 🔁 Taken up again after a restart: { $count } { $count ->
        [one] time
       *[other] times
    }
button-broadcast-pause = ⏸ Hold up
button-broadcast-resume = ▶️ Go on
button-broadcast-stop = ⏹ Stop
button-broadcast-show = 📣 Show it
broadcast-report = { $state ->
        [done] 📣 A broadcast to { $total } is done.
        [stopped] 📣 A broadcast to { $total } was stopped.
        [missed] 📣 A broadcast was not sent: it would have been more than an hour late.
        [replayed] ⚠️ An old record of a broadcast that had ended was put back. The broadcast wasn't sent again. Check who has access to Redis.
       *[paused] ⚠️ A broadcast to { $total } is held up: { $why ->
            [gone] its message can't be found any more.
            [refused] Telegram doesn't take it.
            [lost] Telegram's answers are lost.
            [audience] who is still to get it can't be read any more.
            [outdated] its last recorded progress is missing or more than an hour old.
            [rolled-back] Redis may have lost its last progress.
           *[other] who confirmed it is no admin any more.
        }
    }
