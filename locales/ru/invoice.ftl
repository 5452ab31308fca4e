command-invoice = Новый счёт
button-invoice-new = 🧾 Новый счёт
button-buy-by-invoice = ⚡ Купить энергию
invoice-title = 🧾 Счёт · { $transfers ->
        [0] { $amount } энергии
        [one] { $transfers } перевод ({ $amount } энергии)
        [few] { $transfers } перевода ({ $amount } энергии)
       *[other] { $transfers } переводов ({ $amount } энергии)
    } · { $hours ->
        [one] { $hours } час
        [few] { $hours } часа
       *[other] { $hours } часов
    }
invoice-filter = 🧾 Счета

## Вопросы
invoice-address =
    <b>Новый счёт</b> · 1 из 3

    С какого адреса отправляют USDT? Энергия идёт туда, а не получателю.

    Пришлите его{ $known ->
        [yes] {" "}или выберите один из прежних.
       *[no] .
    }
invoice-amount =
    <b>Сколько?</b> · 2 из 3
    Для: <code>{ $address }</code>

    Сколько переводов USDT, от { $min } до { $max }? Каждый — 65 000 энергии: хватает, если у получателя уже есть USDT. Для получателя без USDT возьмите два перевода или напишите количество энергии от { $least } до { $greatest }.
invoice-duration =
    <b>На сколько?</b> · 3 из 3
    Для: <code>{ $address }</code>

    Энергия будет на адресе это время после оплаты счёта.
problem-invoice-amount = Напишите число переводов от { $min } до { $max } или количество энергии от { $least } до { $greatest }.
invoice-note =
    <b>Строка для того, кто платит?</b>

    Она стоит на карточке и на странице как ваша: обычный текст до { $max } символов, без ссылок.
problem-invoice-note = Напишите одну строку до { $max } символов, без ссылок, или нажмите кнопку.
problem-invoice-note-address = Это адрес, и строку с ним приняли бы за адрес для оплаты. Напишите другую строку или нажмите «Назад», чтобы изменить адрес.
button-no-note = Без строки
button-same-again = То же другому покупателю
button-other-address = Другой адрес
invoice-same-again =
    <b>То же другому покупателю</b>
    { $title }
invoice-same-note = Строка для того, кто платит, не переносится. Напишите другую — обычный текст до { $max } символов, без ссылок — или нажмите кнопку.
invoice-customer =
    <b>Другой покупатель</b>

    С какого адреса отправляют USDT на этот раз?

    Пришлите его{ $known ->
        [yes] {" "}или выберите один из прежних.
       *[no] .
    }

## Карточка операции
invoice-terms =
    Этим ничего не списывается: сервис создаёт адрес для оплаты, называет цену в TRX и USDT и 30 минут ждёт оплаты.{ $transfers ->
        [0] {""}
        [one] {" "}Одного перевода в 65 000 энергии мало, если у получателя ещё нет USDT.
       *[other] {" "}Каждый перевод — 65 000 энергии: этого мало, если у получателя ещё нет USDT.
    }
invoice-truth = <i>Платёж отменить нельзя.</i>
invoice-going = ⏳ <b>Создаю счёт…</b>
invoice-done = ✅ <b>Счёт создан.</b> Он ниже.
invoice-refused = ❌ <b>Счёт не создан.</b> Ничего не списано.
invoice-likely = 🟡 <b>Скорее всего, создан</b>
invoice-again = Ещё один
invoice-anyway = Всё равно создать
refusal-not-made = Ответ сервиса потерялся. Ничего не списано, и платить не за что: просто создайте другой.
refusal-guest-open = У вас три открытых счёта. Оплатите один из них (/invoices) или попробуйте через { $minutes } мин.
refusal-guest-hour = За час это шесть счетов. Попробуйте через { $minutes } мин.
refusal-guest-all = Сейчас счета создают очень многие. Попробуйте через { $seconds } с.

