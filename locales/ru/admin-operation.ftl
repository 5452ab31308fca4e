## Одна операция, для администраторов
admin-operation-title = <b>Операция { $id }</b>
admin-operation-whose = Пользователь <code>{ $user }</code> · { $payer ->
        [operator] аккаунт оператора
       *[own] аккаунт
    }{ $account ->
        [none] {""}
       *[other] {" "}<code>{ $account }</code>
    }
admin-operation-refused = Отказ: <code>{ $code }</code>. Пользователь читает:
admin-operation-balance = Баланс до: { AMOUNT($before) } TRX, после: { AMOUNT($after) } TRX
admin-operation-fell = Баланс уменьшился на <b>{ AMOUNT($price) } TRX</b>, ровно на цену заказа
admin-operation-delivery = В сервисе: { $status ->
        [pending] о доставке пока не сообщали
        [unseen] о доставке так и не сообщили
        [filled] доставлено
        [failed] не удалось
       *[other] статус <code>{ $status }</code>
    }
admin-operation-part = Доставлено пока: { $delivered }
admin-operation-delivered = О доставке сообщили: { $time }
admin-operation-unpaid = Сервис не сообщал об оплате. Он сообщает только о полной.
admin-operation-expires = Срок истекает: { $time }
admin-operation-paid = Оплачен: { $time }
admin-operation-invoice-delivered = Доставлен: { $time }
admin-operation-refund = О возврате пользователь читает:
admin-operation-confirmed = Подтверждена: { $time }
admin-operation-sent = Запрос отправлен: { $time }
admin-operation-created = Создан: { $time }
admin-operation-ended = Завершена: { $time }, { $by ->
        [reply] по ответу сервиса
        [user] закрыл пользователь
        [unsent] до отправки запроса
       *[evidence] по другим данным
    }
admin-operation-decided =
    👤 Решил администратор <code>{ $admin }</code>, { $time }: <b>{ $outcome }</b>
    Причина: <i>{ $reason }</i>
admin-operation-evidence = <b>Что известно</b>
admin-operation-balance-seen = Баланс до: { AMOUNT($before) } TRX, при последней проверке: { $after ->
        [none] пока не видел
       *[other] { AMOUNT($after) } TRX
    }
admin-operation-change = Изменение: <b>{ $direction ->
        [fell] −
       *[rose] +
    }{ AMOUNT($trx) } TRX</b>{ $by ->
        [price] , ровно цена
       *[other] {""}
    }
admin-operation-others =
    { $deposited ->
        [none] {""}
       *[other] Пополнения с тех пор: { AMOUNT($deposited) } TRX,{" "}
    }{ $charged ->
        [none] {""}
       *[other] Другие покупки с тех пор: { AMOUNT($charged) } TRX,{" "}
    }{ $direction ->
        [none] больше ничего не изменилось
        [fell] без них <b>−{ AMOUNT($trx) } TRX</b>
       *[rose] без них <b>+{ AMOUNT($trx) } TRX</b>
    }{ $by ->
        [price] : ровно цена
       *[other] {""}
    }
admin-operation-reports = Похожие заказы: { $entries ->
        [none] сервис о них не сообщал
       *[other] { $entries }
    }
admin-operation-listed = Новое в сервисе на этот адрес: { $entries ->
        [none] ничего
       *[other] { $entries }
    }
admin-operation-checks = Проверок: { $count }, последняя { $last }
admin-operation-next = Следующая проверка: { $next }
admin-operation-no-key = ⚠️ API-ключа пользователя больше нет, проверить операцию больше нельзя: примите решение.
admin-operation-receipt = Чек: { $message ->
        [none] сообщение неизвестно
       *[other] сообщение { $message }
    }{ $at ->
        [none] {""}
       *[other] , показан { $at }
    }
admin-operation-follow-up = Новость под ним: сообщение { $message }, отправлено { $at }{ $is ->
        [current] {""}
       *[replaced] , уже неактуально
    }
admin-operation-shown = { $state ->
        [shown] ✅ Пользователь видел этот результат.
        [undelivered] 🚫 Telegram не доставил результат. Пользователь получит его, когда вернётся.
       *[pending] ⏳ Последнее состояние пользователю ещё не показано.
    }
admin-operation-log = В журнале: <code>"operation":"{ $id }"</code>
admin-operation-pay-to = Оплата на: <code>{ $address }</code>
admin-operation-cards = Показан в { $count ->
        [one] { $count } чате
       *[other] { $count } чатах
    }
admin-operation-opened = Открывали пользователи:
button-operation-user = 👤 Пользователь
