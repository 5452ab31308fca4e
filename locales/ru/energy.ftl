command-buy = Купить энергию
button-energy = ⚡ Купить энергию
energy-title = ⚡ Энергия: { $amount } · { $hours ->
        [one] { $hours } час
        [few] { $hours } часа
       *[other] { $hours } часов
    }

## Вопросы
energy-address =
    <b>Купить энергию</b> · 1 из 3

    Какой адрес будет <i>отправлять</i> USDT? Энергия нужна отправителю.

    Пришлите его{ $known ->
        [yes] {" "}или выберите один из прежних.
       *[no] .
    }
energy-purpose =
    <b>Купить энергию</b> · 2 из 3
    Адрес: <code>{ $address }</code>

    Для чего она? Каждый перевод расходует энергию.
    Выберите или напишите точное количество от { $min } до { $max }.
energy-count =
    <b>Купить энергию</b> · 2 из 3
    Адрес: <code>{ $address }</code>

    Сколько переводов? На каждый считаю { $each } энергии: этого хватает, если у получателя уже есть USDT.
    Выберите или напишите число от 1 до { $max }.
energy-exact =
    <b>Купить энергию</b> · 2 из 3
    Адрес: <code>{ $address }</code>

    Сколько именно энергии? Напишите целое число от { $min } до { $max }.
energy-duration =
    <b>Купить энергию</b> · 3 из 3
    Адрес: <code>{ $address }</code>
    Энергия: <b>{ $amount }</b>

    На какое время? За это время её нужно израсходовать.
energy-no-prices = <i>Сервис сейчас не сообщил цены.</i>
problem-energy-purpose = Нажмите одну из кнопок или напишите точное количество энергии от { $min } до { $max }, например 65000.
problem-energy-duration = Выберите 1 час или 24 часа.
button-one-holder = 1 перевод, у получателя есть USDT · { $amount }
button-one-new = 1 перевод, у получателя ещё нет USDT · { $amount }
button-several = Несколько переводов
button-exact = Точное количество
button-1-hour = 1 час
button-24-hours = 24 часа
button-1-hour-priced = 1 час · ≈ { $price } TRX
button-24-hours-priced = 24 часа · ≈ { $price } TRX

## Карточка
energy-truth = <i>Покупку нельзя отменить или перенести на другой адрес.</i>
energy-going = ⏳ <b>Покупаю…</b> Запрос отправляется.
energy-done = ✅ <b>Куплено</b>
energy-refused = ❌ <b>Не куплено.</b> Ничего не списано.
energy-likely = 🟡 <b>Скорее всего куплено</b>
energy-again = Купить ещё
energy-anyway = Всё равно купить
energy-filter = ⚡ Энергия
