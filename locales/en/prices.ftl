button-prices = 🪙 Prices
prices-card = <b>What it costs right now</b>
prices-energy = ⚡ { $amount } energy, enough for one USDT transfer: <b>{ $price } TRX</b> for { $hours ->
        [1] 1 hour
       *[other] { $hours } hours
    }
prices-burn = 🔥 Without energy, that transfer burns about { $burn } TRX.
prices-bandwidth = 📶 { $amount } bandwidth: <b>{ $price } TRX</b> for { $hours ->
        [1] 1 hour
       *[other] { $hours } hours
    }
prices-activation = 🚀 Activating an address: <b>{ $price } TRX</b>
prices-unknown = ⚡ I can't read the energy prices right now.
prices-guest = You pay from a prepaid account at the rental service.
