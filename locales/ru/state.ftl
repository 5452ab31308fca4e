## Состояние бота, для администраторов
command-state = Состояние и технические работы
button-state = 🩺 Состояние
state-title = <b>🩺 Состояние</b>
state-money = { $by ->
        [open] 💰 Платежи: принимаются
        [maintenance] ⛔ <b>Платежи закрыты:</b> технические работы
        [data-lost] ⛔ <b>Платежи закрыты:</b> хранилище потеряло данные за последние пять минут
        [storage] ⛔ <b>Платежи закрыты:</b> <code>{ $why }</code>
       *[unread] ⛔ <b>Платежи закрыты:</b> хранилище не отвечает
    }
state-maintenance = 🚧 Технические работы: { $is ->
        [on] <b>идут</b> { $since }, администратор <code>{ $admin }</code>
        [on-unknown] <b>идут</b>. Запись сделал не этот бот.
        [off] нет
       *[unread] не читается
    }
state-rental = <b>Сервис аренды</b>, для этого процесса
state-telegram = <b>Telegram</b>, для этого процесса
state-last-answer = ✅ Последний ответ: { $ago } назад
state-last-failure = ⚠️ Последний сбой: { $ago } назад, <code>{ $why }</code>
state-calls = 📈 За 5 мин: запросов { $calls }, сбоев { $failed }, 429 — { $limited }, медиана { $ms } мс
state-storage = <b>Хранилище</b>
state-ping = { $is ->
        [read] ⏱ Отвечает за { $count } мс
       *[unread] ⚠️ Не отвечает
    }
state-durability = { $is ->
        [durable] 💾 Переживёт сбой
        [volatile] ⚠️ Может потерять данные: <code>{ $why }</code>
       *[unread] ⚠️ Надёжность записи: не читается
    }
state-fsync = ⚠️ { $policy ->
        [unknown] Redis не разрешает <code>CONFIG GET appendfsync</code>.
        [unread] Прочитать <code>appendfsync</code> не удалось.
       *[other] При отключении питания пропадут последние записи (<code>appendfsync { $policy }</code>).
    } Задайте <code>appendfsync always</code>.
state-replicas = { $is ->
        [read] 🗄 Реплик Redis: { $count }
       *[unread] ⚠️ Реплики Redis: не читаются
    }
state-waits = <b>Очереди</b>
state-under-way = { $is ->
        [read] 💸 Операции: выполняются { $going }, с неизвестным результатом { $uncertain }
       *[unread] ⚠️ Операции: не читаются
    }
state-outbox-unread = ⚠️ Неотправленные уведомления: не читаются
state-overdue = ⏳ { $queue ->
        [operations] Проверка операций
        [invoices] Проверка счетов
       *[erasures] Удаление данных
    }: { $is ->
        [none] вовремя
        [late] опоздание { $span }
       *[unread] не читается
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
