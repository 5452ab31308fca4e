command-deposit = Fill your balance
button-deposit = 📥 Deposit
button-deposit-history = 🧾 What came in
deposit-card =
    <b>Deposit</b>

    Send { $currencies } on TRON to your account's deposit address. It's credited automatically.

    • TRX is credited 1:1
    • { $rate ->
        [none] USDT (TRC-20) is converted to TRX at the market rate
       *[other] 1 USDT (TRC-20) = { $rate } TRX right now
    }{ $usd ->
        [none] {""}
       *[other] ; 1 TRX ≈ { $usd } USD
    }

    <code>{ $address }</code>
deposit-unreadable = The rental service named a deposit address that isn't valid, so I don't show it. Please try again later.
deposit-history = <b>What came in</b>
deposit-none = Nothing yet.
deposit-latest = <i>The latest { $most }.</i>
