command-bandwidth = Купить bandwidth
button-bandwidth = 📶 Купить bandwidth
bandwidth-title = 📶 Bandwidth: { $amount } · { $hours } ч
bandwidth-short = { $amount } bandwidth

## Вопросы
bandwidth-address = <b>📶 1/3</b> · С какого адреса вы <i>отправите</i>? Пришлите его. У него 600 bandwidth в день бесплатно; перевод USDT расходует 345.
bandwidth-amount =
    <b>📶 2/3</b> · Адрес: <code>{ $address }</code>

    Сколько? 350 хватит на один перевод USDT. Выберите или пришлите число от { $min } до { $max }.
bandwidth-duration =
    <b>📶 3/3</b> · Адрес: <code>{ $address }</code>
    Bandwidth: <b>{ $amount }</b>

    На сколько часов? Выберите или пришлите число от { $min } до { $max }.
problem-bandwidth-duration = Пришлите целое число часов от { $min } до { $max }, например 24.
button-hours-priced = { $hours } ч · ≈ { AMOUNT($price) } TRX

## Карточка
bandwidth-truth = <i>Покупку нельзя отменить или перенести на другой адрес.</i>
bandwidth-going = ⏳ <b>Покупаю…</b>
bandwidth-delivered = ✅ <b>Bandwidth доставлен.</b> Используйте его до <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>.
bandwidth-done = ✅ <b>Куплено</b>
bandwidth-refused = ❌ <b>Не куплено.</b> Ничего не списано.
bandwidth-likely = 🟡 <b>Скорее всего, куплено</b>
bandwidth-again = Купить ещё
bandwidth-anyway = Всё равно купить
bandwidth-filter = 📶 Bandwidth
