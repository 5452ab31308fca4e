button-prices = 🪙 Цены
command-prices = Сколько это стоит сейчас
prices-card = <b>Сколько это стоит сейчас</b>
prices-energy = ⚡ { $amount } энергии на один перевод USDT тому, { $to ->
        [holder] у кого USDT уже есть:
       *[new] у кого USDT ещё нет:
    }
prices-hours = • { $hours ->
        [one] { $hours } час
        [few] { $hours } часа
       *[other] { $hours } часов
    }: <b>{ $price } TRX</b>
prices-burn = 🔥 Без энергии он сжигает около { $burn } TRX.
prices-bandwidth = 📶 { $amount } пропускной способности, на один перевод USDT хватит: <b>{ $price } TRX</b> на { $hours } ч
prices-activation = 🚀 Активация адреса: <b>{ $price } TRX</b>
prices-unknown = ⚡ Цены на энергию сейчас не удалось узнать.
prices-without-key = ⚡ Привяжите аккаунт, и я смогу узнать для вас цены на энергию.
prices-guest = { $invoices ->
        [yes] Энергию можно купить и без аккаунта — по счёту, который оплачивается из любого кошелька. Всё остальное оплачивается с предоплаченного аккаунта в сервисе аренды.
       *[no] Оплата идёт с предоплаченного аккаунта в сервисе аренды.
    }
button-prices-chart = 📈 График за 30 дней
prices-chart = <b>Цена { $amount } энергии</b>, TRX, 30 дней
prices-chart-range = { $hours } ч: { $lowest }–{ $highest }, сейчас <b>{ $latest }</b>
prices-chart-hours = { $hours } ч
