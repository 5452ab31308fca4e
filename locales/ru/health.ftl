## Неполадки, которые находят проверки, и что делать: по одному предложению, без разметки
health-check-failed = Проверка { $check } не удалась: { $why }.
health-check-failed-advice = Прочитайте журнал и перезапустите бота, если это повторяется.
health-redis-unreachable = Redis не отвечает: { $cause ->
        [not-redis] по этому адресу работает другая программа
        [timeout] ответ не пришёл вовремя
       *[other] { $why }
    }.
health-redis-unreachable-advice = { $cause ->
        [refused] Запустите Redis или исправьте хост и порт в REDIS_URL: там никто не отвечает; если Redis снова завершится, причина будет в его журнале, например нет места на диске
        [host] Исправьте имя хоста в REDIS_URL или DNS этого сервера: адрес по имени не найден
        [timeout] Проверьте, что Redis запущен, не приостановлен, не перегружен и доступен отсюда; если REDIS_URL начинается с rediss://, а Redis работает без TLS, укажите redis://
        [cut] Проверьте, не исчерпан ли maxclients и не перезапускался ли Redis, не рвёт ли соединения прокси или сетевой экран; если связи не было никогда, укажите в REDIS_URL rediss://, если Redis требует TLS, и redis://, если TLS нет
        [protocol] Укажите в REDIS_URL redis://, если Redis работает без TLS, и rediss://, если требует TLS; иначе исправьте хост и порт: там отвечает не Redis
        [not-redis] Исправьте в REDIS_URL хост и порт: там отвечает не Redis; если это Redis с TLS, укажите rediss://
        [certificate-name] Укажите в REDIS_URL имя хоста из сертификата
        [certificate-time] Обновите TLS-сертификат Redis и проверьте часы
        [certificate-authority] Укажите в NODE_EXTRA_CA_CERTS файл PEM с сертификатом центра, который выдал сертификат Redis: Node его не знает; задайте переменную в окружении до запуска, в файле --env-file она не действует
       *[other] Проверьте, что Redis запущен и доступен отсюда, и REDIS_URL
    }.
health-redis-loading = Redis загружает данные.
health-redis-loading-advice = Подождите, пока Redis загрузит данные; если это не кончается, прочитайте его журнал.
health-redis-read-only = Redis не принимает записи: это реплика.
health-redis-read-only-advice = Укажите в REDIS_URL основной сервер.
health-redis-full = Redis не принимает записи: его память заполнена.
health-redis-full-advice = Увеличьте maxmemory, но не больше чем до половины памяти сервера Redis, и оставьте maxmemory-policy noeviction.
health-redis-refuses-writes = Redis не принимает записи: { $why }.
health-redis-refuses-writes-advice = Проверьте диск и журнал Redis и его настройки min-replicas-to-write и stop-writes-on-bgsave-error.
health-redis-refuses-bot = Redis не принимает бота: { $cause ->
        [no-password] нужен пароль
       *[other] { $why }
    }.
health-redis-refuses-bot-advice = { $cause ->
        [wrong-password] Исправьте имя и пароль в REDIS_URL: redis://user:password@host, спецсимволы как %XX; при перезапуске Redis забывает пользователя из ACL SETUSER, если его нет в redis.conf и не было ACL SAVE
        [no-password] Добавьте пароль в REDIS_URL: redis://:password@host
        [needless-password] Уберите пароль из REDIS_URL: этот сервер или прокси его не принимает
       *[permissions] Дайте этому пользователю права из раздела «Redis» в docs/operating/install.md
    }.
health-redis-unsuitable = Боту не подходит этот Redis: { $cause ->
        [sentinel] это Sentinel
        [cluster] это узел кластера
        [replica] это реплика только для чтения
        [database] на нём нет базы с таким номером
       *[other] { $why }
    }.
