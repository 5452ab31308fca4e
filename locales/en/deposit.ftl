command-deposit = Deposit to your balance
button-deposit = 📥 Deposit
button-deposit-history = 🕘 Show deposits
deposit-card =
    <b>Deposit</b>

    Send { $currencies } on TRON to this address. It's credited automatically, and I'll write then.

    • TRX: 1:1
    • USDT (TRC20): { $rate ->
        [none] market rate
       *[other] { AMOUNT($rate) } TRX right now
    }

    <code>{ $address }</code>
deposit-changed = ⚠️ <b>The deposit address has changed.</b> I showed you another one before: <code>{ $former }</code>. Not expected? Ask the service before you send anything.
deposit-unreadable = The service gave an invalid deposit address. Don't deposit now; try again later.
deposit-history = <b>Deposits</b>
