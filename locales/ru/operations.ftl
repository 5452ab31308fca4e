## Траты и результаты операций, для администраторов
command-operations = Траты пользователей и результаты
button-operations = 📊 Операции
operations-title = <b>📊 Операции</b> · { $days ->
        [1] сегодня, { $day } (UTC)
       *[other] за { $days } дней, по { $day } (UTC)
    }
operations-spent = Потратили пользователи: <b>{ $sum ->
        [estimated] ≈{" "}
       *[exact] {""}
    }{ AMOUNT($trx) } TRX</b> (это не ваш доход)
operations-operator = Потратили администраторы с аккаунта оператора: <b>{ AMOUNT($trx) } TRX</b>
operations-guests = в том числе от гостей: <b>{ AMOUNT($trx) } TRX</b> · { $count ->
        [one] { $count } счёт
        [few] { $count } счёта
       *[many] { $count } счетов
    }
operations-done = Готово
operations-outcome = { $outcome ->
        [failed] ❌ Списано, но не удалось или, похоже, вернулось
        [refused] ❌ Отказано, ничего не списано
        [decided] ❌ Не прошло, по решению администратора
        [unclear] ↩️ За часть этих заказов деньги вернулись, эта сумма не учтена
       *[closed] ☑️ Закрыто пользователем, результат неизвестен
    }: { $counts }
operations-invoices-failed = ❌ Оплачено, но не доставлено счетов: { $count }
operations-unpriced = ❔ Выполнено, цена неизвестна, сумма не учтена: { $count }
operations-estimated = ≈ Частично по ценам с карточек: сервис не сообщил, сколько списал.
operations-none = Пока ничего не выполнено.
operations-unresolved = ⚠️ Сейчас с неизвестным результатом: <b>{ $count }</b>
operations-note = <i>Счета учтены после оплаты, по цене в TRX. Выводы и неудавшиеся или возвращённые заказы не учтены. У Smart Mode учтена только плата при запуске.</i>
operations-period = { $days ->
        [1] Сегодня
       *[other] { $days } дней
    }