health-redis-unsuitable-advice = { $cause ->
        [sentinel] Укажите в REDIS_URL основной сервер
        [cluster] Укажите в REDIS_URL один сервер Redis или Valkey, реплики допустимы
        [replica] Укажите в REDIS_URL основной сервер
        [database] Исправьте номер в конце REDIS_URL или увеличьте databases в redis.conf
        [commands] Уберите rename-command для этих команд из redis.conf или укажите сервер Redis или Valkey 6.2 или новее, без прокси, который меняет команды
       *[other] Укажите в REDIS_URL сервер Redis или Valkey 6.2 или новее, без прокси, который меняет команды
    }.
health-redis-lacks-permissions = Пользователю бота в Redis не хватает прав { $lacks ->
        [keys] на ключи
        [commands] на команды ({ $commands })
       *[both] на команды ({ $commands }) и на ключи
    }.
health-redis-lacks-permissions-advice = Дайте этому пользователю права { $expected } и сохраните их через ACL SAVE или в redis.conf.
health-redis-too-old = Версия Redis { $version } слишком старая.
health-redis-too-old-advice = Обновите Redis до 6.2 или новее.
health-redis-no-append-only-file = Redis не ведёт журнал AOF и может потерять покупку, поэтому платежи закрыты.
health-redis-no-append-only-file-advice = Задайте appendonly yes в настройках Redis.
health-redis-disk-failing = Redis не смог записать данные на диск ({ $fields }).
health-redis-disk-failing-advice = Проверьте свободное место и права на папку с данными, затем журнал Redis.
health-redis-fsync-late = При отключении питания Redis потеряет последние покупки (appendfsync { $policy }).
health-redis-fsync-late-advice = Задайте appendfsync always в настройках Redis.
health-redis-fsync-unknown = Redis не сообщает, что пропадёт при отключении питания: он не разрешает CONFIG GET.
health-redis-fsync-unknown-advice = Убедитесь, что задано appendfsync always, или разрешите пользователю +config|get.
health-redis-evicts = При заполнении памяти Redis может удалить данные (maxmemory-policy { $policy }), поэтому платежи закрыты.
health-redis-evicts-advice = Задайте maxmemory-policy noeviction в настройках Redis.
health-redis-memory-low = Redis занял { $percent } % памяти из { $size }.
health-redis-memory-low-advice = Увеличьте maxmemory, но не больше чем до половины памяти сервера Redis, пока он принимает записи.
health-redis-memory-used-up = Redis занял { $percent } % памяти из { $size } и скоро перестанет принимать записи.
health-redis-memory-used-up-advice = Увеличьте maxmemory сейчас, но не больше чем до половины памяти сервера Redis.
health-redis-is-replica = REDIS_URL ведёт на реплику Redis, её записи не попадут на основной сервер.
health-redis-is-replica-advice = Укажите в REDIS_URL основной сервер.
health-redis-replica-lags = Реплика Redis не подтверждает записи уже { $seconds } с.
health-redis-replica-lags-advice = Проверьте эту реплику и сеть до неё: её ждут платежи.
health-redis-slow = Redis отвечает за { $ms } мс.
health-redis-slow-advice = Разместите Redis ближе к боту или проверьте его нагрузку и диск.
health-redis-was-empty = При запуске бота в Redis не было прежних данных, хотя этот бот уже работал.
health-redis-was-empty-advice = Если так и задумано, ничего не делайте. Если вы только что запустили второго бота с этим BOT_TOKEN, остановите его. Иначе остановите этого бота, восстановите данные Redis и сверьте последние заказы в сервисе.
health-token-refused = Telegram не принимает токен бота: { $why }.
health-token-refused-advice = Запишите в BOT_TOKEN токен этого бота от @BotFather и перезапустите бота.
health-telegram-unreachable = Telegram недоступен: { $why }.
health-telegram-unreachable-advice = Проверьте сеть этого сервера, DNS и TELEGRAM_API_ROOT.
health-telegram-not-bot-api = По адресу из TELEGRAM_API_ROOT отвечает не Bot API ({ $got }).
health-telegram-not-bot-api-advice = Исправьте или уберите TELEGRAM_API_ROOT и проверьте, что вместо Telegram не отвечает прокси.
health-telegram-refuses = Telegram отклоняет запросы: { $why }.
health-telegram-refuses-advice = Подождите; если не пройдёт, проверьте TELEGRAM_API_ROOT и напишите @BotSupport.
health-webhook-missing = У Telegram нет вебхука этого бота, поэтому обновления не приходят.
health-webhook-missing-advice = Бот ставит его заново каждую минуту; если не помогает, в журнале сказано, почему Telegram не принимает { $expected }: проверьте PUBLIC_URL и TELEGRAM_API_ROOT.
health-webhook-former = Telegram всё ещё шлёт обновления на { $url }, прежний вебхук этого бота до смены PUBLIC_URL, { $expected ->
        [none] и бот не может их опрашивать
       *[other] а не на { $expected }
    }.
