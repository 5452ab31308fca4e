## Ход рассылки, для администраторов
progress-title = <b>📣 Рассылка: { $state ->
        [scheduled] запланирована
        [resolving] собираю аудиторию…
        [sending] идёт
        [paused] на паузе
        [done] завершена
        [stopped] остановлена
        [cancelled] отменена
       *[missed] не отправлена, опоздала больше чем на час
    }</b>
progress-at = Время: <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
progress-users = Пользователей: <b>{ $count }</b>, перед началом посчитаю заново
progress-by = Автор: <code>{ $admin }</code>
progress-stopped-by = { $state ->
        [cancelled] Отменил
       *[stopped] Остановил
    }: <code>{ $admin }</code>
progress-line = { $state ->
        [scheduled] 📣 Рассылка запланирована: <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time> · { $total ->
            [one] { $total } пользователь
            [few] { $total } пользователя
           *[many] { $total } пользователей
        }
        [paused] ⏸ Рассылка на паузе: { $done } из { $total }
       *[sending] 📣 Рассылка идёт: { $done } из { $total }
    }
progress-paused = { $why ->
        [admin] ⏸ Приостановил <code>{ $by }</code>.
        [gone] ⚠️ Telegram не находит сообщение. Остановите рассылку.
        [refused] ⚠️ Telegram его не принял: <code>{ $reason }</code>. Устраните причину и продолжите или остановите.
        [lost] ⚠️ Telegram несколько раз не ответил. Продолжите позже: никто не получит сообщение дважды.
        [audience] ⚠️ Аудитория не читается. Остановите рассылку.
        [outdated] ⚠️ Данных о ходе нет, или они старше часа. Продолжайте, только если бот не работал.
        [rolled-back] ⚠️ Redis мог потерять последние данные о ходе. Если продолжить, кто-то из пользователей получит сообщение дважды.
       *[former-admin] ⚠️ Её автор больше не администратор. Если продолжите, автором станете вы.
    }
progress-all = <b>{ $done }</b> из <b>{ $total }</b>
progress-count = { $what ->
        [sent] ✅ Отправлено
        [blocked] 🚫 Заблокировали бота
        [deactivated] 👻 Удалили аккаунт
        [unreachable] 🔇 Недоступны
        [failed] ❌ Не удалось
        [unknown] ⚠️ Результат неизвестен, повторно не отправляю
       *[skipped] ➖ Пропущены: ушли или отказались
    }: { $count }
progress-speed = ⏱ { $perSecond } в секунду, осталось около { $minutes } мин
progress-took = ⏱ Заняла { $minutes ->
        [0] меньше минуты
       *[other] { $minutes } мин
    }
progress-rate-limits = 🐢 Telegram замедлил отправку: { $count ->
        [one] { $count } раз
        [few] { $count } раза
       *[many] { $count } раз
    }, { $wait }
progress-takeovers = 🔄 Продолжена после перезапуска: { $count ->
        [one] { $count } раз
        [few] { $count } раза
       *[many] { $count } раз
    }
button-broadcast-pause = ⏸ Приостановить
button-broadcast-resume = ▶️ Продолжить
button-broadcast-stop = ⏹ Остановить
button-broadcast-cancel = ✕ Отменить рассылку
button-broadcast-show = 📣 Показать рассылку
broadcast-report = { $state ->
        [done] 📣 Рассылка завершена, получателей: { $total }.
        [stopped] 📣 Рассылка остановлена, получателей: { $total }.
        [missed] 📣 Рассылка не отправлена: опоздала больше чем на час.
        [replayed] ⚠️ Вернули старую запись завершённой рассылки. Повторно ничего не отправлено. Проверьте, у кого есть доступ к Redis.
       *[paused] ⚠️ Рассылка на паузе, получателей: { $total }. Откройте её, чтобы узнать причину.
    }
