## How everything stands, for admins
command-state = How everything stands, and maintenance mode
button-state = 🩺 State
state-title = <b>🩺 State</b>
state-money = { $by ->
        [open] 💰 Money is taken.
        [maintenance] ⛔ <b>No money is taken:</b> maintenance mode is on.
        [data-lost] ⛔ <b>No money is taken:</b> the storage lost its data within the last five minutes.
        [storage] ⛔ <b>No money is taken:</b> <code>{ $why }</code>
       *[unread] ⛔ <b>No money is taken</b> for as long as the storage can't be asked whether it keeps a claim.
    }
state-maintenance = { $is ->
        [on] 🚧 Maintenance mode: <b>on</b> since { $since }, by admin <code>{ $admin }</code>
        [on-unknown] 🚧 Maintenance mode: <b>on</b>. Since when and by whom isn't known: what stands in the storage wasn't written by this bot.
        [off] 🚧 Maintenance mode: off
       *[unread] ⚠️ Maintenance mode: unreadable
    }
state-rental = <b>Rental service</b>, as this process sees it
state-telegram = <b>Telegram</b>, as this process sees it
state-last-answer = { $ever ->
        [yes] ✅ Last answer: { $ago } ago
       *[no] ✅ Last answer: none since the start
    }
state-last-failure = { $ever ->
        [yes] ⚠️ Last failure: { $ago } ago, <code>{ $why }</code>
       *[no] ⚠️ Last failure: none since the start
    }
state-calls = { $any ->
        [yes] 📈 Within 5 min: calls { $calls }, failed { $failed }, 429 { $limited }, { $timed ->
            [yes] half of them answered within { $ms } ms
           *[no] none of them timed
        }
       *[no] 📈 Within 5 min: no call
    }
state-storage = <b>Storage</b>
state-ping = { $is ->
        [read] ⏱ Answers within { $count } ms
       *[unread] ⚠️ Doesn't answer
    }
state-durability = { $is ->
        [durable] 💾 What is written outlives a crash
        [volatile] ⚠️ What is written may be lost: <code>{ $why }</code>
       *[unread] ⚠️ Whether what is written outlives a crash: unreadable
    }
state-fsync = ⚠️ { $policy ->
        [everysec] With <code>appendfsync everysec</code>, a power loss would lose the last second of data. Users charged in that time wouldn't be notified.
        [no] With <code>appendfsync no</code>, a power loss would lose the last half minute of data. Users charged in that time wouldn't be notified.
        [unknown] Can't check what a power loss would lose: Redis refuses <code>CONFIG GET appendfsync</code>.
       *[unread] Can't check what a power loss would lose: reading <code>appendfsync</code> failed.
    } Set <code>appendfsync always</code>.
state-replicas = { $is ->
        [read] 🔁 Redis replicas that follow it: { $count }
       *[unread] ⚠️ Redis replicas that follow it: unreadable
    }
state-waits = <b>What waits</b>
state-under-way = { $is ->
        [all] 💸 Confirmed operations: { $going } under way, { $uncertain } of unknown outcome
        [more] 💸 Confirmed operations: at least { $going } under way, { $uncertain } of unknown outcome
       *[unread] ⚠️ Confirmed operations: unreadable
    }
state-outbox-unread = ⚠️ Chats to which notices are still to be sent: unreadable
state-overdue = { $is ->
        [unread] ⚠️
       *[other] ⏳
    } { $queue ->
        [operations] Operations to be looked at
        [invoices] Invoices to be asked for
       *[jobs] Jobs without a worker
    }: { $is ->
        [none] none is late
        [late] the oldest has waited for { $span }
       *[unread] unreadable
    }
state-process = <b>This process</b>: version { $version }, up for { $up }
state-span = { $unit ->
        [s] { $count } s
        [min] { $count } min
        [h] { $count } h
       *[d] { $count } d
    }

## Above the menu of admins, where something is wrong
admin-uncertain = { $more ->
        [yes] ❓ Operations of unknown outcome: <b>at least { $count }</b>
       *[no] ❓ Operations of unknown outcome: <b>{ $count }</b>
    }
admin-maintenance = 🚧 <b>Maintenance mode is on:</b> nothing new can be begun.
admin-no-money = ⛔ <b>No money is taken.</b> <i>State</i> says why.
admin-rental-away = ⚠️ <b>The rental service doesn't answer:</b> <code>{ $why }</code>
admin-unread = ⚠️ Not everything could be read. <i>State</i> says what.
