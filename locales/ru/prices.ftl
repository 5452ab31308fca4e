button-prices = 🪙 Цены
command-prices = Текущие цены
prices-card = <b>Текущие цены</b>
prices-not-offered = <b>На { $wanted } ч энергия не сдаётся, только на 1 ч или 24 ч.</b>{ $trx ->
        [none] {""}
       *[other] {" "}{ $amount } энергии на { $hours } ч: { AMOUNT($trx) } TRX.
    }
prices-energy = ⚡ Энергия на перевод USDT, TRX (*{"\u00A0"}дешевле всего)
prices-amount = Энергия
prices-hours = { $hours } ч
prices-burn = Сгорит
prices-rows =
    • { $holder }: на кошелёк с USDT
    • { $first }: на кошелёк без USDT
prices-rows-burn = • Сгорит: без энергии
prices-bandwidth = 📶 { $amount } bandwidth, один перевод USDT: <b>{ AMOUNT($price) } TRX</b> за { $hours } ч
prices-activation = 🚀 Активация адреса: <b>{ AMOUNT($price) } TRX</b>
prices-unknown = ⚡ Цены на энергию сейчас недоступны.
prices-without-key = ⚡ Чтобы увидеть цены на энергию, привяжите аккаунт.
prices-guest = { $invoices ->
        [yes] Энергию можно купить и без аккаунта: по счёту, с любого кошелька.
       *[no] Оплата идёт с баланса в сервисе.
    }
button-prices-chart = 📈 График цен
prices-chart = <b>Цена { $amount } энергии</b>, TRX, с { $at }
prices-chart-range = { $hours } ч: { $highest ->
        [same] <b>{ AMOUNT($latest) }</b>
       *[other] { AMOUNT($lowest) }–{ AMOUNT($highest) }, сейчас <b>{ AMOUNT($latest) }</b>
    }
prices-chart-burn = Сгорит без энергии: <b>{ AMOUNT($latest) }</b>
prices-chart-axis = { $amount } энергии, TRX
