command-activate = Активировать адрес
button-activation = 🚀 Активировать адрес
activation-title = 🚀 Активация адреса
activation-address =
    <b>Активировать адрес</b>

    Новый адрес TRON нужно один раз активировать, прежде чем он сможет хранить токены и отправлять их. Это стоит <b>{ $price } TRX</b>. Адрес, на который хоть раз приходили TRX, уже активен; получение USDT адрес не активирует.

    Какой адрес активировать? Пришлите его{ $known ->
        [yes] {" "}или выберите один из прежних.
       *[no] .
    }
problem-activation-done = <code>{ $address }</code> уже активен, платить не за что. Пришлите другой адрес или нажмите «Отмена».

## Карточка
activation-truth = <i>Активацию нельзя отменить.</i>
activation-going = ⏳ <b>Активирую…</b> Запрос отправляется.
activation-done = ✅ <b>Активирован</b>
activation-refused = ❌ <b>Не активирован.</b> Ничего не списано.
activation-likely = 🟡 <b>Скорее всего активирован</b>
activation-again = Попробовать снова
activation-anyway = Всё равно активировать
activation-filter = 🚀 Активация
