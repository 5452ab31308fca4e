notice-unclear = <i>You may have seen this already:</i>

## Deposits
notice-deposit = 📥 <b>Deposit</b>
deposit-noticed = ⏳ <b>{ AMOUNT($amount) } { $currency }</b> is on its way, not confirmed yet.
deposit-noticed-bare = ⏳ A deposit is on its way, not confirmed yet.
deposit-credited = { $converted ->
        [yes] ✅ <b>{ AMOUNT($amount) } { $currency }</b> received, <b>{ AMOUNT($trx) } TRX</b> credited.
       *[no] ✅ <b>{ AMOUNT($amount) } { $currency }</b> credited.
    }
deposit-credited-bare = ✅ A deposit was credited.
deposit-balance = New balance: <b>{ AMOUNT($balance) } TRX</b>
deposit-missing = Still missing for { $what }: about <b>{ AMOUNT($trx) } TRX</b>
deposit-expired = ⚠️ <b>{ AMOUNT($amount) } { $currency }</b> wasn't credited: it expired. Ask the service.
deposit-expired-bare = ⚠️ A deposit expired and wasn't credited. Ask the service.

## Withdrawals made by others or elsewhere
notice-withdrawal = 📤 <b>Withdrawal from your account</b>
notice-withdrawal-line = { $status ->
        [failed] ↩️ <b>{ AMOUNT($amount) } TRX</b> wasn't sent and is back on your balance. Recipient:
            <code>{ $to }</code>
       *[other] { $status ->
            [completed] <b>{ AMOUNT($amount) } TRX</b> was sent
           *[pending] ⏳ <b>{ AMOUNT($amount) } TRX</b> is being sent
        }{ $fee ->
            [none] {""}
           *[other] {" "}(fee { AMOUNT($fee) } TRX)
        } to
            <code>{ $to }</code>
            Not you or anyone you trust? Replace the API key at the service.
    }

## Smart Mode
notice-invoice-expired = ⌛ <b>Expired, not paid in full.</b> If a part arrived, the service may have returned it. I'll write if the service reports the payment within 24 h.
invoice-expired-line = Invoice { $number }: { $amount } energy for { $hours } h to { $target }

notice-smart-mode = 🔁 <b>Smart Mode delivered energy</b>
smart-mode-for = For <code>{ $address }</code>
smart-mode-delivered = • { $energy } energy, fee { AMOUNT($fee) } TRX
notice-smart-mode-paused = ⏸ <b>Smart Mode was paused</b>
smart-mode-paused =
    <code>{ $address }</code>

    Probably by the service, because the balance is too low: <b>{ AMOUNT($balance) } TRX</b>. There's no automatic energy until you resume it.

## Balance
notice-low-balance = 📉 <b>Low balance</b>
low-balance = <b>{ AMOUNT($balance) } TRX</b> left, below your alert level of { AMOUNT($mark) } TRX.
low-balance-smart-mode = 🔁 Smart Mode is active for { $active ->
        [one] one address
       *[other] { $active } addresses
    }. If the balance is too low for a fee, the service pauses it.

## Instant alerts
notice-hook = ⚠️ <b>Instant alerts aren't arriving</b>
hook-elsewhere = Another app now gets this account's alerts. Updates here come a few minutes late.
hook-off = Someone else with account { $account } turned them off for everyone. You won't hear when orders arrive.
hook-unreached = The service couldn't reach this bot. If this goes on, turn instant alerts on again.

## Events without a text of their own
notice-event = 📨 <b>Unknown event from the service</b>
event-type = Type: <code>{ $type }</code>
event-field = { $name }: <code>{ $value }</code>
event-unknown = Ask the service what it means. See <i>{ button-webhook-log }</i>, or mute these in <i>{ button-notifications }</i>.

## Records of the service that contradict an order, for admins
contradiction =
    ⚠️ <b>The service contradicts { $what ->
        [energy] energy order
        [bandwidth] bandwidth order
        [withdrawal] withdrawal
        [invoice] invoice
       *[other] order
    } { $order }</b>
    { $fact ->
        [address] Address
        [amount] Amount
        [hours] Hours
        [price] Price
       *[status] Status
    }: expected <code>{ $ordered }</code>, reported { $reported ->
        [none] nothing readable
       *[other] <code>{ $reported }</code>
    }
    Operation { $operation }, { $account ->
        [none] operator account
       *[other] account { $account }
    }. Nothing was changed for its user. Ask the service.

## Names of events in lists
event-order-filled = Order delivered
event-order-failed = Order failed
event-deposit-pending = Deposit on its way
event-deposit-confirmed = Deposit credited
event-deposit-expired = Deposit expired
event-withdrawal-pending = Withdrawal being processed
event-withdrawal-completed = Withdrawal sent
event-withdrawal-failed = Withdrawal failed
event-invoice-paid = Invoice paid
event-invoice-delegated = Invoice delivered
event-invoice-expired = Invoice expired
event-invoice-failed = Invoice not delivered
event-smart-mode-transfer = Smart Mode delivery

## Stored data that can't be read
record-unreadable = { $what ->
        [operation] ⚠️ <b>Your purchase or withdrawal { $id } can't be read any more.</b> If you confirmed it, check your balance and history at the service before repeating it.
        [invoice] ⚠️ <b>One of your invoices can't be read any more.</b> Check at the service if it was paid before making another.
       *[link] ⚠️ <b>Your saved account can't be read, so it's no longer linked.</b> Link it again.
    }
