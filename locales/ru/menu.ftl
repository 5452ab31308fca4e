command-start = О боте и меню
command-menu = Открыть меню
menu-guest =
    При отправке USDT сгорают TRX, если у адреса отправителя нет энергии.{ $priced ->
        [yes] {""}
       *[no] {" "}Аренда энергии обходится в разы дешевле.
    }

    { $invoices ->
        [yes] Платите по счёту с любого кошелька или привяжите аккаунт в сервисе аренды.
       *[no] Чтобы начать, привяжите аккаунт в сервисе аренды.
    }
menu-title = <b>Энергия и bandwidth в TRON</b>
menu-offer = { $amount } энергии на 1 ч: <b>{ AMOUNT($price) } TRX</b>{ $burn ->
        [none] {""}
       *[other] {" "}вместо { AMOUNT($burn) } (−{ $percent } %)
    }
menu-maintenance = 🚧 <b>Технические работы:</b> всё можно посмотреть, но начать новое нельзя.
menu-account = Аккаунт { $account } · { $tail ->
        [operators] оператора
       *[other] ключ { $tail }
    }
menu-balance-current = Баланс: <b>{ AMOUNT($balance) } TRX</b>
menu-balance-last = Баланс: <b>{ AMOUNT($balance) } TRX</b> ({ $age } назад)
menu-balance = <b>Баланс</b>
menu-more = <b>Ещё</b>
menu-continue-over = { $ended ->
        [confirmed] Эту покупку вы уже подтвердили: /history.
        [expired] Срок этой покупки истёк. Ничего не списано.
       *[cancelled] Эта покупка отменена. Ничего не списано.
    }
menu-idle = Не понимаю. { talk-next }
button-balance = 💰 Баланс
command-balance = Баланс, пополнение и вывод
button-more = ⋯ Ещё
menu-admin = <b>Управление</b>
command-admin = Меню администратора
button-admin = 🛠 Управление
