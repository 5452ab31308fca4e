notice-unclear = <i>You may have read this before; I got no answer when I sent it:</i>

## Deposits
notice-deposit = { $count ->
        [one] 📥 <b>Deposit</b>
       *[other] 📥 <b>{ $count } deposits</b>
    }
deposit-noticed = ⏳ <b>{ $amount } { $currency }</b> is on its way. The service waits until the transfer is confirmed.
deposit-noticed-bare = ⏳ A deposit is on its way. The service waits until the transfer is confirmed.
deposit-credited = { $converted ->
        [yes] ✅ <b>{ $amount } { $currency }</b> came in; <b>{ $trx } TRX</b> was credited to your balance.
       *[no] ✅ <b>{ $amount } { $currency }</b> was credited to your balance.
    }
deposit-credited-bare = ✅ A deposit was credited to your balance.
deposit-expired = ⚠️ <b>{ $amount } { $currency }</b> was not credited: the service says that the deposit has expired. Ask the service about it.
deposit-expired-bare = ⚠️ A deposit was not credited: the service says that it has expired. Ask the service about it.

## Withdrawals that somebody else made, or that were made elsewhere
notice-withdrawal = { $count ->
        [one] 📤 <b>Withdrawal from your account</b>
       *[other] 📤 <b>{ $count } withdrawals from your account</b>
    }
notice-withdrawal-pending =
    ⏳ <b>{ $amount } TRX</b> is being sent{ $fee ->
        [none] {""}
       *[other] , with a fee of { $fee } TRX,
    } to
    <code>{ $to }</code>
    If that wasn't you or somebody you trust, replace the API key at the service.
notice-withdrawal-completed =
    <b>{ $amount } TRX</b> was sent{ $fee ->
        [none] {""}
       *[other] , with a fee of { $fee } TRX,
    } to
    <code>{ $to }</code>
    If that wasn't you or somebody you trust, replace the API key at the service.
notice-withdrawal-failed =
    ↩️ <b>{ $amount } TRX</b> could not be sent, and is back on your balance. It was meant for
    <code>{ $to }</code>

## Smart Mode
notice-smart-mode = { $count ->
        [one] ⚡ <b>Smart Mode delivered energy</b>
       *[other] ⚡ <b>Smart Mode delivered energy { $count } times</b>
    }
smart-mode-for = For transfers from <code>{ $address }</code>
smart-mode-delivered = • { $energy } energy, fee { $fee } TRX

## The balance
notice-low-balance = 📉 <b>Low balance</b>
low-balance = <b>{ $balance } TRX</b> is left, below your mark of { $mark } TRX.

## Service reports
notice-hook = ⚠️ <b>Service reports don't reach me any more</b>
hook-elsewhere = Those about your account go somewhere else now: another place was set at the service. I now read the service's log instead, which takes me some minutes longer.
hook-off = Somebody else who has linked account { $account } turned them off here, for everybody who has linked it. I still look for deposits and withdrawals myself and tell you, only later; when an order has arrived I no longer learn.
hook-unreached = The service couldn't deliver its last reports to me. I have read them in its log instead, which takes some minutes longer. If this goes on, turn them on here once more.

## What has no words of its own
notice-event = { $count ->
        [one] 📨 <b>The service reports something this bot doesn't know yet</b>
       *[other] 📨 <b>The service reports { $count } things this bot doesn't know yet</b>
    }
event-type = Type: <code>{ $type }</code>
event-field = { $name }: <code>{ $value }</code>
event-unknown = <i>What it means the service can tell you. { $log } shows what else it sent; in { $muting } you can mute such messages.</i>

## What the service's events are about, where they stand in lists
event-order-filled = Order delivered
event-order-failed = Order failed
event-deposit-pending = Deposit on its way
event-deposit-confirmed = Deposit credited
event-deposit-expired = Deposit expired
event-withdrawal-pending = Withdrawal on its way
event-withdrawal-completed = Withdrawal sent
event-withdrawal-failed = Withdrawal failed
event-invoice-paid = Invoice paid
event-invoice-delegated = Invoice delivered
event-invoice-expired = Invoice expired
event-invoice-failed = Invoice not delivered
event-smart-mode-transfer = Delivered by Smart Mode

## A user's record that can't be read
record-unreadable = { $what ->
        [operation] ⚠️ <b>I can't read my record of operation { $id }.</b> If you confirmed it, check your balance and history at the service before you repeat it.
        [invoice] ⚠️ <b>I can't read one of your invoices any more.</b> Check at the service whether it was paid before you make another.
       *[link] ⚠️ <b>Your account's record can't be read, so it is no longer linked.</b> Link it again.
    }
