notice-unclear = <i>Возможно, вы это уже читали: когда я это отправлял, ответа не было.</i>

## Пополнения
notice-deposit = { $count ->
        [1] 📥 <b>Пополнение</b>
       *[other] 📥 <b>Пополнения: { $count }</b>
    }
deposit-noticed = ⏳ <b>{ $amount } { $currency }</b> в пути. Сервис ждёт подтверждения перевода.
deposit-noticed-bare = ⏳ Пополнение в пути. Сервис ждёт подтверждения перевода.
deposit-credited = { $converted ->
        [yes] ✅ Пришло <b>{ $amount } { $currency }</b>; на баланс зачислено <b>{ $trx } TRX</b>.
       *[no] ✅ На баланс зачислено <b>{ $amount } { $currency }</b>.
    }
deposit-credited-bare = ✅ Пополнение зачислено на баланс.
deposit-expired = ⚠️ <b>{ $amount } { $currency }</b> не зачислено: по словам сервиса, срок пополнения истёк. Спросите об этом сервис.
deposit-expired-bare = ⚠️ Пополнение не зачислено: по словам сервиса, его срок истёк. Спросите об этом сервис.

## Выводы, сделанные кем-то ещё или не здесь
notice-withdrawal = { $count ->
        [1] 📤 <b>Вывод с вашего аккаунта</b>
       *[other] 📤 <b>Выводы с вашего аккаунта: { $count }</b>
    }
notice-withdrawal-pending =
    ⏳ <b>{ $amount } TRX</b> отправляются{ $fee ->
        [none] {""}
       *[other] {" "}(комиссия { $fee } TRX)
    } на
    <code>{ $to }</code>
    Если это не вы и не тот, кому вы доверяете, замените ключ API в сервисе.
notice-withdrawal-completed =
    <b>{ $amount } TRX</b> отправлены{ $fee ->
        [none] {""}
       *[other] {" "}(комиссия { $fee } TRX)
    } на
    <code>{ $to }</code>
    Если это не вы и не тот, кому вы доверяете, замените ключ API в сервисе.
notice-withdrawal-failed =
    ↩️ <b>{ $amount } TRX</b> отправить не удалось, они вернулись на ваш баланс. Предназначались для
    <code>{ $to }</code>

## Smart Mode
notice-smart-mode = { $count ->
        [1] ⚡ <b>Smart Mode доставил энергию</b>
       *[other] ⚡ <b>Smart Mode доставил энергию, раз: { $count }</b>
    }
smart-mode-for = Для переводов с <code>{ $address }</code>
smart-mode-delivered = • { $energy } энергии, комиссия { $fee } TRX

## Баланс
notice-low-balance = 📉 <b>Мало средств</b>
low-balance = Осталось <b>{ $balance } TRX</b> — меньше вашей отметки в { $mark } TRX.

## Отчёты сервиса
notice-hook = ⚠️ <b>Отчёты сервиса до меня больше не доходят</b>
hook-elsewhere = Отчёты о вашем аккаунте теперь приходят в другое место: его указали в сервисе. Теперь я читаю журнал сервиса, и это на несколько минут дольше.
hook-off = Кто-то ещё, кто привязал аккаунт { $account }, выключил их здесь для всех, кто его привязал. О пополнениях и выводах я по-прежнему узнаю сам и сообщу, только позже; что заказ доставлен, я больше не узнаю.
hook-unreached = Сервис не смог доставить мне последние отчёты. Я прочитал их в его журнале, и это на несколько минут дольше. Если так и останется, включите их здесь ещё раз.

## То, для чего нет своих слов
notice-event = { $count ->
        [1] 📨 <b>Сервис сообщает о том, чего этот бот ещё не знает</b>
       *[other] 📨 <b>Сервис сообщает о том, чего этот бот ещё не знает, сообщений: { $count }</b>
    }
event-type = Тип: <code>{ $type }</code>
event-field = { $name } — <code>{ $value }</code>
event-unknown = <i>Что это значит, подскажет сервис. «{ $log }» показывает всё, что он прислал; в «{ $muting }» такие сообщения можно отключить.</i>

## О чём события сервиса, когда они стоят в списках
event-order-filled = Заказ доставлен
event-order-failed = Заказ не выполнен
event-deposit-pending = Пополнение в пути
event-deposit-confirmed = Пополнение зачислено
event-deposit-expired = Срок пополнения истёк
event-withdrawal-pending = Вывод в пути
event-withdrawal-completed = Вывод отправлен
event-withdrawal-failed = Вывод не удался
event-invoice-paid = Счёт оплачен
event-invoice-delegated = Доставлено по счёту
event-invoice-expired = Срок счёта истёк
event-invoice-failed = По счёту не доставлено
event-smart-mode-transfer = Доставил Smart Mode

## Запись пользователя, которую не удаётся прочитать
record-unreadable = { $what ->
        [operation] ⚠️ <b>Не удаётся прочитать запись об операции { $id }.</b> Если вы её подтвердили, проверьте баланс и историю в сервисе, прежде чем повторять.
        [invoice] ⚠️ <b>Не удаётся прочитать один из ваших счетов.</b> Прежде чем создавать новый, проверьте в сервисе, оплачен ли он.
       *[link] ⚠️ <b>Привязка вашего аккаунта больше не читается.</b> Привяжите аккаунт заново.
    }
