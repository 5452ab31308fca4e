## State of the bot, for admins
command-state = State and maintenance mode
button-state = 🩺 State
state-title = <b>🩺 State</b>
state-money = { $by ->
        [open] 💰 Payments are open
        [maintenance] ⛔ <b>New purchases, withdrawals and invoices are closed</b> until maintenance mode is off. Invoices already made can still be paid.
        [data-lost] ⛔ <b>Payments are closed for 5 minutes:</b> Redis lost data. Compare the latest orders at the service with <i>{ button-operations }</i>.
        [storage] ⛔ <b>Payments are closed:</b> Redis may lose a purchase. Fix this: <code>{ $why }</code>
       *[unread] ⛔ <b>Payments are closed:</b> Redis isn't responding. Check that it runs, and REDIS_URL.
    }
state-maintenance = 🚧 Maintenance mode: { $is ->
        [on] <b>on</b> since { $since }, by admin <code>{ $admin }</code>
        [on-unknown] <b>on</b>, but no admin of this bot turned it on. Turn it off to remove the record.
        [off] off
       *[unread] can't be read
    }
state-rental = <b>Rental service</b>, calls of this process
state-telegram = <b>Telegram</b>, calls of this process
state-last-answer = ✅ Last response: { $ago } ago
state-last-failure = { $to ->
        [over] ☑️ Earlier failure: { $ago } ago, <code>{ $why }</code>
        [rental] ⚠️ <b>The last call failed</b> { $ago } ago: <code>{ $why }</code>. Purchases may fail. If it goes on, check RENTAL_API_URL and RENTAL_API_KEY, then ask the service.
       *[telegram] ⚠️ <b>The last call failed</b> { $ago } ago: <code>{ $why }</code>. Messages may be late. If it goes on, check the network and BOT_TOKEN.
    }
state-calls = 📈 Last 5 min: { $calls } calls, { $failed } failed, { $limited } over the limit, usually { $ms } ms
state-storage = <b>Redis</b>
state-ping = { $is ->
        [read] ⏱ Responds in { $count } ms
       *[unread] ⚠️ Isn't responding. Check that it runs, and REDIS_URL.
    }
state-durability = { $is ->
        [durable] 💾 Keeps its data in a crash
        [volatile] ⚠️ May lose purchases in a crash. Fix this: <code>{ $why }</code>
       *[unread] ⚠️ Can't check whether it keeps its data in a crash
    }
state-fsync = ⚠️ { $policy ->
        [unknown] Can't check what a power failure would lose: Redis refuses <code>CONFIG GET appendfsync</code>.
        [unread] Can't check what a power failure would lose.
       *[other] A power failure would lose the latest purchases (<code>appendfsync { $policy }</code>).
    } Set <code>appendfsync always</code>.
state-replicas = { $is ->
        [read] 🗄 Replicas: { $count }
       *[unread] ⚠️ Replicas: can't be read
    }
state-waits = <b>Waiting work</b>
state-under-way = { $is ->
        [read] 💸 Operations: { $going } in progress, { $uncertain } with unknown result
       *[unread] ⚠️ Operations: can't be read
    }
state-outbox-unread = ⚠️ Unsent notifications: can't be read
state-overdue = ⏳ { $queue ->
        [operations] Checking operations
        [invoices] Checking invoices
       *[erasures] Erasing users' data
    }: { $is ->
        [none] on time
        [late] <b>{ $span } late</b>. If this grows, read the log, then restart the bot.
       *[unread] can't be read
    }
state-process = <b>This process</b>: version { $version }, up { $up }
state-span = { $count } { $unit }

## Warnings above the admin menu
admin-uncertain = ⚠️ Operations with unknown result: <b>{ $count }</b>
admin-maintenance = 🚧 <b>Maintenance mode is on.</b>
admin-no-money = ⛔ <b>Payments closed.</b> See <i>{ button-state }</i>.
admin-rental-away = ⚠️ <b>The rental service isn't responding:</b> <code>{ $why }</code>
admin-unread = ⚠️ Some checks failed. See <i>{ button-state }</i>.
