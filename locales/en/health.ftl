## Problems that health checks find, and what to do: one sentence each, without markup
health-check-failed = The health check { $check } couldn't be measured: { $why }.
health-check-failed-advice = Read the log, and restart the bot if this stays.
health-redis-unreachable = Redis isn't responding: { $cause ->
        [not-redis] what listens there isn't Redis
        [timeout] no reply in time
       *[other] { $why }
    }.
health-redis-unreachable-advice = { $cause ->
        [refused] Start Redis, or correct host and port in REDIS_URL: nothing listens there; if Redis ends again, its log says why, for example a full disk
        [host] Correct the host name in REDIS_URL, or the DNS of this host: the name can't be resolved
        [timeout] Check that Redis runs, isn't suspended or overloaded, and that this host reaches it; if REDIS_URL begins with rediss:// and Redis has no TLS, use redis://
        [cut] Check whether Redis has reached its maxclients or was restarted, and whether a proxy or firewall between it and this host ends connections; if it never worked, use rediss:// in REDIS_URL if Redis needs TLS, and redis:// if it has none
        [protocol] Use redis:// in REDIS_URL if Redis has no TLS, and rediss:// if it needs TLS; otherwise correct host and port, because something else listens there
        [not-redis] Correct host and port in REDIS_URL, because something else listens there; if it is Redis with TLS, use rediss://
        [certificate-name] Use the host name of the certificate in REDIS_URL
        [certificate-time] Renew the TLS certificate of Redis, and check the clocks
        [certificate-authority] Set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of Redis' authority, which Node doesn't know; the variable must be in the environment before the start, because it has no effect in an --env-file
       *[other] Check that Redis runs and that this host reaches it, and REDIS_URL
    }.
health-redis-loading = Redis is loading its data.
health-redis-loading-advice = Wait until Redis has loaded its data, and read its log if that doesn't end.
health-redis-read-only = Redis refuses writes because it is a replica.
health-redis-read-only-advice = Use the address of the primary server in REDIS_URL.
health-redis-full = Redis refuses writes because its memory is full.
health-redis-full-advice = Raise maxmemory of Redis, to at most half of its machine's memory, and keep maxmemory-policy noeviction.
health-redis-refuses-writes = Redis refuses writes: { $why }.
health-redis-refuses-writes-advice = Check the disk and the log of Redis, and its settings min-replicas-to-write and stop-writes-on-bgsave-error.
health-redis-refuses-bot = Redis refuses the bot: { $cause ->
        [no-password] it needs a password
       *[other] { $why }
    }.
health-redis-refuses-bot-advice = { $cause ->
        [wrong-password] Correct user and password in REDIS_URL: redis://user:password@host, with special characters as %XX; at a restart, Redis forgets a user made with ACL SETUSER that neither ACL SAVE nor redis.conf keeps
        [no-password] Put the password into REDIS_URL: redis://:password@host
        [needless-password] Remove the password from REDIS_URL: this server or proxy accepts none
       *[permissions] Give this user the permissions that "Redis" in docs/operating/install.md names
    }.
health-redis-unsuitable = The bot can't use this Redis: { $cause ->
        [sentinel] it is a Sentinel
        [cluster] it is a node of a Cluster
        [replica] it is a read-only replica
        [database] it has no database with this number
       *[other] { $why }
    }.
health-redis-unsuitable-advice = { $cause ->
        [sentinel] Use the address of the primary server in REDIS_URL
        [cluster] Use a single Redis or Valkey server in REDIS_URL, with replicas if you like
        [replica] Use the address of the primary server in REDIS_URL
        [database] Correct the number at the end of REDIS_URL, or raise databases in redis.conf
        [commands] Remove rename-command for these commands from redis.conf, or use a Redis or Valkey server, 6.2 or later, without a proxy that changes commands
       *[other] Use Redis or Valkey, 6.2 or later, in REDIS_URL, without a proxy that changes commands
    }.
health-redis-lacks-permissions = The bot's user at Redis lacks permission for { $lacks ->
        [keys] keys
        [commands] commands ({ $commands })
       *[both] commands ({ $commands }) and keys
    }.
