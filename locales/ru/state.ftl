## Состояние бота, для администраторов
command-state = Состояние и технические работы
button-state = 🩺 Состояние
state-title = <b>🩺 Состояние</b>
state-money = { $by ->
        [open] 💰 Платежи принимаются
        [no-key] ⚠️ <b>Платежи принимаются, но гости не получают счета.</b> Причина в проверках:
        [no-service] ⚠️ <b>Платежи принимаются, но покупки и счета могут не пройти.</b> Причина в проверках:
        [maintenance] ⛔ <b>Новые покупки, выводы и счета закрыты</b> до конца технических работ. Выставленные счета можно оплатить.
        [unread] ⛔ <b>Платежи закрыты:</b> Redis не отвечает
       *[other] ⛔ <b>Платежи закрыты.</b> Причина в проверках:
    }
state-maintenance = 🚧 Технические работы: { $is ->
        [on] <b>идут</b> с { $since }, администратор <code>{ $admin }</code>
        [on-unknown] <b>идут</b>, но начал их не администратор этого бота. Закончите их, чтобы убрать запись.
        [off] нет
       *[unread] прочитать не удалось
    }
state-rental = <b>Сервис аренды</b>, запросы этого процесса
state-telegram = <b>Telegram</b>, запросы этого процесса
state-last-answer = { $is ->
        [passed] ✅
       *[failing] ⚠️
    } Последний ответ: { $ago } назад
state-calls = 📈 За 5 мин: запросов { $calls }, сбоев { $failed }, сверх лимита { $limited }, обычно { $ms } мс
state-last-failed = ⚠️ Последний сбой: <code>{ $endpoint }</code>
state-storage = <b>Redis</b>, хранилище
state-ping = { $is ->
        [read] ⏱ Отвечает за { $count } мс
       *[unread] ⚠️ Не отвечает. Проверьте, что он запущен, и REDIS_URL.
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
admin-problem = ⛔ <b>{ $finding }</b>
admin-uncertain = ⚠️ Операции с неизвестным результатом: <b>{ $count }</b>
admin-maintenance = 🚧 <b>Идут технические работы.</b>
admin-unread = ⚠️ Не все проверки удались. Подробности: «{ button-state }».
