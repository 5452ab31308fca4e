command-buy = Купить энергию
button-energy = ⚡ Купить энергию
button-energy-transfer = ⚡ Энергия на перевод
energy-title = ⚡ Энергия: { $amount } · { $hours } ч
energy-short = { $amount } энергии

## Вопросы
energy-address = <b>⚡</b> С какого адреса вы <i>отправите</i> USDT? Пришлите его.
energy-amount =
    Адрес: <code>{ $address }</code>

    Сколько переводов USDT, от 1 до { $most }? Или сколько энергии, от { $min } до { $max }?
problem-energy-amount = Пришлите число: от 1 до { $most } переводов или от { $min } до { $max } энергии.
problem-energy-range = { $why ->
        [little] { $amount } — слишком мало, нужно не меньше { $min }.
        [many] { $count } — слишком много, можно не больше { $most } переводов.
       *[much] { $amount } — слишком много, можно не больше { $max }.
    }
problem-energy-hours = { $hours } ч не получится: энергия сдаётся на 1 ч или 24 ч.
order-said-left = Не понимаю «{ $left }».
order-note-left = Комментарий «{ $note }» не добавлен: он бывает только в счетах для покупателей.
order-number-ignored = Здесь { $amount } энергии. Нужно другое количество? Пришлите его.
order-for-recipient = ⚠️ <b>Это адрес получателя?</b> Энергия нужна адресу, который <b>отправляет</b> USDT. Пришлите его.
order-hours-replaced = ⚠️ <b>Вы просили { $wanted } ч, выбрано { $hours } ч.</b> Энергия сдаётся на 1 ч или 24 ч.
order-noted = Учтено: { $amount } энергии на { $hours } ч. Теперь пришлите адрес.
button-one-holder = { $amount } · у получателя есть USDT
button-one-new = { $amount } · у получателя нет USDT
button-transfers = { $count ->
        [few] { $count } перевода
       *[other] { $count } переводов
    } · { $amount }
button-other-amount = Другое количество
button-more-for-address = ⋯ Ещё действия
button-1-hour = 1 час
button-24-hours = 24 часа

## Карточка
energy-target = Энергия для отправителя: <code>{ $address }</code>
energy-enough = { $for ->
        [none] Для перевода USDT мало: нужно { $holder }.
        [holder] Хватит на { $most ->
            [one] перевод USDT на кошелёк
           *[few] { $most } перевода USDT на кошельки
        } с USDT (без USDT нужно { $first }).
       *[first] Хватит на { $least ->
            [1] перевод USDT на кошелёк
            [one] { $least } перевод USDT на кошельки
            [few] { $least } перевода USDT на кошельки
           *[other] { $least } переводов USDT на кошельки
        } без USDT или на { $most } — на кошельки с USDT.
    }
energy-truth = <i>Покупку нельзя отменить или перенести на другой адрес.</i>
energy-earlier = ⚠️ { $state ->
        [sale] Счёт { $number } для этого адреса ещё открыт.
        [invoice] Для этого адреса ещё открыт счёт { $number }. Оплатите только один из них: неоплаченный ничего не стоит. Отправили часть? Доплатите счёт { $number }.
        [pay-to] Это адрес для оплаты вашего счёта { $number }. С него USDT не отправляют, энергия для него пропадёт. Пришлите адрес, с которого отправите USDT.
        [arriving] Вы купили { $amount } энергии для этого адреса { $age } назад. Обычно она приходит за минуту.
        [returned] Вы купили { $amount } энергии для этого адреса { $age } назад. Возможно, не удалось: за этот или другой заказ вернулись деньги.
        [failed] Заказ { $number } на { $amount } энергии для этого адреса, { $age } назад, <b>не доставлен</b>. Возврата я пока не вижу.
        [unreported] Счёт { $number } для этого адреса истёк, но <b>я пока не знаю, оплачен ли он.</b> Уже оплатили? Не платите ещё раз.
        [unknown] Вы покупали { $amount } энергии для этого адреса { $age } назад (операция <code>{ $id }</code>), и <b>я пока не знаю, удалось ли.</b> Если купите снова, можете заплатить дважды.
        [likely] Скорее всего, вы купили { $amount } энергии для этого адреса { $age } назад (операция <code>{ $id }</code>). Проверьте адрес, прежде чем покупать снова.
        [unseen] Вы купили { $amount } энергии для этого адреса { $age } назад. Если она пришла, то действует до <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>.
       *[there] Вы купили { $amount } энергии для этого адреса { $age } назад. Она действует до <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>.
    }
energy-running = Всего для этого адреса: { $count ->
        [one] { $count } аренда
        [few] { $count } аренды
       *[many] { $count } аренд
    }, { $amount } энергии{ $unseen ->
        [0] {""}
       *[other] {" "}(доставки пока не видно: { $unseen }{ $returned ->
            [0] {""}
           *[other] ; из них деньги, возможно, вернулись за { $returned }
        })
    }. { $count ->
        [1] Она заканчивается
       *[other] Ближайшая заканчивается
    } <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>.
energy-going = ⏳ <b>Покупаю…</b>
energy-delivered = ✅ <b>Энергия на месте.</b> { $enough ->
        [yes] Отправьте USDT
       *[no] Используйте её
    } до <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>.
energy-done = ✅ <b>Куплено</b>
energy-refused = ❌ <b>Не куплено.</b> Ничего не списано.
energy-likely = 🟡 <b>Скорее всего, куплено</b>
energy-again = Купить ещё
energy-anyway = Всё равно купить
energy-filter = ⚡ Энергия