health-webhook-former-advice = { $expected ->
        [none] Запущенный бот уберёт его в течение минуты; если не помогает, прочитайте журнал и проверьте TELEGRAM_API_ROOT
       *[other] Бот ставит новый вебхук каждую минуту; если не помогает, в журнале сказано, почему Telegram его не принимает: проверьте PUBLIC_URL и TELEGRAM_API_ROOT
    }.
health-webhook-refused = Telegram не принимает вебхук { $expected }: { $why }.
health-webhook-refused-advice = Исправьте PUBLIC_URL и перезапустите бота; если запись в DNS новая, подождите: бот повторит попытку сам.
health-webhook-not-set = Не удалось поставить в Telegram вебхук { $expected }: { $why }.
health-webhook-not-set-advice = Подождите: бот повторит попытку сам; если не пройдёт, проверьте TELEGRAM_API_ROOT и напишите @BotSupport.
health-webhook-replaced = Другая программа поставила вебхук { $url }, и обновления не доходят до { $expected }.
health-webhook-replaced-advice = Остановите её или дайте ей своего бота; этот бот возвращает свой вебхук не чаще раза в час.
health-webhook-beside-polling = Обновления уходят на вебхук { $url }, и этот бот не может их запрашивать.
health-webhook-beside-polling-advice = Остановите программу с этим вебхуком или задайте PUBLIC_URL, чтобы и этот бот получал обновления по вебхуку.
health-webhook-failing = Telegram не может доставить обновления на { $expected }: { $why }.
health-webhook-failing-advice = Проверьте, что PUBLIC_URL ведёт к этому боту из интернета, с действующим сертификатом и тем же путём.
health-updates-pending = В очереди Telegram ждут обновления пользователей: { $count }.
health-updates-pending-advice = Проверьте, что бот работает и не перегружен, и добавьте реплики, если очередь растёт.
health-another-poller = Обновления этого бота запрашивает и другой процесс.
health-another-poller-advice = Остановите его или дайте ему своего бота и свой BOT_TOKEN; сообщение исчезнет не позднее чем через пять минут после последнего конфликта.
health-replicas-use-webhook = Этот процесс ждёт: реплики на том же Redis получают обновления по вебхуку { $url }.
health-replicas-use-webhook-advice = Задайте PUBLIC_URL и здесь или остановите те реплики; не позже чем через 100 секунд процесс начнёт запрашивать обновления.
health-token-shared = За последний час другая программа с токеном этого бота { $url ->
        [none] убрала его вебхук
       *[other] установила вебхук { $url }
    }; тогда бот это исправил.
