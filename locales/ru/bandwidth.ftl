command-bandwidth = Купить пропускную способность
button-bandwidth = 📶 Пропускная способность
bandwidth-title = 📶 Пропускная способность: { $amount } · { $hours } ч

## Вопросы
bandwidth-address =
    <b>Пропускная способность</b> · 1 из 3

    Какой адрес будет <i>отправлять</i>? Любой перевод в TRON расходует пропускную способность: около 268 для TRX, около 345 для USDT. У адреса есть 600 в день бесплатно.

    Пришлите его{ $known ->
        [yes] {" "}или выберите один из прежних.
       *[no] .
    }
bandwidth-amount =
    <b>Пропускная способность</b> · 2 из 3
    Адрес: <code>{ $address }</code>

    Сколько? 350 хватает на один перевод USDT.
    Выберите или напишите целое число от { $min } до { $max }.
bandwidth-duration =
    <b>Пропускная способность</b> · 3 из 3
    Адрес: <code>{ $address }</code>
    Количество: <b>{ $amount }</b>

    На какое время? Выберите или напишите целое число часов от { $min } до { $max }.
problem-bandwidth-duration = Напишите целое число часов от { $min } до { $max }, например 24.
button-hours-priced = { $hours } ч · ≈ { $price } TRX

## Карточка
bandwidth-truth = <i>Покупку нельзя отменить или перенести на другой адрес.</i>
bandwidth-going = ⏳ <b>Покупаю…</b> Запрос отправляется.
bandwidth-done = ✅ <b>Куплено</b>
bandwidth-refused = ❌ <b>Не куплено.</b> Ничего не списано.
bandwidth-likely = 🟡 <b>Скорее всего куплено</b>
bandwidth-again = Купить ещё
bandwidth-anyway = Всё равно купить
bandwidth-filter = 📶 Пропускная способность
