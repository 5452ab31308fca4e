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
    ⏳ <b>{ $amount } TRX</b> отправляются (комиссия { $fee } TRX) на
    <code>{ $to }</code>
    Если это не вы и не тот, кому вы доверяете, замените ключ API в сервисе.
notice-withdrawal-completed =
    <b>{ $amount } TRX</b> отправлены (комиссия { $fee } TRX) на
    <code>{ $to }</code>
    Если это не вы и не тот, кому вы доверяете, замените ключ API в сервисе.
notice-withdrawal-failed =
    ↩️ <b>{ $amount } TRX</b> отправить не удалось, они вернулись на ваш баланс. Предназначались для
    <code>{ $to }</code>

## Smart Mode
notice-smart-mode = { $count ->
        [1] ⚡ <b>Smart Mode</b>
       *[other] ⚡ <b>Smart Mode: { $count } раз(а)</b>
    }
smart-mode-delivered =
    { $energy } энергии для перевода с
    <code>{ $address }</code>
    Комиссия: { $fee } TRX

## Баланс
notice-low-balance = 📉 <b>Мало средств</b>
low-balance = Осталось <b>{ $balance } TRX</b> — меньше вашей отметки в { $mark } TRX.

## Уведомления сервиса
notice-hook = 🔕 <b>Уведомления до меня больше не доходят</b>
hook-elsewhere = То, что сервис сообщает о вашем аккаунте, получает кто-то другой: там указано другое место. Теперь я читаю журнал сервиса, и это на несколько минут дольше.
hook-unreached = Сервис не смог доставить мне последние уведомления. Я прочитал их в его журнале, и это на несколько минут дольше. Если так и останется, включите отправку сюда заново.

## То, для чего нет своих слов
notice-event = { $count ->
        [1] 📨 <b>Уведомление сервиса</b>
       *[other] 📨 <b>Уведомления сервиса: { $count }</b>
    }
event-type = Событие: <code>{ $type }</code>
event-field = { $name } — <code>{ $value }</code>
