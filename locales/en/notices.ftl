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
    ⏳ <b>{ $amount } TRX</b> is being sent, with a fee of { $fee } TRX, to
    <code>{ $to }</code>
    If that wasn't you or somebody you trust, replace the API key at the service.
notice-withdrawal-completed =
    <b>{ $amount } TRX</b> was sent, with a fee of { $fee } TRX, to
    <code>{ $to }</code>
    If that wasn't you or somebody you trust, replace the API key at the service.
notice-withdrawal-failed =
    ↩️ <b>{ $amount } TRX</b> could not be sent, and is back on your balance. It was meant for
    <code>{ $to }</code>

## Smart Mode
notice-smart-mode = { $count ->
        [one] ⚡ <b>Smart Mode</b>
       *[other] ⚡ <b>Smart Mode: { $count } times</b>
    }
smart-mode-delivered =
    { $energy } energy for a transfer from
    <code>{ $address }</code>
    Fee: { $fee } TRX

## The balance
notice-low-balance = 📉 <b>Low balance</b>
low-balance = <b>{ $balance } TRX</b> is left, below your mark of { $mark } TRX.

## The service's notifications
notice-hook = 🔕 <b>Notifications don't reach me any more</b>
hook-elsewhere = Somebody else receives what the service sends about your account: another place was set there. I now read the service's log instead, which takes me some minutes longer.
hook-unreached = The service couldn't deliver its last notifications to me. I have read them in its log instead, which takes some minutes longer. If this goes on, let it send here again.

## What has no words of its own
notice-event = { $count ->
        [one] 📨 <b>Notification from the service</b>
       *[other] 📨 <b>{ $count } notifications from the service</b>
    }
event-type = Event: <code>{ $type }</code>
event-field = { $name }: <code>{ $value }</code>
