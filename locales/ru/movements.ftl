button-movements = ↕️ Движение средств
movements-title = <b>Движение средств</b>
movements-none = Пока ничего.
movements-note = <i>Не больше { $most } последних. Пополнения и выводы — по всему аккаунту; из покупок я знаю те, что вы сделали здесь.</i>
movement-deposit = 📥 { $when } · +{ $amount } { $currency } · { $status ->
        [pending] ждёт подтверждения
        [confirmed] зачислено
        [expired] истекло
       *[other] статус <code>{ $status }</code>
    }
movement-withdrawal = 📤 { $when } · −{ $amount } TRX (комиссия { $fee }) на { $to } · { $status ->
        [pending] в пути
        [completed] отправлено
        [failed] не удалось, возвращено
       *[other] статус <code>{ $status }</code>
    }
movement-order = 🛒 { $when } · { $price ->
        [none] цена не названа
       *[other] { $what ->
            [paid] оплачено { $price } TRX
           *[other] заказ не выполнен, было оплачено { $price } TRX
        }
    }
