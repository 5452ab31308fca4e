## Progress of a broadcast, for admins
progress-title = <b>📣 Broadcast: { $state ->
        [scheduled] scheduled
        [gathering] finding its audience…
        [sending] sending
        [paused] paused
        [done] done
        [stopped] stopped
        [cancelled] cancelled
       *[missed] not sent, over an hour late
    }</b>
progress-at = Time: { $time }
progress-by = By: <code>{ $admin }</code>
progress-paused = { $why ->
        [admin] ⏸ Paused by <code>{ $by }</code>. Nobody gets it twice.
        [gone] ⚠️ Telegram can't find the message. Was the preview deleted? Stop and make a new broadcast.
        [refused] ⚠️ Telegram rejected it: <code>{ $reason }</code>. Fix that and resume, or stop.
        [lost] ⚠️ Telegram's answers got lost. These people won't get it again. Resume later.
        [audience] ⚠️ The audience can't be read any more. Stop it.
        [outdated] ⚠️ Saved progress is missing or over an hour old. Resume only if the bot was down: an old record may have been put back.
        [rolled-back] ⚠️ Redis may have lost recent progress. If you resume, some people get it twice.
       *[nobody] ⚠️ The admin who confirmed it isn't one any more. If you resume, you're responsible.
    }
progress-all = <b>{ $done }</b> of <b>{ $total }</b>
progress-count = { $what ->
        [sent] ✅ Sent
        [blocked] 🚫 Blocked the bot
        [deactivated] 👻 Deleted account
        [unreachable] 🔇 Unreachable
        [failed] ❌ Failed
        [unknown] ❔ Unclear, not sent again
       *[skipped] ➖ Skipped: gone or opted out
    }: { $count }
progress-speed = ⏱ { $perSecond } a second, about { $minutes } min left
progress-took = ⏱ Took { $minutes ->
        [1] up to a minute
       *[other] { $minutes } min
    }
progress-objections = 🐢 Slowed down by Telegram, times: { $count }{ $seconds ->
        [0] {""}
       *[other] , waiting { $seconds } s
    }
progress-retaken = 🔁 Resumed after restarts: { $count }
button-broadcast-pause = ⏸ Pause
button-broadcast-resume = ▶️ Resume
button-broadcast-stop = ⏹ Stop
button-broadcast-show = 📣 Show broadcast
broadcast-report = { $state ->
        [done] 📣 Broadcast to { $total } done.
        [stopped] 📣 Broadcast to { $total } stopped.
        [missed] 📣 Broadcast not sent: over an hour late.
        [replayed] ⚠️ An old record of an ended broadcast was put back. Nothing was sent again. Check who can access Redis.
       *[paused] ⚠️ Broadcast to { $total } paused: { $why ->
            [gone] its message is gone.
            [refused] Telegram rejected it.
            [lost] Telegram's answers got lost.
            [audience] the audience can't be read.
            [outdated] its progress is missing or over an hour old.
            [rolled-back] Redis may have lost recent progress.
           *[other] its admin isn't one any more.
        }
    }
