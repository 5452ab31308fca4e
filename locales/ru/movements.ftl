button-movements = ↕️ Движение средств
movements-title = <b>Движение средств</b>
movements-none = Пока ничего.
movements-note = <i>Не больше { $most } последних. Покупок не через этого бота здесь нет.</i>
movement-deposit = 📥 { $when } · +{ AMOUNT($amount) } { $currency } · { $status ->
        [pending] ждёт подтверждения
        [confirmed] зачислено
        [expired] истекло
       *[other] статус <code>{ $status }</code>
    }
movement-withdrawal = 📤 { $when } · −{ AMOUNT($amount) } TRX (комиссия { AMOUNT($fee) }) на { $to } · { $status ->
        [pending] в пути
        [completed] отправлено
        [failed] не прошёл, возвращено
       *[other] статус <code>{ $status }</code>
    }
movement-order = 🛒 { $when } · { $price ->
        [none] цена неизвестна
       *[other] { $what ->
            [paid] оплачено { AMOUNT($price) } TRX
           *[other] оплачено { AMOUNT($price) } TRX, заказ не выполнен
        }
    }
