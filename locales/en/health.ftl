## Problems that health checks find, and what to do: one sentence each, without markup
health-check-failed = The health check { $check } couldn't be measured: { $why }.
health-check-failed-advice = Read the log, and restart the bot if this stays.
health-redis-unreachable = Redis isn't responding: { $why }.
health-redis-unreachable-advice = Check that Redis runs, that this host reaches it, and REDIS_URL.
health-redis-read-only = Redis refuses writes because it is a replica.
health-redis-read-only-advice = Point REDIS_URL to the primary server.
health-redis-full = Redis refuses writes because its memory is full.
health-redis-full-advice = Raise maxmemory of Redis, and keep maxmemory-policy noeviction.
health-redis-refuses-writes = Redis refuses writes: { $why }.
health-redis-refuses-writes-advice = Check the disk and the log of Redis, and its settings min-replicas-to-write and stop-writes-on-bgsave-error.
health-redis-refuses-user = Redis refuses this user: { $why }.
health-redis-refuses-user-advice = Check the user and the password in REDIS_URL, and the permissions of this user.
health-webhook-missing = Telegram has no webhook for this bot, so no updates arrive.
health-webhook-missing-advice = The bot sets it again every minute; if this stays, read in the log why Telegram refuses { $expected }, and check PUBLIC_URL.
health-webhook-replaced = Another program has set the webhook to { $url }, so updates go there.
health-webhook-replaced-advice = Stop that program or give it a bot of its own; this bot sets its webhook again at most once an hour.
health-webhook-beside-polling = Updates go to the webhook { $url }, so this bot can't poll them.
health-webhook-beside-polling-advice = Stop the program with that webhook, or set PUBLIC_URL so that this bot uses a webhook too.
health-webhook-failing = Telegram can't deliver updates to { $expected }: { $why }.
health-webhook-failing-advice = Check that PUBLIC_URL leads to this bot from the internet, with a valid certificate and the same path.
health-updates-pending = { $count } updates of users are waiting at Telegram.
health-updates-pending-advice = Check that the bot runs and isn't overloaded, and add replicas if this grows.

## Alerts about these problems
health-begun = { $severity ->
        [error] ⛔
       *[warning] ⚠️
    } <b>{ $finding }</b>
    { $advice }
health-over = ✅ Over after { $span }: { $finding }

## Checks on the state screen
state-checks-ok = ✅ All { $count } health checks pass
state-checks = <b>Health checks</b>: { $failing } of { $count } fail
state-check = { $severity ->
        [error] ⛔
       *[warning] ⚠️
    } <b>{ $finding }</b> { $advice } <i>Since { $since }{ $replica ->
        [all] .
       *[other] , on { $replica }.
    }</i>
