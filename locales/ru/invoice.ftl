command-invoice = Новый счёт
button-invoice-new = 🧾 Новый счёт
invoice-title = 🧾 Счёт · { $amount } энергии · { $hours } ч
invoice-short = Счёт: { $amount } энергии
invoice-filter = 🧾 Счета

## Вопросы
invoice-address-customer = <b>🧾</b> С какого адреса <i>покупатель отправляет</i> USDT? Пришлите его. Энергия придёт туда.
invoice-address = <b>⚡</b> С какого адреса <i>отправляют</i> USDT? Пришлите его. Энергия придёт туда.
invoice-note =
    <b>{ $note ->
        [none] Комментарий для покупателя?
       *[other] Пришлите другой комментарий или оставьте этот:
    }</b>{ $note ->
        [none] {""}
       *[other] {" "}<code>{ $note }</code>
    }

    До { $max } символов, без ссылок.
invoice-note-offered =
    <b>Это комментарий для покупателя?</b>

    { $note }
invoice-note-kept = Комментарий: <code>{ $note }</code>. Теперь пришлите адрес.
problem-invoice-note = Пришлите до { $max } символов без ссылок.
problem-invoice-note-link = Пришлите комментарий без ссылок, сайтов и @имён: покупатель может им поверить.
problem-invoice-note-address = Пришлите комментарий без адреса кошелька: покупатель может отправить деньги на него.
button-new-customer = Новому покупателю
button-invoices-back = ‹ Счета
button-note = ✎ Комментарий покупателю
button-note-add = Добавить комментарий
button-note-keep = Оставить
button-note-remove = Удалить комментарий

## Карточка операции
invoice-terms = { $reader ->
        [merchant] Создать счёт ничего не стоит. У покупателя 30 минут на оплату. { invoice-payee }
       *[other] Сейчас ничего не списывается. Оплата в TRX или USDT, в течение 30 минут.
    }
invoice-payee = Платёж получает сервис за энергию, на ваш баланс он не попадёт.
invoice-truth = <i>Платёж нельзя отменить.</i>
button-invoice-create = ✅ Создать счёт
invoice-going = ⏳ <b>Создаю счёт…</b>
invoice-done = ✅ <b>Счёт создан</b>
invoice-refused = ❌ <b>Счёт не создан.</b> Ничего не списано.
invoice-likely = 🟡 <b>Скорее всего, создан</b>
invoice-again = Создать такой же
invoice-anyway = Всё равно создать
refusal-not-made = Сервис не прислал счёт, платить пока нечего. Попробуйте ещё раз.
invoice-unavailable = Счета сейчас недоступны. Ничего не списано. Попробуйте позже.
refusal-unavailable = Счета сейчас недоступны. Попробуйте позже.
refusal-guest-open = У вас три открытых счёта: /invoices. Оплатите один или попробуйте ещё раз через { $minutes } мин, когда истечёт первый.
refusal-guest-hour = Больше шести счетов в час нельзя. Попробуйте ещё раз через { $minutes } мин.
refusal-guest-all = Сейчас слишком много счетов. Попробуйте ещё раз { $when }.

## Счёт
invoice-open = 🧾 <b>{ $reader ->
        [merchant] Ждёт оплаты
       *[other] К оплате ровно { AMOUNT($trx) } TRX или { AMOUNT($usdt) } USDT
    }</b>
invoice-ending = ⏳ <b>{ $reader ->
        [merchant] Ждёт оплаты, срок истекает
       *[other] Времени мало: оплатите ровно { AMOUNT($trx) } TRX или { AMOUNT($usdt) } USDT
    }</b>
invoice-over = ⌛ <b>Срок истёк. { $reader ->
        [merchant] Покупатель больше не может его оплатить.
       *[other] Не оплачивайте этот счёт.
    }</b>
