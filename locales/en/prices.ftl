button-prices = 🪙 Prices
command-prices = Current prices
prices-card = <b>Current prices</b>
prices-not-offered = <b>Energy isn't rented for { $wanted } h, only for 1 h or 24 h.</b>{ $trx ->
        [none] {""}
       *[other] {" "}{ $amount } energy for { $hours } h: { AMOUNT($trx) } TRX.
    }
prices-energy = ⚡ Energy for a USDT transfer, TRX (*{"\u00A0"}cheapest)
prices-amount = Energy
prices-hours = { $hours } h
prices-burn = Burn
prices-rows =
    • { $holder }: to a wallet with USDT
    • { $first }: to a wallet without USDT
prices-rows-burn = • Burn: without energy
prices-bandwidth = 📶 { $amount } bandwidth, one USDT transfer: <b>{ AMOUNT($price) } TRX</b> for { $hours } h
prices-activation = 🚀 Address activation: <b>{ AMOUNT($price) } TRX</b>
prices-unknown = ⚡ Energy prices are unavailable right now.
prices-without-key = ⚡ Link an account to see energy prices.
prices-guest = { $invoices ->
        [yes] Without an account, buy energy by invoice, from any wallet.
       *[no] You pay from your balance at the service.
    }
button-prices-chart = 📈 Price chart
prices-chart = <b>Price of { $amount } energy</b>, TRX, since { $at }
prices-chart-range = { $hours } h: { $highest ->
        [same] <b>{ AMOUNT($latest) }</b>
       *[other] { AMOUNT($lowest) }–{ AMOUNT($highest) }, now <b>{ AMOUNT($latest) }</b>
    }
prices-chart-burn = Burn, without energy: <b>{ AMOUNT($latest) }</b>
prices-chart-axis = { $amount } energy, TRX