## Счёт
invoice-open = 🧾 <b>К оплате { $trx } TRX или { $usdt } USDT</b>
invoice-ending = ⏳ <b>Оплатите { $trx } TRX или { $usdt } USDT поскорее</b>
invoice-over = ⌛ <b>Время вышло. Этот счёт больше не оплачивайте.</b>
invoice-paid = 💰 <b>Оплачен. Энергия в пути.</b>
invoice-late = 💰 <b>Оплачен, но позже срока</b>
invoice-delivered = ✅ <b>Оплачен и доставлен</b>
invoice-failed = ❌ <b>Оплачен, но не доставлен</b>
invoice-number = Счёт { $number }
invoice-amounts =
    Ровно <code>{ $trx }</code> TRX
    или ровно <code>{ $usdt }</code> USDT
    в сети TRON (TRC20), на этот адрес:
    <code>{ $address }</code>
    { $compared }
invoice-delivers = { $standing ->
        [delivered] Доставлено:
        [over] Это было за
        [failed] Это было за
       *[other] Доставит
    } { $amount } энергии на { $hours ->
        [one] { $hours } час
        [few] { $hours } часа
       *[other] { $hours } часов
    } на адрес
    <code>{ $address }</code>
invoice-note-shown = Продавец пишет: <code>{ $note }</code>
invoice-until = Оплатите до <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>, одним платежом. Другие монеты и сети пропадут.
invoice-ends = Срок кончается <tg-time unix="{ $unix }" format="r">в { $at }</tg-time>. Более поздний платёж может пропасть. Если вы уже что-то отправили, не отправляйте снова.
invoice-over-note = { $own ->
        [yes] Если его всё же оплатили, я ещё сутки смотрю и напишу вам сюда. Для новой попытки создайте новый счёт.
       *[no] Если вы всё же заплатили, я ещё сутки смотрю и напишу вам сюда. Чтобы оплатить сейчас, попросите новый счёт.
    }
invoice-late-note = Платёж пришёл после срока счёта. Что с ним будет, решает сервис; я сутки смотрю и напишу вам сюда.
invoice-failed-note = Сервис не смог доставить и сообщает, что возвращает платёж отправителю.
invoice-transaction = Транзакция: <code>{ $hash }</code>
invoice-opened = 👁 Ссылку открыли.
invoice-news-paid = 💰 <b>Счёт оплачен.</b> Энергия в пути.
invoice-news-late = 💰 <b>Счёт оплачен позже срока.</b> Я напишу, что с ним будет.
invoice-news-delivered = ✅ <b>Доставлено:</b> { $amount } энергии для <code>{ $address }</code>
invoice-news-failed = ❌ <b>Доставить не удалось.</b> Сервис сообщает, что возвращает платёж отправителю.
invoice-news-own = Счёт { $number } · { $trx } TRX или { $usdt } USDT
invoice-news-about = Счёт на { $trx } TRX или { $usdt } USDT
button-copy-trx = ⧉ Копировать { $trx } TRX
button-copy-usdt = ⧉ Копировать { $usdt } USDT
button-check-payment = ↻ Проверить оплату
button-share = ↗ Поделиться
button-revoke = 🚫 Закрыть ссылку
button-copy-page = ⧉ Копировать ссылку
toast-invoice-revoked = Ссылка больше никуда не ведёт.
toast-invoice-asked = Я спросил сервис. Карточка изменится, как только он ответит.
toast-invoice-shared = Ссылка теперь новая. Нажмите «Поделиться» ещё раз.
toast-invoice-gone = Этого счёта у меня больше нет.
share-text = Счёт: { $trx } TRX или { $usdt } USDT
invoice-left = Ссылку на этот счёт открыло очень много людей, поэтому карточку здесь я убрал. Откройте ссылку снова, чтобы увидеть её.
invoice-link-none = Эта ссылка больше не ведёт к счёту. Попросите новую.
guests-full = ⚠️ Гости создают столько счетов, сколько для них можно создать за минуту на аккаунте оператора.