health-redis-lacks-permissions-advice = Give this user the permissions { $expected }, and keep them with ACL SAVE or in redis.conf.
health-redis-too-old = Redis { $version } is too old.
health-redis-too-old-advice = Upgrade Redis to 6.2 or later.
health-redis-no-append-only-file = Redis keeps no append-only file, so it may lose a purchase and payments are closed.
health-redis-no-append-only-file-advice = Set appendonly yes in the configuration of Redis.
health-redis-disk-failing = Redis couldn't write to its disk ({ $fields }).
health-redis-disk-failing-advice = Check the free space and the permissions of its data folder, then its log.
health-redis-fsync-late = A power failure of Redis would lose the latest purchases (appendfsync { $policy }).
health-redis-fsync-late-advice = Set appendfsync always in the configuration of Redis.
health-redis-fsync-unknown = Redis doesn't say what a power failure would lose, because it refuses CONFIG GET.
health-redis-fsync-unknown-advice = Make sure that appendfsync is always, or allow this user +config|get.
health-redis-evicts = Redis may delete data when its memory is full (maxmemory-policy { $policy }), so payments are closed.
health-redis-evicts-advice = Set maxmemory-policy noeviction in the configuration of Redis.
health-redis-memory-low = Redis uses { $percent } % of its { $size } of memory.
health-redis-memory-low-advice = Raise maxmemory of Redis, to at most half of its machine's memory, before it refuses writes.
health-redis-memory-used-up = Redis uses { $percent } % of its { $size } of memory and will soon refuse writes.
health-redis-memory-used-up-advice = Raise maxmemory of Redis now, to at most half of its machine's memory.
health-redis-is-replica = REDIS_URL leads to a replica of Redis, whose writes its primary server doesn't get.
health-redis-is-replica-advice = Point REDIS_URL to the primary server.
health-redis-replica-lags = A replica of Redis hasn't acknowledged writes for { $seconds } seconds.
health-redis-replica-lags-advice = Check that replica and the network to it: payments wait for it.
health-redis-slow = Redis takes { $ms } ms to respond.
health-redis-slow-advice = Move Redis closer to the bot, or check its load and its disk.
health-redis-was-empty = Redis had no earlier data when the bot started, although this bot has run before.
health-redis-was-empty-advice = If you meant to start anew, do nothing. If you have just started a second bot with this BOT_TOKEN, stop that one. Otherwise stop the bot, restore the data of Redis, and compare the latest orders at the service.
health-token-refused = Telegram refuses the bot's token: { $why }.
health-token-refused-advice = Put the token of this bot from @BotFather into BOT_TOKEN, and restart the bot.
health-telegram-unreachable = Telegram can't be reached: { $why }.
health-telegram-unreachable-advice = Check the network of this host, its DNS and TELEGRAM_API_ROOT.
health-telegram-not-bot-api = TELEGRAM_API_ROOT leads to a server that doesn't respond as the Bot API does ({ $got }).
health-telegram-not-bot-api-advice = Correct or remove TELEGRAM_API_ROOT, and check that no proxy responds in place of Telegram.
health-telegram-refuses = Telegram refuses calls: { $why }.
health-telegram-refuses-advice = Wait for a while; if this stays, check TELEGRAM_API_ROOT and ask @BotSupport.
health-webhook-missing = Telegram has no webhook for this bot, so no updates arrive.
health-webhook-missing-advice = The bot sets it again every minute; if this stays, the log says why Telegram doesn't accept { $expected }: check PUBLIC_URL and TELEGRAM_API_ROOT.
health-webhook-former = Telegram still sends updates to { $url }, this bot's webhook before PUBLIC_URL changed, { $expected ->
        [none] so this bot can't poll them
       *[other] and none to { $expected }
    }.
health-webhook-former-advice = { $expected ->
        [none] A running bot removes it within a minute; if this stays, read the log and check TELEGRAM_API_ROOT
       *[other] The bot sets the new one every minute; if this stays, the log says why Telegram doesn't accept it: check PUBLIC_URL and TELEGRAM_API_ROOT
    }.