invoice-revoked = 🚫 <b>Продавец отключил ссылку. Не платите.</b>
invoice-paid = 💰 <b>Оплачен. Энергия в пути.</b>
invoice-paid-note = <b>Пока не отправляйте USDT.</b> Я напишу, когда энергия придёт, обычно за минуту.
invoice-follow-up-paid = 💰 <b>Оплачен.</b> Пока не отправляйте USDT: я напишу, когда энергия придёт, обычно за минуту.
invoice-follow-up-over = ⌛ <b>Срок счёта { $number } истёк.</b> Отправили часть или всё? Больше не отправляйте. Проверьте кошелёк, с которого платили: сервис может вернуть деньги. Напишу, если он сообщит об оплате в течение 24 ч.
invoice-late = 💰 <b>Оплачен слишком поздно</b>
invoice-delivered = ✅ <b>Оплачен и доставлен</b>
invoice-ended = { $reader ->
        [merchant] { invoice-delivered }
       *[other] ⌛ <b>Аренда закончилась.</b> Энергия была доставлена.
    }
invoice-rental-ended = Аренда закончилась: <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
invoice-partial = 🟠 <b>Оплачен и доставлен частично</b>
invoice-failed = ❌ <b>Оплачен, но не доставлен</b>
invoice-unchecked = ⚠️ <b>Счёт больше не отслеживается. { $reader ->
        [merchant] Покупателю не стоит его оплачивать.
       *[other] Не оплачивайте его.
    }</b>
invoice-unrecognized = ⚠️ <b>{ $reader ->
        [merchant] Покупателю сейчас не стоит оплачивать этот счёт
       *[other] Сейчас не оплачивайте этот счёт
    }</b>
invoice-stale = ⏳ <b>{ $reader ->
        [merchant] Покупатель пока не может оплатить этот счёт.
       *[other] Пока не платите.
    }</b>
invoice-unreported = ⏳ <b>{ $reader ->
        [merchant] Покупатель больше не может оплатить этот счёт.
       *[other] Не платите по этому счёту.
    }</b>
invoice-number = Счёт { $number }
invoice-pay-to =
    В сети TRON (TRC20), на этот адрес:
    <code>{ $address }</code>
invoice-delivers =
    { $amount } энергии на { $hours } ч для
    <code>{ $address }</code>
invoice-sold =
    { $amount } энергии на { $hours } ч
    для { $target }
invoice-by-seller = Счёт выставил продавец: проверьте, что адрес ваш.
invoice-either = { AMOUNT($trx) } TRX или { AMOUNT($usdt) } USDT
invoice-link-off = Ссылка отключена. «{ button-share }» создаст новую.
invoice-off-until = У кого уже есть адрес для оплаты, тот может заплатить до <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>.
invoice-customer-until = Покупатель может оплатить до <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>. Я напишу, когда счёт полностью оплатят и энергия придёт.
invoice-note-shown = { $reader ->
        [merchant] Комментарий для покупателя
       *[other] Комментарий продавца
    }: <code>{ $note }</code>
invoice-until = Оплатите до <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>. Дойти должна ровно эта сумма: комиссия биржи или кошелька — сверху. Перевод в другой монете или сети пропадёт.
invoice-ends = Срок истекает в <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>. Более поздний платёж может пропасть. Дойти должна ровно эта сумма: комиссия биржи или кошелька — сверху.
invoice-parts = { $reader ->
        [merchant] Отправлена только часть? Нужен только остаток: на тот же адрес в той же монете.
       *[other] Отправили только часть? Отправьте остаток в той же монете. Отправили всё? Не платите ещё раз.
    }
invoice-arrived = 🔎 <a href="{ $url }">Что уже пришло</a>
invoice-was-payable-to = Адрес для оплаты (не платите): { $address }
invoice-over-note = { $reader ->
        [merchant] Покупатель уже отправил всё или часть?
       *[other] Уже отправили всё или часть? Больше не отправляйте. Проверьте кошелёк, с которого платили: сервис мог вернуть деньги.
    } Напишу, если сервис сообщит об оплате в течение 24 ч.{ $support ->
        [none] {""}
        [seller] {" "}Новостей так и нет? Сообщите продавцу номер счёта и транзакцию.
       *[other] {" "}Новостей так и нет? Напишите в поддержку: { $support }
    }
    { $reader ->
        [merchant] Чтобы получить оплату сейчас, создайте новый счёт.
       *[other] Чтобы оплатить сейчас, нужен новый счёт.
    }
