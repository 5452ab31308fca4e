button-movements = ↕️ Движение средств
movements-title = <b>Движение средств</b>
movements-note = <i>До { $most } последних операций, в TRX, время в UTC. Вывод указан вместе с комиссией. Покупок не через этого бота здесь нет.</i>
movements-gap = <i>Сумма может не сойтись с балансом: в списке нет { $missing ->
        [fees] ежедневной платы за Smart Mode
        [refunds] возвратов, которых я не увидел
       *[both] ежедневной платы за Smart Mode и возвратов, которых я не увидел
    }.</i>
movements-fee-gap = <i>Вернулась ли комиссия неудачного вывода, мне не видно, поэтому сумма может не сойтись с балансом.</i>
movement-deposit = 📥 { $unix ->
        [none] –
       *[other] <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
    } · +{ AMOUNT($amount) }{"\u00A0"}{ $currency }{ $trx ->
        [none] {""}
       *[other] {" "}({ AMOUNT($trx) } TRX)
    } · { $status ->
        [pending] ждёт подтверждения
        [confirmed] зачислено
        [expired] истекло
       *[other] статус <code>{ $status }</code>
    }
movement-deposit-long = { $currency ->
        [TRX] Пополнение
       *[other] Пополнение { $amount ->
            [none] {""}
           *[known] { $amount }{" "}
        }{ $currency }
    }
movement-deposit-short = { $currency ->
        [TRX] Пополнение
       *[other] { $amount ->
            [none] {""}
           *[known] { $amount }{" "}
        }{ $currency }
    }
movement-refund = { $certainty ->
        [reported] Возврат
        [short] Возврат?
       *[probable] Похоже, возврат
    }
movement-fee = { $length ->
        [short] Плата
       *[long] Перевод Smart Mode
    }
movement-failed = { $refund ->
        [shared] возможно, деньги вернулись: смотрите ↩️
        [awaited] возврата пока не видно
        [none] возврата не видно
       *[unclear] не видно, вернулись ли деньги
    }
movement-status = статус <code>{ $status }</code>
movement-unknown = результат неизвестен
movement-either = за заказ { $orders }