health-webhook-refused = Telegram refuses the webhook { $expected }: { $why }.
health-webhook-refused-advice = Correct PUBLIC_URL and restart the bot; if its DNS entry is new, wait, because the bot tries again by itself.
health-webhook-not-set = The webhook { $expected } couldn't be set at Telegram: { $why }.
health-webhook-not-set-advice = Wait, because the bot tries again by itself; if this stays, check TELEGRAM_API_ROOT and ask @BotSupport.
health-webhook-replaced = Another program has set the webhook to { $url }, so updates don't go to { $expected }.
health-webhook-replaced-advice = Stop that program or give it a bot of its own; this bot sets its webhook again at most once an hour.
health-webhook-beside-polling = Updates go to the webhook { $url }, so this bot can't poll them.
health-webhook-beside-polling-advice = Stop the program with that webhook, or set PUBLIC_URL so that this bot uses a webhook too.
health-webhook-failing = Telegram can't deliver updates to { $expected }: { $why }.
health-webhook-failing-advice = Check that PUBLIC_URL leads to this bot from the internet, with a valid certificate and the same path.
health-updates-pending = { $count } updates of users are waiting at Telegram.
health-updates-pending-advice = Check that the bot runs and isn't overloaded, and add replicas if this grows.
health-another-poller = Another process polls the updates of this bot.
health-another-poller-advice = Stop the other process, or give it a bot and BOT_TOKEN of its own; this finding ends within five minutes after the last conflict.
health-replicas-use-webhook = This process waits, because replicas on the same Redis use the webhook { $url }.
health-replicas-use-webhook-advice = Set PUBLIC_URL here too, or stop those replicas; this process polls within 100 seconds after that.
health-token-shared = Within the last hour, another program with this bot's token { $url ->
        [none] removed the webhook
       *[other] set the webhook { $url }
    }, which the bot undid at the time.
health-token-shared-advice = Find the program or installation that also uses this BOT_TOKEN, or get a new token from @BotFather if you know none; this warning ends after an hour.
health-public-url-unreachable = This host can't reach { $url }: { $why }.
health-public-url-unreachable-advice = Check PUBLIC_URL, its DNS and the proxy; if only this host can't reach it, ignore this.
health-public-url-elsewhere = { $url } responds with { $status } instead of the bot's 401.
health-public-url-elsewhere-advice = Check that the bot runs, that PUBLIC_URL and its path lead to this bot, and that the proxy removes exactly that path.
health-admins-missing = ADMIN_IDS is empty, so nobody is alerted of problems.
health-admins-missing-advice = Put the numeric Telegram ids of the admins into ADMIN_IDS, and restart the bot.
health-admins-unreachable = The bot can't write to these ids of ADMIN_IDS, so they get no alerts: { $ids }.
health-admins-unreachable-advice = Correct the ids, or ask these admins to unblock the bot and send it /start.
health-service-unreachable = The rental service can't be reached: { $why }.
health-service-unreachable-advice = Check RENTAL_API_URL and the network of this host, then ask the service.
health-service-not-found = RENTAL_API_URL leads to a server without this API: it responds with { $status }.
health-service-not-found-advice = Correct RENTAL_API_URL; it ends before /v1.
health-service-not-json = RENTAL_API_URL leads to a server that doesn't respond with JSON, perhaps a web page.
health-service-not-json-advice = Correct RENTAL_API_URL; it ends before /v1.
health-service-web-page = The rental service responds with a web page, perhaps during its maintenance.
health-service-web-page-advice = Wait, and ask the service if this stays; if you changed RENTAL_API_URL, correct it.
health-service-unexpected = The rental service doesn't respond as specified: { $why }.
health-service-unexpected-advice = Check RENTAL_API_URL, and update the bot if the service has changed.
health-service-failing = The rental service fails with { $status }.
health-service-failing-advice = Wait, and ask the service if this stays; an order whose reply is lost shows as Result unknown and isn't repeated.
health-operator-key-refused = The service refuses the operator's API key ({ $detail }), so guests get no invoices.
health-operator-key-refused-advice = Put a valid key into RENTAL_API_KEY, and restart the bot.
health-operator-account-changed = The operator's key opens account { $now } instead of { $before }, so older invoices of guests can't be tracked.
health-operator-account-changed-advice = Put a key of account { $before } into RENTAL_API_KEY; if the change is intended, this ends after seven days.
health-process-clock-wrong = The clock of this host is { $seconds } seconds { $direction ->
        [behind] behind
       *[ahead] ahead
    }.
health-process-clock-wrong-advice = Synchronize the clock of this host, for example with NTP.
health-redis-clock-wrong = The clock of Redis is { $seconds } seconds { $direction ->
        [behind] behind
       *[ahead] ahead
    }, so one-time codes and expiries may fail.
health-redis-clock-wrong-advice = Synchronize the clock of the host of Redis, for example with NTP.
health-service-clock-wrong = The clock of the rental service is { $seconds } seconds { $direction ->
        [behind] behind
       *[ahead] ahead
    }.
