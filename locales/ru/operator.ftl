## Аккаунт оператора, для администраторов
button-operator = 🏦 Аккаунт оператора
operator-title = <b>🏦 Аккаунт оператора</b>
operator-none = У этого бота нет аккаунта оператора: <code>RENTAL_API_KEY</code> не задан.
operator-unreachable = Сервис аренды сейчас не отвечает, какой аккаунт открывает ключ оператора. Попробуйте через минуту.
operator-account = Аккаунт { $account }
operator-balance = { $balance ->
        [unknown] Баланс: сейчас прочитать не удалось
       *[other] Баланс: <b>{ $balance } TRX</b>
    }
operator-spent = Администраторы потратили сегодня (UTC): <b>{ $taken } TRX</b>, не больше { $cap } TRX
operator-alert = { $trx ->
        [none] 📉 Предупреждение: <b>нет</b>
       *[other] 📉 Предупреждение: когда на балансе меньше <b>{ $trx } TRX</b>
    }
operator-reports = { $reports ->
        [on] 📥 Отчёты сервиса: <b>включены</b>
       *[off] 📥 Отчёты сервиса: <b>выключены</b>
    }
operator-holders = { $who ->
        [nobody] Никто из администраторов его не привязал
       *[other] Привязали: { $who }
    }
operator-note = <i>Кто из вас его привяжет, тот покупает с его баланса, в пределах дневного лимита на всех. О каждой покупке узнают все администраторы. В чате с него ничего не выводится.</i>
button-operator-link = 🔗 Привязать мне
button-operator-link-own = 🏦 Привязать аккаунт оператора
button-operator-unlink = Отвязать от меня
button-operator-cap = Дневной лимит
button-operator-alert = Предупреждение
operator-linked = ✅ <b>Аккаунт оператора привязан</b>
operator-linked-already = Аккаунт оператора уже привязан.
operator-linked-note = Ваши покупки оплачиваются с его баланса: не больше { $cap } TRX в сутки (UTC) на всех администраторов. О них узнают все администраторы.

## Его лимит и предупреждение
operator-cap-ask =
    <b>Дневной лимит</b>

    Сколько TRX в сутки (UTC) могут потратить с аккаунта оператора все администраторы вместе? Сейчас { $cap } TRX. При 0 никто ничего не тратит.
button-operator-cap-none = 0: никто не тратит
problem-operator-cap = Напишите сумму в TRX, например 100, или 0.
operator-cap-set = ✅ Лимит: <b>{ $cap } TRX</b> в сутки.
operator-alert-ask =
    <b>Предупреждение</b>

    При балансе меньше скольких TRX сообщать всем администраторам? Баланс сейчас: { $balance ->
        [unknown] прочитать не удалось
       *[other] { $balance } TRX
    }
button-operator-alert-none = Не предупреждать
operator-alert-set = { $trx ->
        [none] ✅ Предупреждения больше нет.
       *[other] ✅ Предупрежу, когда будет меньше <b>{ $trx } TRX</b>.
    }

## Почему с ним этого не сделать
operator-cap-reached = Администраторы могут потратить с аккаунта оператора не больше { $cap } TRX в сутки (UTC): осталось { $left } TRX. Изменить это вы или другой администратор можете в разделе { $operator }.
operator-ongoing = Smart Mode на аккаунте оператора не включается и не возобновляется: он списывает за каждый перевод, и дневной лимит этого не удержит.
toast-operator-cap = С аккаунта оператора уходит не больше { $cap } TRX в сутки: осталось { $left } TRX.
toast-operator-never = С аккаунтом оператора этого не делают.
operator-barred = ⚠️ Аккаунтом, который вы привязали, здесь больше нельзя пользоваться. Привяжите собственный аккаунт.
operator-key-unknown = Сервис аренды сейчас не отвечает, открывает ли ключ оператора ещё этот аккаунт. Попробуйте через минуту.

## Сообщается всем администраторам
operator-told = <b>🏦 Аккаунт оператора</b>
operator-told-linked = Администратор <code>{ $by }</code> привязал его.
operator-told-unlinked = Администратор <code>{ $by }</code> отвязал его.
operator-told-cap = Администратор <code>{ $by }</code> установил дневной лимит: <b>{ $trx } TRX</b>.
operator-told-alert = { $trx ->
        [none] Администратор <code>{ $by }</code> выключил предупреждение о балансе.
       *[other] Администратор <code>{ $by }</code> установил предупреждение о балансе: <b>{ $trx } TRX</b>.
    }
operator-told-low = 📉 Осталось <b>{ $balance } TRX</b>, меньше отметки { $mark } TRX.
operator-told-key = ⚠️ Кто-то, кто не администратор, <code>{ $by }</code>, прислал ключ от него в { $time }. Я удалил сообщение, насколько мог, и ничего не сохранил. Если вы не знаете, откуда у него ключ, замените ключ в сервисе и <code>RENTAL_API_KEY</code>.
operator-told-used = Администратор <code>{ $by }</code>, { $outcome ->
        [done] сделано
        [failed] заказ не выполнен
        [refused] ничего не списано
        [unknown] чем закончилось, пока неизвестно
        [likely] вероятно, сделано
       *[closed] закрыто им самим, чем закончилось, неизвестно
    }:
operator-told-price = { $trx ->
        [unknown] Цена: неизвестна
       *[other] Цена: <b>{ $trx } TRX</b>
    }
operator-told-number = Номер: <code>{ $id }</code>
