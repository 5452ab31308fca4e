## Progress of a broadcast, for admins
progress-title = <b>📣 Broadcast: { $state ->
        [resolving] finding its audience…
        [missed] not sent, over an hour late
       *[other] { $state }
    }</b>
progress-at = Time: <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
progress-users = Users: <b>{ $count }</b>, counted again at the start
progress-by = By: <code>{ $admin }</code>
progress-stopped-by = { $state ->
        [cancelled] Cancelled
       *[stopped] Stopped
    } by: <code>{ $admin }</code>
progress-line = { $state ->
        [scheduled] 📣 Broadcast scheduled: <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time> · { $total ->
            [one] { $total } user
           *[other] { $total } users
        }
        [paused] ⏸ Broadcast paused: { $done } of { $total } users
       *[sending] 📣 Broadcast running: { $done } of { $total } users
    }
progress-paused = { $why ->
        [admin] ⏸ Paused by <code>{ $by }</code>.
        [gone] ⚠️ Telegram can't find the message. Stop the broadcast.
        [refused] ⚠️ Telegram rejected it: <code>{ $reason }</code>. Fix that and resume, or stop.
        [lost] ⚠️ Telegram didn't respond several times. Resume later: no user gets it twice.
        [audience] ⚠️ The audience can't be read. Stop the broadcast.
        [outdated] ⚠️ Saved progress is missing or over an hour old. Resume only if the bot was down.
        [rolled-back] ⚠️ Redis may have lost recent progress. If you resume, some users get it twice.
       *[former-admin] ⚠️ The admin who confirmed it is no longer an admin. If you resume it, you become its admin.
    }
progress-all = <b>{ $done }</b> of <b>{ $total }</b>
progress-count = { $what ->
        [sent] ✅ Sent
        [blocked] 🚫 Blocked the bot
        [deactivated] 👻 Deleted account
        [unreachable] 🔇 Unreachable
        [failed] ❌ Failed
        [unknown] ⚠️ Result unknown, not sent again
       *[skipped] ➖ Skipped: gone or opted out
    }: { $count }
progress-speed = ⏱ { $perSecond } a second, about { $minutes } min left
progress-took = ⏱ Took { $minutes ->
        [0] under a minute
       *[other] { $minutes } min
    }
progress-rate-limits = 🐢 Slowed down by Telegram: { $count ->
        [one] { $count } time
       *[other] { $count } times
    }, { $wait }
progress-takeovers = 🔄 Resumed after restarts: { $count }
button-broadcast-pause = ⏸ Pause
button-broadcast-resume = ▶️ Resume
button-broadcast-stop = ⏹ Stop
button-broadcast-cancel = ✕ Cancel broadcast
button-broadcast-show = 📣 Show broadcast
broadcast-report = { $state ->
        [done] 📣 Broadcast to { $total } done.
        [stopped] 📣 Broadcast to { $total } stopped.
        [missed] 📣 Broadcast not sent: over an hour late.
        [replayed] ⚠️ An old record of an ended broadcast was put back. Nothing was sent again. Check who can access Redis.
       *[paused] ⚠️ Broadcast to { $total } paused. Open it to see why.
    }
