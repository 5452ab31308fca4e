command-activate = Активировать адрес
button-activation = 🚀 Активировать адрес
activation-title = 🚀 Активация адреса
activation-short = Активация
activation-address =
    <b>Активировать адрес</b> · <b>{ AMOUNT($price) } TRX</b>

    Новый адрес активируют один раз. Перевод TRX на него тоже активирует, перевод USDT — нет.

    Какой адрес? Пришлите его.
problem-activation-done = <code>{ $address }</code> уже активен. Пришлите другой адрес.

## Карточка
activation-truth = <i>Активацию нельзя отменить.</i>
activation-going = ⏳ <b>Активирую…</b>
activation-done = ✅ <b>Активирован</b>
activation-refused = ❌ <b>Не активирован.</b> Ничего не списано.
activation-likely = 🟡 <b>Скорее всего, активирован</b>
activation-again = Попробовать ещё раз
activation-anyway = Всё равно активировать
activation-filter = 🚀 Активация
