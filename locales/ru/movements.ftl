button-movements = ↕️ Движение средств
movements-title = <b>Движение средств</b>
movements-note = <i>Не больше { $most } последних, в TRX, если не указано иное, даты в UTC. Вывод — вместе с комиссией. Возврат есть в списке, если я его заметил. Покупок не через этого бота здесь нет.</i>
movement-deposit = 📥 { $when } · +{ AMOUNT($amount) }{"\u00A0"}{ $currency }{ $trx ->
        [none] {""}
       *[other] {" "}({ AMOUNT($trx) } TRX)
    } · { $status ->
        [pending] ждёт подтверждения
        [confirmed] зачислено
        [expired] истекло
       *[other] статус <code>{ $status }</code>
    }
movement-deposit-short = { $currency ->
        [TRX] Пополнение
       *[other] Пополн. { $currency }
    }
movement-refund = { $certainty ->
        [reported] Возврат
       *[probable] Похоже, возврат
    }
movement-status = статус <code>{ $status }</code>
movement-unknown = результат неизвестен
movement-either = { $orders ->
        [none] за один из нескольких заказов
       *[other] за заказ { $orders }
    }
