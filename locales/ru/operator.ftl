## Аккаунт оператора, для администраторов
command-operator = Аккаунт оператора, лимит, предупреждение
button-operator = 🏦 Аккаунт оператора
operator-title = <b>🏦 Аккаунт оператора</b>
operator-none = У этого бота нет аккаунта оператора: <code>RENTAL_API_KEY</code> не задан.
operator-unreachable = Сервис не отвечает. Ничего не изменилось. Попробуйте через минуту.
operator-account = Аккаунт { $account }
operator-balance = { $balance ->
        [unknown] Баланс: прочитать не удалось
       *[other] Баланс: <b>{ AMOUNT($balance) } TRX</b>
    }
operator-spent = Потрачено сегодня (UTC): <b>{ AMOUNT($spent) }</b> из { AMOUNT($cap) } TRX
operator-alert = { $trx ->
        [none] 📉 Предупреждение о балансе: <b>выключено</b>
       *[other] 📉 Предупреждение о балансе: меньше <b>{ AMOUNT($trx) } TRX</b>
    }
operator-reports = { $reports ->
        [on] 📥 Уведомления о доставке: <b>включены</b>
       *[off] 📥 Уведомления о доставке: <b>выключены</b>
    }
operator-holders = { $who ->
        [nobody] Привязали: никто
       *[other] Привязали: { $who }
    }
operator-note = <i>Привязавшие его администраторы покупают с его баланса в пределах общего дневного лимита. Каждую покупку видят все администраторы. Вывод невозможен.</i>
button-operator-link = 🔗 Привязать
button-operator-link-own = 🏦 Привязать аккаунт оператора
button-operator-unlink = Отвязать
button-operator-cap = Дневной лимит
button-operator-alert = Предупреждение о балансе
operator-linked = ✅ <b>Аккаунт оператора привязан</b>
operator-linked-already = Аккаунт оператора уже привязан.
operator-linked-note = Вы покупаете с его баланса. На всех администраторов — { AMOUNT($cap) } TRX в сутки (UTC); ваши покупки видят все.

## Лимит и предупреждение
operator-cap-ask = Сколько TRX в сутки (UTC) могут потратить все администраторы вместе? Сейчас: { AMOUNT($cap) } TRX.
button-operator-cap-none = 0: без трат
problem-operator-cap = Пришлите сумму в TRX, например 100, или 0.
operator-cap-set = ✅ Дневной лимит: <b>{ AMOUNT($cap) } TRX</b>
operator-alert-ask = Ниже скольких TRX предупредить всех администраторов? Баланс: { $balance ->
        [unknown] прочитать не удалось
       *[other] { AMOUNT($balance) } TRX
    }
button-operator-alert-none = Не предупреждать
operator-alert-set = { $trx ->
        [none] ✅ Предупреждение о балансе: <b>выключено</b>
       *[other] ✅ Предупреждение о балансе: меньше <b>{ AMOUNT($trx) } TRX</b>
    }

## Отказы
operator-cap-reached = Больше дневного лимита аккаунта оператора: осталось { AMOUNT($left) } из { AMOUNT($cap) } TRX. Его меняет любой администратор в «{ $operator }».
operator-ongoing = На аккаунте оператора недоступно: списания Smart Mode пошли бы мимо дневного лимита.
toast-operator-cap = Дневной лимит: осталось { AMOUNT($left) } из { AMOUNT($cap) } TRX.
toast-operator-never = На аккаунте оператора недоступно.
operator-barred = ⚠️ Привязанным аккаунтом здесь больше нельзя пользоваться. Привяжите свой.
operator-key-unknown = Не удалось проверить ключ оператора. Ничего не списано. Попробуйте через минуту.

## Уведомления всем администраторам
operator-told = <b>🏦 Аккаунт оператора</b>
operator-told-linked = Привязал администратор <code>{ $by }</code>
operator-told-unlinked = Отвязал администратор <code>{ $by }</code>
operator-told-cap = Дневной лимит <b>{ AMOUNT($trx) } TRX</b> задал администратор <code>{ $by }</code>
operator-told-alert = { $trx ->
        [none] Предупреждение о балансе выключил администратор <code>{ $by }</code>
       *[other] Предупреждение о балансе ниже <b>{ AMOUNT($trx) } TRX</b> задал администратор <code>{ $by }</code>
    }
operator-told-low = 📉 Осталось <b>{ AMOUNT($balance) } TRX</b>, меньше порога { AMOUNT($mark) } TRX.
operator-told-key = ⚠️ Пользователь <code>{ $by }</code>, не администратор, прислал его API-ключ в { $time }. Ключ не сохранён. Если вы не знаете, откуда он у него, замените ключ в сервисе и в <code>RENTAL_API_KEY</code>.
operator-told-used = Администратор <code>{ $by }</code>: { $outcome ->
        [done] готово
        [failed] заказ не выполнен
        [refused] ничего не списано
        [unknown] не подтверждено
        [likely] вероятно, готово
       *[closed] закрыто, итог неизвестен
    }
operator-told-price = { $trx ->
        [unknown] Цена: неизвестна
       *[other] Цена: <b>{ AMOUNT($trx) } TRX</b>
    }
operator-told-number = Номер: <code>{ $id }</code>
operator-no-price = Цена неизвестна, поэтому дневной лимит не проверить. Ничего не куплено. Попробуйте позже.