health-token-shared-advice = Найдите программу, которая тоже использует этот BOT_TOKEN, а если такой нет, получите новый токен у @BotFather; это предупреждение пропадёт через час.
health-public-url-unreachable = С этого сервера не открывается { $url }: { $why }.
health-public-url-unreachable-advice = Проверьте PUBLIC_URL, его DNS и прокси; если адрес не открывается только отсюда, это не помеха.
health-public-url-elsewhere = { $url } отвечает { $status }, а бот ответил бы 401.
health-public-url-elsewhere-advice = Проверьте, что бот запущен, что PUBLIC_URL вместе с путём ведёт к этому боту и что прокси убирает ровно этот путь.
health-admins-missing = Список ADMIN_IDS пуст, поэтому о проблемах никто не узнает.
health-admins-missing-advice = Укажите в ADMIN_IDS числовые id администраторов в Telegram и перезапустите бота.
health-admins-unreachable = Бот не может написать администраторам с этими id из ADMIN_IDS, поэтому они не получают предупреждений: { $ids }.
health-admins-unreachable-advice = Исправьте id или попросите этих администраторов разблокировать бота и отправить ему /start.
health-service-unreachable = Сервис аренды недоступен: { $why }.
health-service-unreachable-advice = Проверьте RENTAL_API_URL и сеть этого сервера, потом спросите сервис.
health-service-not-found = RENTAL_API_URL ведёт на сервер без этого API: он отвечает { $status }.
health-service-not-found-advice = Исправьте RENTAL_API_URL; он заканчивается перед /v1.
health-service-not-json = RENTAL_API_URL ведёт на сервер, который отвечает не JSON, возможно веб-страницей.
health-service-not-json-advice = Исправьте RENTAL_API_URL; он заканчивается перед /v1.
health-service-web-page = Сервис аренды отвечает веб-страницей, возможно, у него технические работы.
health-service-web-page-advice = Подождите, а если не пройдёт, спросите сервис; если вы меняли RENTAL_API_URL, исправьте его.
health-service-unexpected = Сервис аренды отвечает не по спецификации: { $why }.
health-service-unexpected-advice = Проверьте RENTAL_API_URL и обновите бота, если сервис изменился.
health-service-failing = Сервис аренды отвечает ошибкой { $status }.
health-service-failing-advice = Подождите, а если не пройдёт, спросите сервис; заказ, ответ на который потерян, получит статус «Результат неизвестен» и не повторится.
health-operator-key-refused = Сервис не принимает API-ключ оператора ({ $detail }), и гости не получают счета.
health-operator-key-refused-advice = Запишите действующий ключ в RENTAL_API_KEY и перезапустите бота.
health-operator-account-changed = Ключ оператора открывает аккаунт { $now } вместо { $before }, и прежние счета гостей не отследить.
health-operator-account-changed-advice = Запишите в RENTAL_API_KEY ключ аккаунта { $before }; если замена намеренная, предупреждение снимется через семь дней.
health-process-clock-wrong = Часы этого сервера { $direction ->
        [behind] отстают
       *[ahead] спешат
    } на { $seconds } с.
health-process-clock-wrong-advice = Синхронизируйте часы этого сервера, например по NTP.
health-redis-clock-wrong = Часы Redis { $direction ->
        [behind] отстают
       *[ahead] спешат
    } на { $seconds } с, поэтому одноразовые коды и сроки могут сбоить.
health-redis-clock-wrong-advice = Синхронизируйте часы сервера Redis, например по NTP.
health-service-clock-wrong = Часы сервиса аренды { $direction ->
        [behind] отстают
       *[ahead] спешат
    } на { $seconds } с.
