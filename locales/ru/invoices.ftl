command-invoices = Ваши счета
button-invoices = 🧾 Счета
button-my-invoices = 🧾 Мои счета
invoices-title = <b>Счета</b>
invoices-totals =
    Оплачено или доставлено, по ценам в TRX, дни по UTC:
    Сегодня: { $today } · { AMOUNT($todayTrx) } TRX
    На этой неделе: { $week } · { AMOUNT($weekTrx) } TRX
    В этом месяце: { $month } · { AMOUNT($monthTrx) } TRX
invoices-totals-partial = <i>Учтены только последние счета.</i>
invoices-opened = <b>Счета, которые вы открыли</b>
invoices-pick = Чтобы открыть счёт, нажмите на его номер.
button-invoices-find = 🔎 Найти
invoices-find = <b>🔎 Какой счёт?</b> Пришлите его номер, слово из комментария, адрес или цену.
problem-invoices-find = Пришлите до { $max } символов: номер, слово из комментария, адрес или цену.
invoices-found = <b>Счета, где есть</b> <code>{ $sought }</code>
invoices-found-none = Счёта, где есть <code>{ $sought }</code>, у вас нет.
invoices-found-latest = <i>Это последние. Нужен более старый? Пришлите его номер.</i>
invoices-empty = { $reader ->
        [seller] Счетов пока нет. По счёту покупатель оплачивает энергию для своего адреса, аккаунт ему не нужен.
       *[guest] Счетов пока нет. По счёту вы оплачиваете энергию с любого кошелька, без аккаунта.
    }
invoices-none-open = Неоплаченных счетов нет.
invoices-none-such = Ничего не найдено.

## Счёт в списке
invoices-what =
    { $amount } энергии на { $hours } ч · { $target }
    { AMOUNT($trx) } TRX или { AMOUNT($usdt) } USDT
invoices-account = { $account ->
        [none] без аккаунта
       *[other] аккаунт { $account }
    }
invoices-note = Комментарий: <code>{ $note }</code>
invoices-open = 🧾 <b>Ждёт оплаты</b>
invoices-ending = ⏳ <b>Скоро истечёт</b>
invoices-over = ⌛ <b>Истёк</b>
invoices-unreported = ⏳ <b>Срок истёк, ответа сервиса нет</b>
invoices-revoked = 🚫 <b>Ссылка отключена</b>
invoices-paid = 💰 <b>Оплачен</b>
invoices-late = 💰 <b>Оплачен слишком поздно</b>
invoices-delivered = ✅ <b>Доставлен</b>
invoices-partial = 🟠 <b>Доставлен частично</b>
invoices-failed = ❌ <b>Оплачен, но не доставлен</b>
invoices-unchecked = ⚠️ <b>Больше не отслеживается</b>
invoices-unrecognized = ⚠️ <b>Статус не распознан</b>
invoices-unchecked-paid = <i>Больше не отслеживается{ $account ->
        [own] : аккаунт здесь не привязан
       *[other] {""}
    }.</i>

## Что показано
filter-all = Все
filter-open = Открыты
filter-sold = Оплачены
filter-paid = Оплачены, не доставлены
filter-delivered = Доставлены
filter-ended = Истекли и неудачные

## Файл
button-csv = ⬇ Скачать CSV
invoices-file = Ваши счета за последние 90 дней: { $count }. Время — по UTC. В какой монете оплачен счёт, сервис не сообщает.
invoices-file-partial = Ваши последние счета за 90 дней: { $count }. Время — по UTC. В какой монете оплачен счёт, сервис не сообщает.
toast-file-slow = Файл ещё в пути. Нет через минуту? Нажмите ещё раз.
