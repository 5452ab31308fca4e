## Одна операция, для администраторов
admin-operation-refused = Отказ: <code>{ $code }</code>. Пользователь читает:
admin-operation-balance = Баланс до: { AMOUNT($before) } TRX, после: { AMOUNT($after) } TRX
admin-operation-delivery = В сервисе: { $status ->
        [pending] о доставке пока не сообщали
        [filled] доставлено
        [failed] не удалось
       *[other] статус <code>{ $status }</code>
    }
admin-operation-part = Доставлено пока: { $delivered }
admin-operation-delivered = О доставке сообщили: { $time } (UTC)
admin-operation-ended = Завершена: { $time } (UTC), { $by ->
        [reply] по ответу сервиса
        [user] закрыл пользователь
        [unsent] до отправки запроса
       *[evidence] по другим данным
    }
admin-operation-messages = Чек: { $receipt ->
        [none] сообщение неизвестно
       *[other] сообщение { $receipt }
    }{ $reply ->
        [none] {""}
       *[other] , новости под ним: сообщение { $reply }
    }
admin-operation-shown = { $state ->
        [shown] ✅ Пользователь видел этот результат.
        [undelivered] 🚫 Telegram не доставил результат. Пользователь получит его, когда вернётся.
       *[pending] ⏳ Последнее состояние пользователю ещё не показано.
    }
button-operation-user = 👤 Пользователь