health-service-clock-wrong-advice = Сообщите сервису; до исправления одноразовые коды могут не подходить.
health-payments-data-lost = Redis потерял данные, поэтому платежи закрыты на пять минут, а прежние карточки недействительны.
health-payments-data-lost-advice = Отправьте номера последних заказов из сервиса в «Найти пользователя», чтобы узнать, каких здесь нет; аккаунты, возможно, придётся привязать заново.
health-payments-no-run-id = Платежи закрыты: Redis не сообщает run_id и master_replid.
health-payments-no-run-id-advice = Разрешите пользователю Redis +info и проверьте, что прокси не скрывает INFO.
health-secret-key-wrong = SECRET_KEY не открывает сохранённые данные: они под ключом с id { $id }.
health-secret-key-wrong-advice = Добавьте ключ { $id } в SECRET_KEY после нынешнего и перезапустите бота, или прочитайте раздел «A lost SECRET_KEY» в docs/operating/secrets.md.
health-canary-missing = Нет записи canary, и следующий запуск не заметит неверный SECRET_KEY.
health-canary-missing-advice = Выполните npm run rotate-keys, чтобы её создать, и проверьте, кто может писать в Redis.
health-canary-damaged = Запись canary изменили извне, и следующий запуск не заметит неверный SECRET_KEY.
health-canary-damaged-advice = Выполните npm run rotate-keys, чтобы её восстановить, и проверьте, кто может писать в Redis.
health-records-unreadable = Не читаются сохранённые записи: { $kinds }.
health-records-unreadable-advice = Если вы меняли SECRET_KEY, добавьте в него прежний ключ после нового; если согласились с потерей ключа, пользователям этих записей нужно привязать аккаунты снова, а сообщение уйдёт через день; если меняли версию бота, прочитайте список изменений; иначе проверьте, кто может писать в Redis.
health-records-newer = Есть записи более новой версии бота: { $kinds }.
health-records-newer-advice = Запустите более новую версию.
health-outcomes-unknown = Результат неизвестен: операций { $count }, самая старая — { $operation }, уже { $minutes } мин.
health-outcomes-unknown-advice = Проверьте журнал и сервис; что известно, видно в «Управление → Результат неизвестен». Поиск идёт сутки или пока есть API-ключ пользователя: без него примите решение там.
health-outcomes-not-found = Результат неизвестен и не нашёлся за сутки: операций { $count }, самая старая — { $operation }.
health-outcomes-not-found-advice = Спросите о них сервис и примите решение в «Управление → Результат неизвестен».
health-outbox-late = Уведомления опаздывают, чатов: { $chats }, дольше всего на { $minutes } мин.
health-outbox-late-advice = Проверьте связь с Telegram и журнал; если дело не в рассылке, добавьте реплики.
health-queue-late = Работа в очереди { $queue } ждёт уже { $minutes } мин.
health-queue-late-advice = Проверьте журнал и лимиты сервиса и добавьте реплики, если ожидание растёт.
health-work-given-up = За сутки не удалось выполнить: { $kinds }.
health-work-given-up-advice = Прочитайте ошибки в журнале: там указаны пользователи.
health-event-loop-stuck = Этот процесс не отвечал { $seconds } с.
health-event-loop-stuck-advice = Проверьте процессор и подкачку этого сервера и не останавливали ли процесс.
health-event-loop-slow = Этот процесс отвечает с задержкой { $ms } мс.
health-event-loop-slow-advice = Дайте ему больше процессора или добавьте реплики.
health-memory-low = Этот процесс занял { $percent } % памяти из { $size }.
health-memory-low-advice = Увеличьте лимит памяти контейнера или --max-old-space-size; если память растёт, перезапустите процесс.

## Предупреждения об этих неполадках
health-begun = { $severity ->
        [error] ⛔
       *[warning] ⚠️
    } <b>{ $finding }</b>
    { $advice }
health-over =
    ✅ <b>{ $count ->
        [one] Неполадка прошла</b>: длилась { $span }.
       *[other] Неполадки прошли</b>: длились { $span }.
    }
    { $count ->
        [one] Было так
       *[other] Последняя
    }: <i>«{ $finding }»</i>
health-over-earlier = До неё: <i>«{ $finding }»</i>
health-outcomes-over = ✅ <b>{ $count ->
        [one] Результат известен:
       *[other] Результаты известны, операций { $count }. Самая старая:
    }</b> операция <code>{ $operation }</code> { $outcome ->
        [done] прошла
        [likely] вероятно, прошла
        [closed] закрыта пользователем
       *[other] не прошла
    }{ $admin ->
        [none] {""}
       *[other] , решил администратор <code>{ $admin }</code>
    }.
health-process = <i>Процесс: { $replicas }</i>

## Проверки на экране состояния
state-checks-ok = ✅ Все проверки в порядке: { $count }
state-checks = <b>Проверки</b>: не в порядке { $failing } из { $count }
state-check = { $severity ->
        [error] ⛔
       *[warning] ⚠️
    } <b>{ $finding }</b> { $advice } <i>С { $since }{ $replica ->
        [all] .
       *[other] , на { $replica }.
    }</i>
state-checks-more = И ещё { $more }: смотрите журнал или запустите <code>npm run doctor</code>
state-checks-unread = ⚠️ <b>Проверки</b>: прочитать не удалось
