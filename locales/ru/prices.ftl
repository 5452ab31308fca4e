button-prices = 🪙 Цены
prices-card = <b>Сколько это стоит сейчас</b>
prices-energy = ⚡ { $amount } энергии, хватает на один перевод USDT: <b>{ $price } TRX</b> на { $hours ->
        [1] 1 час
       *[other] 24 часа
    }
prices-burn = 🔥 Без энергии такой перевод сжигает около { $burn } TRX.
prices-bandwidth = 📶 { $amount } пропускной способности: <b>{ $price } TRX</b> на { $hours } ч
prices-activation = 🚀 Активация адреса: <b>{ $price } TRX</b>
prices-unknown = ⚡ Цены на энергию сейчас не удалось узнать.
prices-guest = Оплата идёт с предоплаченного аккаунта в сервисе аренды.
