button-movements = ↕️ Движение средств
movements-title = <b>Движение средств</b>
movements-note = <i>{ $pages ->
        [one] {""}
       *[several] Операции { $first }–{ $last }, новые сверху.{" "}
    }Вывод указан вместе с комиссией. Чужих покупок и покупок не через этого бота здесь нет.</i>
movements-of-card = <i>≈ – цена с карточки.</i>
movements-uncertain = <i>? – точно не известно.</i>
movements-gap = <i>Сумма может не сойтись с балансом. В списке нет: { $missing }.</i>
movements-difference = <i>Баланс { $is ->
        [higher] больше
       *[lower] меньше
    }, чем получается по списку с <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>: разница <b>{ AMOUNT($trx) } TRX</b>.{ $missing ->
        [none] {""}
       *[other] {" "}Возможно, в списке нет: { $missing }.
    }</i>
movements-missing = { $what ->
        [fees] ежедневной платы за Smart Mode
        [all-fees] платы за Smart Mode
        [refunds] возвратов, которых я не увидел
       *[withdrawal-fees] комиссий неудачных выводов, если они вернулись
    }
movement-deposit = 📥 { $unix ->
        [none] –
       *[other] <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
    } · { $status ->
        [confirmed] +
       *[other] {""}
    }{ AMOUNT($amount) }{"\u00A0"}{ $currency }{ $trx ->
        [none] {""}
       *[other] {" "}({ AMOUNT($trx) } TRX)
    } · { $status ->
        [pending] ждёт подтверждения
        [confirmed] зачислено
        [expired] срок истёк, не зачислено. Обратитесь в сервис.
       *[other] статус <code>{ $status }</code>
    }
movement-about = { $unix ->
        [none] –
       *[other] <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
    }{ $order ->
        [none] {""}
       *[other] {" "}· заказ { $order }
    }{ $id ->
        [none] {""}
       *[other] {" "}· операция <code>{ $id }</code>
    }{ $to ->
        [none] {""}
       *[other] {" "}· { $to }
    }
movement-deposit-of = Пополнение{ $sum ->
        [none] {""}
       *[known] {" "}{ AMOUNT($sum) } { $currency }
    }
movement-refund = { $certainty ->
        [reported] Возврат
       *[probable] Похоже, возврат
    }
movement-fee = Перевод Smart Mode
movement-failed = { $refund ->
        [shared] возможно, деньги вернулись: смотрите ↩️
        [awaited] возврата пока не видно
        [none] возврата не видно
       *[unclear] не видно, вернулись ли деньги
    }
movement-status = { $status ->
        [pending] { $of ->
            [withdrawal] обрабатывается
           *[deposit] ждёт подтверждения
        }
        [expired] истекло, не зачислено
        [failed] не выполнен
       *[other] статус <code>{ $status }</code>
    }
movement-unknown = { $outcome ->
        [likely] скорее всего, прошло
       *[unknown] результат неизвестен
    }
movement-either = за { $of ->
        [several] один или несколько из заказов
       *[one] заказ
    } { $orders }

## Деньги, которые ждут
waiting-withdrawal = ⏳ { $by ->
        [other] Вывод другого пользователя:
       *[reader] Вывод
    } { AMOUNT($trx) } TRX → { $address }: { $hold ->
        [on] на паузе до <tg-time unix="{ $unix }" format="T">{ $at }</tg-time>
       *[over] { $by ->
            [other] ещё не подтверждён
           *[reader] ждёт вашего подтверждения
        }
    }. Пока не списано.
waiting-unknown = { $outcome ->
        [going] ⏳ Обрабатывается, деньги могли уже списаться:
        [likely] 🟡 Скорее всего, прошло и списано:
       *[unknown] ⚠️ Результат неизвестен, деньги могли уже списаться:
    }
waiting-sending = ⏳ Вывод { AMOUNT($trx) } TRX → { $address }: обрабатывается, уже списан.
waiting-deposit = 📥 { $amount ->
        [none] Пополнение
       *[known] Пополнение { AMOUNT($amount) }{"\u00A0"}{ $currency }
    }: ждёт подтверждения, на баланс ещё не зачислено.
waiting-unread = ⚠️ Сейчас видны не все ожидающие пополнения и выводы.
