command-activate = Активировать адрес
button-activation = 🚀 Активировать адрес
activation-title = 🚀 Активация адреса
activation-short = Активация
activation-address =
    <b>Активировать адрес</b> · <b>{ AMOUNT($price) } TRX</b>

    Новому адресу она нужна один раз. Получение TRX активирует тоже, получение USDT — нет.

    Какой адрес? Пришлите его.
problem-activation-done = <code>{ $address }</code> уже активен. Пришлите другой адрес.

## Карточка
activation-truth = <i>Активацию не отменить.</i>
activation-going = ⏳ <b>Активирую…</b>
activation-done = ✅ <b>Активирован</b>
activation-refused = ❌ <b>Не активирован.</b> Ничего не списано.
activation-likely = 🟡 <b>Скорее всего, активирован</b>
activation-again = Попробовать снова
activation-anyway = Всё равно активировать
activation-filter = 🚀 Активация
