notice-unclear = <i>Возможно, вы это уже видели:</i>

## Пополнения
notice-deposit = 📥 <b>Пополнение</b>
deposit-noticed = ⏳ <b>{ AMOUNT($amount) }{"\u00A0"}{ $currency }</b> в пути, ещё не подтверждено.
deposit-noticed-bare = ⏳ Пополнение в пути, ещё не подтверждено.
deposit-credited = { $converted ->
        [yes] ✅ Пришло <b>{ AMOUNT($amount) }{"\u00A0"}{ $currency }</b>, зачислено <b>{ AMOUNT($trx) } TRX</b>.
       *[no] ✅ Зачислено <b>{ AMOUNT($amount) }{"\u00A0"}{ $currency }</b>.
    }
deposit-credited-bare = ✅ Пополнение зачислено.
deposit-balance = Баланс теперь: <b>{ AMOUNT($balance) } TRX</b>
deposit-missing = { $what }: не хватает ещё около <b>{ AMOUNT($trx) } TRX</b>
deposit-expired = ⚠️ <b>{ AMOUNT($amount) }{"\u00A0"}{ $currency }</b> не зачислено: срок истёк. Обратитесь в сервис.
deposit-expired-bare = ⚠️ Срок пополнения истёк, оно не зачислено. Обратитесь в сервис.

## Выводы, сделанные другими или не здесь
notice-withdrawal = 📤 <b>Вывод с вашего аккаунта</b>
notice-withdrawal-line = { $status ->
        [failed] ↩️ <b>{ AMOUNT($amount) } TRX</b> не отправлены и вернулись на баланс. Получатель:
            <code>{ $to }</code>
       *[other] { $status ->
            [completed] <b>{ AMOUNT($amount) } TRX</b> отправлены
           *[pending] ⏳ <b>{ AMOUNT($amount) } TRX</b> отправляются
        }{ $fee ->
            [none] {""}
           *[other] {" "}(комиссия { AMOUNT($fee) } TRX)
        } на
            <code>{ $to }</code>
            Не вы и не тот, кому вы доверяете? Замените API-ключ в сервисе.
    }

## Smart Mode
notice-invoice-expired = ⌛ <b>Срок истёк, полной оплаты нет.</b> Если пришла часть, сервис мог её вернуть. Если за 24 ч сервис сообщит об оплате, я напишу.
invoice-expired-line = Счёт { $number }: { $amount } энергии на { $hours } ч для { $target }

notice-smart-mode = 🔁 <b>Smart Mode доставил энергию</b>
smart-mode-for = Для <code>{ $address }</code>
smart-mode-delivered = • { $energy } энергии, комиссия { AMOUNT($fee) } TRX
notice-smart-mode-paused = ⏸ <b>Smart Mode приостановлен</b>
smart-mode-paused =
    <code>{ $address }</code>

    Вероятно, сервисом: не хватило баланса, сейчас на нём <b>{ AMOUNT($balance) } TRX</b>. Пока вы не возобновите Smart Mode, энергия сама не приходит.

## Баланс
notice-low-balance = 📉 <b>Низкий баланс</b>
low-balance = Осталось <b>{ AMOUNT($balance) } TRX</b>, меньше вашего порога { AMOUNT($mark) } TRX.
low-balance-smart-mode = 🔁 Smart Mode работает для { $active ->
        [one] { $active } адреса
       *[other] { $active } адресов
    }. Если баланса не хватит на плату, сервис его приостановит.

## Мгновенные уведомления
notice-hook = ⚠️ <b>Мгновенные уведомления не приходят</b>
hook-elsewhere = Уведомления этого аккаунта теперь получает другая программа. Новости здесь приходят на несколько минут позже.
hook-off = Другой пользователь аккаунта { $account } выключил их для всех. О доставке заказов вы не узнаете.
hook-unreached = Сервис не смог связаться с ботом. Если это повторится, включите мгновенные уведомления ещё раз.

## События без своего текста
notice-event = 📨 <b>Неизвестное событие от сервиса</b>
event-type = Тип: <code>{ $type }</code>
event-field = { $name } — <code>{ $value }</code>
event-unknown = Спросите сервис, что оно значит. Смотрите «{ button-webhook-log }»; отключить такие можно в «{ button-notifications }».

## Записи сервиса, которые противоречат заказу, для администраторов
contradiction =
    ⚠️ <b>Данные сервиса не сходятся с { $what ->
        [energy] заказом энергии
        [bandwidth] заказом bandwidth
        [withdrawal] выводом
        [invoice] счётом
       *[other] заказом
    } { $order }</b>
    { $fact ->
        [address] Адрес
        [amount] Количество
        [hours] Срок в часах
        [price] Цена
       *[status] Статус
    }: в заказе <code>{ $ordered }</code>, у сервиса { $reported ->
        [none] ничего не указано
       *[other] <code>{ $reported }</code>
    }
    Операция { $operation }, { $account ->
        [none] аккаунт оператора
       *[other] аккаунт { $account }
    }. Для пользователя ничего не изменилось. Спросите сервис.

## Названия событий в списках
event-order-filled = Заказ доставлен
event-order-failed = Заказ не выполнен
event-deposit-pending = Пополнение в пути
event-deposit-confirmed = Пополнение зачислено
event-deposit-expired = Срок пополнения истёк
event-withdrawal-pending = Вывод в обработке
event-withdrawal-completed = Вывод отправлен
event-withdrawal-failed = Вывод не удался
event-invoice-paid = Счёт оплачен
event-invoice-delegated = Доставлено по счёту
event-invoice-expired = Срок счёта истёк
event-invoice-failed = По счёту не доставлено
event-smart-mode-transfer = Доставка Smart Mode

## Данные, которые не удаётся прочитать
record-unreadable = { $what ->
        [operation] ⚠️ <b>Операцию { $id } больше нельзя прочитать.</b> Если вы её подтвердили, сначала проверьте баланс и историю в сервисе и только потом покупайте или выводите ещё раз.
        [invoice] ⚠️ <b>Один из ваших счетов больше нельзя прочитать.</b> Прежде чем создать новый, проверьте в сервисе, оплачен ли он.
       *[link] ⚠️ <b>Данные аккаунта не читаются, он отвязан.</b> Привяжите его заново.
    }
