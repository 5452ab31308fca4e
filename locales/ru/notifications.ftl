command-notifications = Настроить уведомления
button-notifications = 🔔 Уведомления
notifications-title = <b>Уведомления</b>
notifications-reports = { $reports ->
        [on] ✅ Мгновенные уведомления: <b>включены</b> (аккаунт { $account })
       *[other] Мгновенные уведомления: { $reports ->
            [off] <b>выключены</b>
           *[none] недоступны
        } (аккаунт { $account }). О пополнениях и выводах сообщаю с задержкой до шести часов, о доставке заказов и списаниях Smart Mode не сообщаю. Об оплате счетов сообщаю всегда.
    }
notifications-muting =
    🔔 включено · 🔕 отключено. Чеки обновляются в любом случае.

    🛡 О новых адресах для вывода сообщаю всегда.
notifications-low = 📉 Порог баланса: <b>{ $trx ->
        [none] не задан
       *[other] { AMOUNT($trx) } TRX
    }</b>
button-notice = { $muted ->
        [yes] 🔕
       *[no] 🔔
    } { $what ->
        [orders] Заказы{ $delivery ->
            [unseen] {" "}(без доставки)
           *[seen] {""}
        }
        [rentals] Напоминания
        [invoices] Просроченные счета
        [deposits] Пополнения
        [withdrawals] Выводы
        [smart-mode] Smart Mode
        [low-balance] Низкий баланс
        [hook] Перебои уведомлений
       *[other] Прочее
    }

## Низкий баланс
button-low-balance = 📉 Задать порог баланса
notifications-low-ask =
    <b>📉 Низкий баланс</b>

    Ниже какой суммы предупредить? Выберите или пришлите сумму в TRX; 0 — не предупреждать.
button-low-balance-off = Не предупреждать
problem-low-balance = Пришлите сумму, например 50 или 12,5, до шести знаков после запятой, или 0, чтобы не предупреждать.
