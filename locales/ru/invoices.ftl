command-invoices = Ваши счета
button-invoices = 🧾 Счета
button-my-invoices = 🧾 Мои счета
invoices-title = <b>Счета</b>
invoices-totals =
    Оплачено или доставлено, по цене в TRX:
    Сегодня: { $today } · { $todayTrx } TRX
    На этой неделе: { $week } · { $weekTrx } TRX
    В этом месяце: { $month } · { $monthTrx } TRX
    <i>Дни по UTC, неделя с понедельника.</i>
invoices-totals-partial = <i>Учтены только последние ваши счета: их очень много.</i>
invoices-pick = Нажмите номер, чтобы открыть карточку.
invoices-empty = Пока пусто. Ваши счета хранятся здесь 90 дней.
invoices-none-such = Таких нет.
invoices-further = Среди последних таких нет. Посмотрите раньше.

## Счёт в списке
invoices-what = { $amount } энергии на { $hours ->
        [one] { $hours } час
        [few] { $hours } часа
       *[other] { $hours } часов
    } · { $target } · { $price } TRX
invoices-note = Тому, кто платит: <code>{ $note }</code>
invoices-open = 🧾 <b>К оплате</b>
invoices-ending = ⏳ <b>Срок скоро кончится</b>
invoices-over = ⌛ <b>Просрочен</b>
invoices-paid = 💰 <b>Оплачен</b>
invoices-late = 💰 <b>Оплачен позже срока</b>
invoices-delivered = ✅ <b>Доставлен</b>
invoices-failed = ❌ <b>Оплачен, но не доставлен</b>
invoices-unchecked = ❔ <b>Больше не проверяется</b>
invoices-unrecognized = ❔ <b>Статус не распознан</b>
invoices-unchecked-paid = <i>Больше не проверяется: аккаунт здесь не привязан.</i>

## Что показано
filter-all = Все
filter-open = Открыты
filter-paid = Оплачены
filter-delivered = Доставлены
filter-ended = Остальные

## Файл
button-csv = ⬇ В CSV
invoices-file = { $count ->
        [one] { $count } счёт
        [few] { $count } счёта
       *[other] { $count } счетов
    } — всё, что я для вас храню. Время — по UTC.
invoices-file-partial = Последние ваши счета, { $count }. Время — по UTC.
toast-file-slow = Telegram долго принимает файл. Если через минуту его нет, нажмите ещё раз.
