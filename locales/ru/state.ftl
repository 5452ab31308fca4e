## Состояние бота, для администраторов
command-state = Состояние и технические работы
button-state = 🩺 Состояние
state-title = <b>🩺 Состояние</b>
state-money = { $by ->
        [open] 💰 Платежи принимаются
        [maintenance] ⛔ <b>Новые покупки, выводы и счета закрыты</b> до конца технических работ. Выставленные счета можно оплатить.
        [data-lost] ⛔ <b>Платежи закрыты на 5 минут:</b> Redis потерял данные. Сверьте последние заказы в сервисе с разделом «{ button-operations }».
        [storage] ⛔ <b>Платежи закрыты:</b> Redis может потерять покупку. Исправьте: <code>{ $why }</code>
       *[unread] ⛔ <b>Платежи закрыты:</b> Redis не отвечает. Проверьте, что он запущен, и REDIS_URL.
    }
state-maintenance = 🚧 Технические работы: { $is ->
        [on] <b>идут</b> с { $since }, администратор <code>{ $admin }</code>
        [on-unknown] <b>идут</b>, но начал их не администратор этого бота. Закончите их, чтобы убрать запись.
        [off] нет
       *[unread] прочитать не удалось
    }
state-rental = <b>Сервис аренды</b>, запросы этого процесса
state-telegram = <b>Telegram</b>, запросы этого процесса
state-last-answer = ✅ Последний ответ: { $ago } назад
state-last-failure = { $to ->
        [over] ☑️ Был сбой: { $ago } назад, <code>{ $why }</code>
        [rental] ⚠️ <b>Последний запрос не прошёл</b> { $ago } назад: <code>{ $why }</code>. Покупки могут не проходить. Если так и дальше, проверьте RENTAL_API_URL и RENTAL_API_KEY, потом спросите сервис.
       *[telegram] ⚠️ <b>Последний запрос не прошёл</b> { $ago } назад: <code>{ $why }</code>. Сообщения могут запаздывать. Если так и дальше, проверьте сеть и BOT_TOKEN.
    }
state-calls = 📈 За 5 мин: запросов { $calls }, сбоев { $failed }, сверх лимита { $limited }, обычно { $ms } мс
state-storage = <b>Redis</b>, хранилище
state-ping = { $is ->
        [read] ⏱ Отвечает за { $count } мс
       *[unread] ⚠️ Не отвечает. Проверьте, что он запущен, и REDIS_URL.
    }
state-durability = { $is ->
        [durable] 💾 Сохранит данные при сбое
        [volatile] ⚠️ При сбое может потерять покупки. Исправьте: <code>{ $why }</code>
       *[unread] ⚠️ Не удалось проверить, сохранит ли данные при сбое
    }
state-fsync = ⚠️ { $policy ->
        [unknown] Нельзя проверить, что пропадёт при отключении питания: Redis не разрешает <code>CONFIG GET appendfsync</code>.
        [unread] Не удалось проверить, что пропадёт при отключении питания.
       *[other] При отключении питания пропадут последние покупки (<code>appendfsync { $policy }</code>).
    } Задайте <code>appendfsync always</code>.
state-replicas = { $is ->
        [read] 🗄 Реплик: { $count }
       *[unread] ⚠️ Реплики: прочитать не удалось
    }
state-waits = <b>Что в работе</b>
state-under-way = { $is ->
        [read] 💸 Операции: выполняются { $going }, результат неизвестен: { $uncertain }
       *[unread] ⚠️ Операции: прочитать не удалось
    }
state-outbox-unread = ⚠️ Неотправленные уведомления: прочитать не удалось
state-overdue = ⏳ { $queue ->
        [operations] Проверка операций
        [invoices] Проверка счетов
       *[erasures] Удаление данных пользователей
    }: { $is ->
        [none] вовремя
        [late] <b>опоздание { $span }</b>. Если растёт, прочитайте журнал и перезапустите бота.
       *[unread] прочитать не удалось
    }
state-process = <b>Этот процесс</b>: версия { $version }, работает { $up }
state-span = { $unit ->
        [s] { $count } с
        [min] { $count } мин
        [h] { $count } ч
       *[d] { $count } д
    }

## Предупреждения над меню администраторов
admin-uncertain = ⚠️ Операции с неизвестным результатом: <b>{ $count }</b>
admin-maintenance = 🚧 <b>Идут технические работы.</b>
admin-no-money = ⛔ <b>Платежи закрыты.</b> Подробности: «{ button-state }».
admin-rental-away = ⚠️ <b>Сервис аренды не отвечает:</b> <code>{ $why }</code>
admin-unread = ⚠️ Не все проверки удались. Подробности: «{ button-state }».
