button-prices = 🪙 Prices
command-prices = What it costs right now
prices-card = <b>What it costs right now</b>
prices-energy = ⚡ { $amount } energy, for one USDT transfer to { $to ->
        [holder] somebody who holds USDT already:
       *[new] somebody who holds none yet:
    }
prices-hours = • { $hours ->
        [1] 1 hour
       *[other] { $hours } hours
    }: <b>{ $price } TRX</b>
prices-burn = 🔥 Without energy it burns about { $burn } TRX.
prices-bandwidth = 📶 { $amount } bandwidth, enough for one USDT transfer: <b>{ $price } TRX</b> for { $hours ->
        [1] 1 hour
       *[other] { $hours } hours
    }
prices-activation = 🚀 Activating an address: <b>{ $price } TRX</b>
prices-unknown = ⚡ I can't read the energy prices right now.
prices-without-key = ⚡ Link an account, and I can read the energy prices for you.
prices-guest = { $invoices ->
        [yes] You can buy energy without an account, by an invoice that you pay from any wallet. All the rest is paid from a prepaid account at the rental service.
       *[no] You pay from a prepaid account at the rental service.
    }
button-prices-chart = 📈 30-day chart
prices-chart = <b>Price of { $amount } energy</b>, TRX, last 30 days
prices-chart-range = { $hours ->
        [1] 1 hour
       *[other] { $hours } hours
    }: { $lowest }–{ $highest }, now <b>{ $latest }</b>
prices-chart-hours = { $hours } h
