## State of the bot, for admins
command-state = State and maintenance mode
button-state = 🩺 State
state-title = <b>🩺 State</b>
state-money = { $by ->
        [open] 💰 Payments: open
        [maintenance] ⛔ <b>Payments closed:</b> maintenance mode
        [data-lost] ⛔ <b>Payments closed:</b> storage lost data within the last five minutes
        [storage] ⛔ <b>Payments closed:</b> <code>{ $why }</code>
       *[unread] ⛔ <b>Payments closed:</b> storage isn't responding
    }
state-maintenance = 🚧 Maintenance mode: { $is ->
        [on] <b>on</b> since { $since }, by admin <code>{ $admin }</code>
        [on-unknown] <b>on</b>. The record isn't from this bot.
        [off] off
       *[unread] unreadable
    }
state-rental = <b>Rental service</b>, from this process
state-telegram = <b>Telegram</b>, from this process
state-last-answer = ✅ Last answer: { $ago } ago
state-last-failure = ⚠️ Last failure: { $ago } ago, <code>{ $why }</code>
state-calls = 📈 Last 5 min: { $calls } calls, { $failed } failed, 429: { $limited }, median { $ms } ms
state-storage = <b>Storage</b>
state-ping = { $is ->
        [read] ⏱ Responds in { $count } ms
       *[unread] ⚠️ Isn't responding
    }
state-durability = { $is ->
        [durable] 💾 Survives a crash
        [volatile] ⚠️ May lose data: <code>{ $why }</code>
       *[unread] ⚠️ Durability: unreadable
    }
state-fsync = ⚠️ { $policy ->
        [unknown] Redis refuses <code>CONFIG GET appendfsync</code>.
        [unread] Reading <code>appendfsync</code> failed.
       *[other] A power loss would lose recent records (<code>appendfsync { $policy }</code>).
    } Set <code>appendfsync always</code>.
state-replicas = { $is ->
        [read] 🗄 Redis replicas: { $count }
       *[unread] ⚠️ Redis replicas: unreadable
    }
state-waits = <b>Queues</b>
state-under-way = { $is ->
        [read] 💸 Operations: { $going } in progress, { $uncertain } with unknown result
       *[unread] ⚠️ Operations: unreadable
    }
state-outbox-unread = ⚠️ Unsent notifications: unreadable
state-overdue = ⏳ { $queue ->
        [operations] Operation checks
        [invoices] Invoice checks
       *[erasures] Data erasures
    }: { $is ->
        [none] on time
        [late] { $span } late
       *[unread] unreadable
    }
state-process = <b>This process</b>: version { $version }, up { $up }
state-span = { $count } { $unit }

## Warnings above the admin menu
admin-uncertain = ⚠️ Operations with unknown result: <b>{ $count }</b>
admin-maintenance = 🚧 <b>Maintenance mode is on.</b>
admin-no-money = ⛔ <b>Payments closed.</b> See <i>{ button-state }</i>.
admin-rental-away = ⚠️ <b>The rental service isn't responding:</b> <code>{ $why }</code>
admin-unread = ⚠️ Some checks failed. See <i>{ button-state }</i>.
