command-history = Покупки, выводы и счета
button-history = 🕘 История
history-title = <b>История</b>
history-row = <b>{ $number }.</b> { $what }{ $hours ->
        [none] {""}
       *[other] {" "}· { $hours } ч
    }{ $trx ->
        [none] {""}
       *[other] {" "}· <b>{ $price ->
            [card] ≈{" "}
           *[charged] {""}
        }{ AMOUNT($trx) } TRX</b>
    }
history-row-about = <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>{ $maker ->
        [invoice] {" "}· счёт { $order }
        [ref] {" "}· операция <code>{ $order }</code>
       *[order] {" "}· заказ { $order }
    } · { $to }{ $note ->
        [reported] {" "}· возврат
        [probable] {" "}· похоже, возврат
        [uncharged] {" "}· не списано
        [given-back] {" "}· сервис вернёт деньги
        [on-its-way] {" "}· в пути
        [processing] {" "}· в обработке
        [unseen] {" "}· доставки не видно
        [likely] {" "}· скорее всего, прошло
        [unknown] {" "}· результат неизвестен
        [refund-awaited] {" "}· возврата пока не видно
        [refund-none] {" "}· возврата не видно
        [refund-unclear] {" "}· возврат под вопросом
        [refund-shared] {" "}· вернулись деньги за этот или другой заказ
       *[none] {""}
    }{ $account ->
        [same] {""}
        [none] {" "}· без аккаунта
       *[other] {" "}· аккаунт { $account }
    }
history-open = Нажмите на номер, чтобы открыть чек.
history-left = Чтобы узнать, чем это закончится, снова привяжите аккаунт { $account }. Без него я не вижу.
history-spent = { $count ->
        [0] <b>Сегодня ничего не потрачено</b>
       *[other] Потрачено сегодня: <b>{ AMOUNT($trx) } TRX</b>{ $partial ->
            [yes] {" "}или больше
           *[no] {""}
        }
    } (с 00:00 UTC, покупки здесь с вашего баланса). Комиссии Smart Mode сюда не входят.
history-empty = Пока пусто.
history-unreadable = ⚠️ Нечитаемых операций: { $count }. Проверьте историю в сервисе.
history-none-found = По запросу <code>{ $search }</code> ничего нет. После /history пришлите номер заказа, номер операции или адрес.
history-none-of-kind = Таких пока нет.
button-older = Раньше ›
button-newest = « Последние
history-further = Здесь таких нет. Нажмите «{ button-older }».
