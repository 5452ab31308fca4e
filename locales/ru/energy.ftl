command-buy = Купить энергию
button-energy = ⚡ Купить энергию
energy-title = ⚡ Энергия: { $amount } · { $hours } ч
energy-short = { $amount } энергии

## Вопросы
energy-address = <b>⚡ 1/3</b> · С какого адреса вы <i>отправите</i> USDT? Пришлите его.
energy-purpose =
    <b>⚡ 2/3</b> · Адрес: <code>{ $address }</code>

    Сколько энергии? Выберите или пришлите число от { $min } до { $max }.
energy-count =
    <b>⚡ 2/3</b> · Адрес: <code>{ $address }</code>

    Сколько переводов на кошельки с USDT? На каждый нужно { $each } энергии. Выберите или пришлите число от 1 до { $max }.
energy-exact =
    <b>⚡ 2/3</b> · Адрес: <code>{ $address }</code>

    Сколько энергии? Пришлите число от { $min } до { $max }.
energy-duration =
    <b>⚡ 3/3</b> · Адрес: <code>{ $address }</code>
    Энергия: <b>{ $amount }</b>

    На какой срок? Неизрасходованное сгорит.
energy-no-prices = <i>Цены сейчас недоступны.</i>
problem-energy-purpose = Нажмите кнопку или пришлите количество от { $min } до { $max }, например 65000.
problem-energy-duration = Выберите 1 час или 24 часа.
button-one-holder = На кошелёк с USDT · { $amount }
button-one-new = На кошелёк без USDT · { $amount }
button-several = Несколько переводов
button-exact = Точное количество
button-1-hour = 1 час
button-24-hours = 24 часа
button-1-hour-priced = 1 час · ≈ { AMOUNT($price) } TRX
button-24-hours-priced = 24 часа · ≈ { AMOUNT($price) } TRX

## Карточка
energy-truth = <i>Покупку не отменить и не перенести на другой адрес.</i>
energy-going = ⏳ <b>Покупаю…</b>
energy-done = ✅ <b>Куплено</b>
energy-refused = ❌ <b>Не куплено.</b> Ничего не списано.
energy-likely = 🟡 <b>Скорее всего, куплено</b>
energy-again = Купить ещё
energy-anyway = Всё равно купить
energy-filter = ⚡ Энергия
