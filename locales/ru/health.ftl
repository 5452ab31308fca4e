## Неполадки, которые находят проверки, и что делать: по одному предложению, без разметки
health-check-failed = Проверка { $check } не удалась: { $why }.
health-check-failed-advice = Прочитайте журнал и перезапустите бота, если это повторяется.
health-redis-unreachable = Redis не отвечает: { $why }.
health-redis-unreachable-advice = Проверьте, что Redis запущен и доступен отсюда, и REDIS_URL.
health-redis-read-only = Redis не принимает записи: это реплика.
health-redis-read-only-advice = Укажите в REDIS_URL основной сервер.
health-redis-full = Redis не принимает записи: его память заполнена.
health-redis-full-advice = Увеличьте maxmemory в Redis и оставьте maxmemory-policy noeviction.
health-redis-refuses-writes = Redis не принимает записи: { $why }.
health-redis-refuses-writes-advice = Проверьте диск и журнал Redis, а также его настройки min-replicas-to-write и stop-writes-on-bgsave-error.
health-redis-refuses-user = Redis не пускает этого пользователя: { $why }.
health-redis-refuses-user-advice = Проверьте имя и пароль в REDIS_URL и права этого пользователя.
health-webhook-missing = У Telegram нет вебхука этого бота, поэтому обновления не приходят.
health-webhook-missing-advice = Бот ставит его заново каждую минуту; если не помогает, найдите в журнале, почему Telegram не принимает { $expected }, и проверьте PUBLIC_URL.
health-webhook-replaced = Другая программа поставила вебхук { $url }, и обновления уходят туда.
health-webhook-replaced-advice = Остановите её или дайте ей своего бота; этот бот возвращает свой вебхук не чаще раза в час.
health-webhook-beside-polling = Обновления уходят на вебхук { $url }, и этот бот не может их запрашивать.
health-webhook-beside-polling-advice = Остановите программу с этим вебхуком или задайте PUBLIC_URL, чтобы и этот бот получал обновления по вебхуку.
health-webhook-failing = Telegram не может доставить обновления на { $expected }: { $why }.
health-webhook-failing-advice = Проверьте, что PUBLIC_URL ведёт к этому боту из интернета, с действующим сертификатом и тем же путём.
health-updates-pending = В очереди Telegram ждут обновления пользователей: { $count }.
health-updates-pending-advice = Проверьте, что бот работает и не перегружен, и добавьте реплики, если очередь растёт.

## Предупреждения об этих неполадках
health-begun = { $severity ->
        [error] ⛔
       *[warning] ⚠️
    } <b>{ $finding }</b>
    { $advice }
health-over = ✅ Прошло через { $span }: { $finding }

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