invoice-over-for-good = Сервис не сообщил о полной оплате за 24 ч. { $reader ->
        [merchant] Чтобы получить оплату сейчас, создайте новый счёт.
       *[other] Уже оплатили? { $support ->
            [none] Проверьте кошелёк, с которого платили.
            [seller] Сообщите продавцу номер счёта и вашу транзакцию.
           *[other] Напишите в поддержку: { $support }
        }
    }
invoice-late-note = Платёж пришёл после срока, поэтому решает сервис.{ $support ->
        [none] {""}
        [seller] {" "}Нет новостей через 24 ч? Спросите продавца.
       *[other] {" "}Нет новостей через 24 ч? Напишите в поддержку: { $support }
    }
invoice-partial-note = Доставлено: <b>{ $delivered } из { $amount } энергии</b>. Об остатке и о возврате сервис не сообщал.
invoice-failed-note = Сервис сообщает, что возвращает платёж. Когда он придёт, мне не видно: { $reader ->
        [merchant] пусть покупатель проверит кошелёк, с которого платил.
       *[other] проверьте кошелёк, с которого платили.
    }
invoice-failed-seller = Деньги не вернулись? Сообщите продавцу номер счёта.
invoice-failed-next = { $reader ->
        [merchant] Энергия покупателю ещё нужна? Нажмите «{ invoice-again }».
        [buyer] <b>Не отправляйте USDT.</b> Энергия ещё нужна? Нажмите «{ invoice-again }».
       *[payer] <b>Не отправляйте USDT.</b> Энергия ещё нужна? Попросите у продавца новую ссылку.
    }
invoice-stale-note = { $reader ->
        [merchant] Карточка обновится сама.
       *[other] Уже заплатили? Не платите ещё раз. Если нет, дождитесь обновления карточки.
    }
invoice-revoked-note = Уже оплатили полностью? Не платите ещё раз: энергия всё равно придёт, и я напишу. Если нет, спросите продавца.
invoice-unreported-note = Время вышло, но сервис с тех пор не ответил, поэтому неизвестно, оплачен ли счёт. { $reader ->
        [merchant] Карточка обновится сама.
       *[other] Уже оплатили? Не платите ещё раз: карточка обновится сама.
    }
invoice-unrecognized-note = Статус в сервисе: <code>{ $status }</code>. { $reader ->
        [merchant] Ещё не оплачен? Создайте новый счёт.
       *[other] Уже заплатили? Не платите ещё раз. Если нет, нужен новый счёт.
    }
invoice-unchecked-note = { $account ->
        [own] Аккаунт { $number } здесь больше не привязан.{" "}
       *[other] {""}
    }{ $reader ->
        [merchant] Платежи, сделанные вовремя, сервис доставит. { $account ->
            [own] Привяжите аккаунт снова, чтобы видеть их.
           *[other] Чтобы получить оплату сейчас, создайте новый счёт.
        }
       *[other] Уже заплатили? Не платите ещё раз: платежи, сделанные вовремя, сервис доставит. Чтобы оплатить сейчас, нужен другой счёт.
    }
invoice-unchecked-paid = { $account ->
        [own] Аккаунт { $number } здесь больше не привязан. Привяжите его снова, чтобы узнать, что дальше.
       *[other] О дальнейшем я пока сообщить не могу.
    }
