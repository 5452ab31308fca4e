## Аккаунт оператора, для администраторов
command-operator = Аккаунт оператора, лимит, порог
button-operator = 🏦 Аккаунт оператора
operator-title = <b>🏦 Аккаунт оператора</b>
operator-none = Аккаунта оператора нет: <code>RENTAL_API_KEY</code> не задан.
operator-unreachable = Сейчас не могу прочитать аккаунт оператора. Ничего не изменилось.
operator-spent = Потрачено сегодня (UTC): <b>{ AMOUNT($spent) }</b> из { AMOUNT($cap) } TRX{ $is ->
        [used-up] . <b>⚠️ Лимит исчерпан.</b>
       *[left] {""}
    }
operator-alert = 📉 Порог баланса: <b>{ $trx ->
        [none] не задан
       *[other] { AMOUNT($trx) } TRX
    }</b>
operator-reports = { $reports ->
        [on] 🔔 Мгновенные уведомления: <b>включены</b>
       *[off] 🔔 Мгновенные уведомления: <b>выключены</b>
    }
operator-holders = Привязали: { $who }
operator-note = <i>Привязавшие его администраторы покупают с его баланса в пределах дневного лимита. Возвращённые заказы его тоже расходуют. Вывод невозможен.</i>
button-operator-link = 🔗 Привязать
button-operator-link-own = 🏦 Привязать аккаунт оператора
button-operator-unlink = Отвязать
button-operator-cap = Дневной лимит
button-operator-alert = Порог баланса
operator-linked = ✅ <b>Аккаунт оператора привязан</b>
operator-linked-already = Аккаунт оператора уже привязан.
operator-linked-note = Вы покупаете с его баланса. На всех администраторов — { AMOUNT($cap) } TRX в сутки (UTC), ваши покупки они видят.

## Лимит и предупреждение
operator-cap-ask = Сколько TRX в сутки (UTC) могут потратить все администраторы вместе? Сейчас: { AMOUNT($cap) } TRX.
button-operator-cap-none = 0: без трат
problem-operator-cap = Пришлите сумму в TRX, например 100, или 0.
operator-alert-ask = Ниже скольких TRX предупредить всех администраторов? Сейчас: { $trx ->
        [none] не задано
       *[other] { AMOUNT($trx) } TRX
    }.
button-operator-alert-none = Не предупреждать

## Отказы
operator-cap-reached = Больше дневного лимита аккаунта оператора: цена { AMOUNT($price) } TRX, а осталось { AMOUNT($left) } из { AMOUNT($cap) } TRX. Лимит меняет любой администратор в «{ button-operator }».
toast-operator-cap = Дневной лимит: осталось { AMOUNT($left) } из { AMOUNT($cap) } TRX.
toast-operator-never = На аккаунте оператора недоступно.
operator-void = ⚠️ У вас больше нет доступа к аккаунту оператора. Привяжите свой аккаунт.
operator-key-unknown = Не удалось проверить ключ оператора. Ничего не списано. Попробуйте ещё раз через минуту.

## Уведомления всем администраторам
operator-notice-linked = Привязал администратор <code>{ $by }</code>
operator-notice-unlinked = Отвязал администратор <code>{ $by }</code>
operator-notice-cap = Дневной лимит <b>{ AMOUNT($trx) } TRX</b> задал администратор <code>{ $by }</code>
operator-notice-alert = Порог баланса: { $trx ->
        [none] не задан
       *[other] <b>{ AMOUNT($trx) } TRX</b>
    }, администратор <code>{ $by }</code>
operator-notice-low = 📉 Осталось <b>{ AMOUNT($balance) } TRX</b>, меньше порога { AMOUNT($mark) } TRX.
operator-notice-restored = ✅ Теперь <b>{ AMOUNT($balance) } TRX</b>, уже не меньше порога { AMOUNT($mark) } TRX.
operator-notice-key = ⚠️ Пользователь <code>{ $by }</code> прислал API-ключ оператора в { $time }. Если не знаете почему, замените ключ в сервисе и в <code>RENTAL_API_KEY</code>.
operator-notice-no-price = Цена: неизвестна
operator-notice-used = Администратор <code>{ $by }</code>: { $outcome ->
        [done] оплачено
        [partial] заказ доставлен частично
        [failed] заказ не выполнен
        [refused] ничего не списано
        [unknown] результат неизвестен
        [likely] вероятно, оплачено
       *[closed] закрыто, результат неизвестен
    }
operator-no-price = Цена неизвестна, поэтому дневной лимит нельзя проверить. Ничего не списано.
