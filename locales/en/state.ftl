## State of the bot, for admins
command-state = State and maintenance mode
button-state = 🩺 State
state-title = <b>🩺 State</b>
state-money = { $by ->
        [open] 💰 Payments are open
        [no-key] ⚠️ <b>Payments are open, but guests get no invoices.</b> The health checks below say why
        [other-account] ⚠️ <b>Payments are open, but older invoices of guests can't be tracked.</b> The health checks below say why
        [no-service] ⚠️ <b>Payments are open, but purchases and invoices may fail.</b> The health checks below say why
        [maintenance] ⛔ <b>New purchases, withdrawals and invoices are closed</b> until maintenance mode is off. Invoices already made can still be paid.
        [unread] ⛔ <b>Payments are closed:</b> Redis isn't responding
       *[other] ⛔ <b>Payments are closed.</b> The health checks below say why
    }
state-maintenance = 🚧 Maintenance mode: { $is ->
        [on] <b>on</b> since { $since }, by admin <code>{ $admin }</code>
        [on-unknown] <b>on</b>, but no admin of this bot turned it on. Turn it off to remove the record.
        [off] off
       *[unread] can't be read
    }
state-rental = <b>Rental service</b>, calls of this process
state-telegram = <b>Telegram</b>, calls of this process
state-last-answer = { $is ->
        [passed] ✅{" "}
        [recent] {""}
       *[failing] ⚠️{" "}
    }Last successful call: { $ago } ago
state-calls = 📈 Last 5 min: { $calls } { $calls ->
        [one] call
       *[other] calls
    }, { $failed } failed, { $limited } over the limit, usually { $ms } ms
state-last-failed = ⚠️ Last failed call: <code>{ $endpoint }</code>, { $ago } ago: { $reason }
state-storage = <b>Redis</b>
state-ping = { $is ->
        [read] ⏱ Responds in { $count } ms
       *[unread] ⚠️ Isn't responding. Check that it runs, and REDIS_URL.
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
admin-problem = ⛔ <b>{ $finding }</b>
admin-uncertain = ⚠️ Operations with unknown result: <b>{ $count }</b>
admin-maintenance = 🚧 <b>Maintenance mode is on.</b>
admin-unread = ⚠️ Some checks failed. See <i>{ button-state }</i>.