invoice-opened = 👁 Ссылку открыли.
invoice-picture-delivered = Доставлено
invoice-picture-paid = Оплачено, уже в пути
invoice-picture-duration = на { $hours } ч
invoice-created = Создан: <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
invoice-expired = Срок истёк: <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
invoice-paid-at = Оплачен: <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
invoice-delivered-at = Доставлен: <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
invoice-price = Цена: { AMOUNT($trx) } TRX или { AMOUNT($usdt) } USDT
invoice-usable-until = Энергия действует до <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>
invoice-follow-up-delivered = ✅ <b>Доставлено:</b> { $amount } энергии для <code>{ $address }</code>
button-invoice-other = ✎ Другое количество или адрес
invoice-own-now = ℹ️ <b>Этот счёт оплачиваете вы.</b> Счета для покупателей доступны с привязанным аккаунтом.
invoice-same-open = Этот счёт уже был открыт, второй я не создал. Нужно вдвое больше энергии? Нажмите «{ button-invoice-other }».
invoice-hour-limit = ⚠️ <b>Не больше шести счетов в час.</b> Следующий можно создать с <tg-time unix="{ $unix }" format="T">{ $at }</tg-time>.
invoice-others-open = ℹ️ { $count ->
        [one] Ваш счёт { $numbers } ещё можно оплатить.
       *[other] Ваши счета { $numbers } ещё можно оплатить.
    }{ $same ->
        [open] {""}
       *[none] {" "}Неоплаченные счета ничего не стоят. Отправили часть? Сначала доплатите тот счёт.
    }
invoice-unreported-before = ⚠️ { $reader ->
        [merchant] Счёт { $number } для этого адреса мог быть оплачен: с конца его срока сервис не отвечает. Если он оплачен, новый не нужен.
       *[buyer] Оплатили счёт { $number } для этого адреса? Не платите второй: с конца его срока сервис не отвечает, и платёж мне пока не виден.
    }
button-copy-trx = ⧉ Копировать сумму TRX
button-copy-usdt = ⧉ Копировать сумму USDT
button-check-payment = ↻ Проверить оплату
button-payment-page = ↗ Страница оплаты
button-share = ↗ Поделиться
button-revoke = 🚫 Отключить ссылку
button-copy-page = ⧉ Ссылка на страницу
toast-invoice-revoked = Ссылка отключена.
toast-invoice-asked = Сервис не отвечает. Карточка обновится сама.
toast-invoice-shared = Ссылка теперь новая. Нажмите «{ button-share }» ещё раз.
toast-invoice-gone = Этот счёт больше недоступен.
share-text =
    Счёт { $number }: { $amount } энергии на { $hours } ч для { $target }
    { AMOUNT($trx) } TRX или { AMOUNT($usdt) } USDT. Откройте ссылку, чтобы оплатить до { $at }.
invoice-left = Этот счёт открыло слишком много пользователей. Чтобы увидеть его, откройте ссылку снова.
invoice-link-none = Эта ссылка больше не работает. Не платите, попросите новую. Уже оплатили? Спросите продавца и покажите ему транзакцию.
guests-full = ⚠️ Гости исчерпали лимит счетов в минуту на аккаунте оператора.
toast-invoice-unpaid-revoked = Полной оплаты пока нет. Ссылка отключена: не платите.
toast-invoice-unpaid = Полной оплаты пока нет. Осталось { $left }.
invoice-unpaid-as-of = Полной оплаты нет на <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>.
invoice-unwanted = { $reader ->
        [merchant] Неоплаченный счёт ничего не стоит. Чтобы покупатель его не оплатил, откройте счёт и нажмите «{ button-revoke }».
       *[buyer] Неоплаченный счёт ничего не стоит: просто не платите по нему.
    }
invoice-others-meant = Или вы о { $kinds ->
        [orders] { $orderCount ->
            [one] заказе { $orders }
           *[other] заказах { $orders }
        }
        [both] { $count ->
            [one] счёте { $numbers }
           *[other] счетах { $numbers }
        } или { $orderCount ->
            [one] заказе { $orders }
           *[other] заказах { $orders }
        }
       *[invoices] { $count ->
            [one] счёте { $numbers }
           *[other] счетах { $numbers }
        }
    }?
button-open-invoice = Открыть счёт { $number }
button-open-order = Открыть заказ { $number }
toast-invoice-none = Сервис не сообщает о полной оплате этого счёта.
invoice-not-answered = Сервис не отвечает, поэтому не видно, оплачен ли счёт { $number }. Уже оплатили? Не платите ещё раз: его карточка обновится сама.