health-service-clock-wrong-advice = Tell the service; one-time codes may be refused until it is corrected.
health-payments-data-lost = Redis lost data, so payments are closed for five minutes and older cards are void.
health-payments-data-lost-advice = Send the numbers of the latest orders at the service to Find user to see which of them are missing here; accounts may have to be linked again.
health-payments-no-run-id = Payments are closed, because Redis doesn't report its run_id and master_replid.
health-payments-no-run-id-advice = Allow this Redis user +info, and check that no proxy filters INFO.
health-secret-key-wrong = SECRET_KEY doesn't open the stored data, which is of the key with the id { $id }.
health-secret-key-wrong-advice = List the key { $id } behind the present one in SECRET_KEY and restart the bot, or read "A lost SECRET_KEY" in docs/operating/secrets.md.
health-canary-missing = The record canary is missing, so the next start won't notice a wrong SECRET_KEY.
health-canary-missing-advice = Run npm run rotate-keys, which makes it, and check who can write to Redis.
health-canary-damaged = The record canary was changed from outside, so the next start won't notice a wrong SECRET_KEY.
health-canary-damaged-advice = Run npm run rotate-keys, which makes it again, and check who can write to Redis.
health-records-unreadable = Stored records can't be read: { $kinds }.
health-records-unreadable-advice = If you changed SECRET_KEY, list the former key behind the new one; if you accepted its loss, the users of these records link their accounts again, and this finding ends after a day; if you changed the version of the bot, read the changelog; otherwise check who can write to Redis.
health-records-newer = A newer version of the bot wrote stored records: { $kinds }.
health-records-newer-advice = Start the newer version again.
health-outcomes-unknown = { $count ->
        [one] Result unknown: one operation, { $operation },
       *[other] Result unknown: { $count } operations, the oldest, { $operation },
    } for { $minutes } minutes.
health-outcomes-unknown-advice = Check the log and the service; Admin → Result unknown shows the evidence. The search goes on for a day, or until the user's API key is gone: then decide there.
health-outcomes-not-found = { $count ->
        [one] Result unknown: one operation, { $operation }, whose result wasn't found within a day.
       *[other] Result unknown: { $count } operations whose results weren't found within a day. The oldest: { $operation }.
    }
health-outcomes-not-found-advice = Ask the service about them and decide them in Admin → Result unknown.
health-outbox-late = Notifications are late in { $chats ->
        [one] one chat
       *[other] { $chats } chats
    }, the oldest by { $minutes } minutes.
health-outbox-late-advice = Check the connection to Telegram and the log, and add replicas if a broadcast isn't the reason.
health-queue-late = Work in the queue { $queue } has been due for { $minutes } minutes.
health-queue-late-advice = Check the log and the limits of the service, and add replicas if this grows.
health-work-given-up = Work failed for good within the last day: { $kinds }.
health-work-given-up-advice = Read the errors in the log, which name the users.
health-event-loop-stuck = This process didn't respond for { $seconds } seconds.
health-event-loop-stuck-advice = Check the CPU and the swap of this host, and whether the process was suspended.
health-event-loop-slow = This process responds { $ms } ms late.
health-event-loop-slow-advice = Give it more CPU, or add replicas.
health-memory-low = This process uses { $percent } % of its { $size } of memory.
health-memory-low-advice = Raise the memory limit of the container or --max-old-space-size, and restart the process if this grows.

## Alerts about these problems
health-begun = { $severity ->
        [error] ⛔
       *[warning] ⚠️
    } <b>{ $finding }</b>
    { $advice }
health-over =
    ✅ <b>{ $count ->
        [one] A problem is over
       *[other] { $count } problems are over
    }</b> after { $span }.
    { $count ->
        [one] It was
       *[other] Last
    }: <i>“{ $finding }”</i>
health-over-earlier = Before: <i>“{ $finding }”</i>
health-outcomes-over = ✅ <b>{ $count ->
        [one] Result known:
       *[other] { $count } results known. The oldest:
    }</b> operation <code>{ $operation }</code> { $outcome ->
        [done] went through
        [likely] probably went through
        [closed] was closed by its user
       *[other] didn't go through
    }{ $admin ->
        [none] {""}
       *[other] , decided by admin <code>{ $admin }</code>
    }.
health-process = <i>Process: { $replicas }</i>

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
state-checks-more = And { $more } more: see the log, or run <code>npm run doctor</code>
state-checks-unread = ⚠️ <b>Health checks</b>: can't be read
