button-deposit = 📥 Deposit
deposit-card =
    <b>Deposit</b>

    Send TRX or USDT (TRC-20) to your account's deposit address. It's credited automatically.
    • TRX is credited 1:1
    • 1 USDT = { $rate } TRX right now

    <code>{ $address }</code>
deposit-unreadable = The rental service named a deposit address that isn't valid, so I don't show it. Please try again later.
