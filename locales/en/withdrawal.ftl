command-withdraw = Withdraw TRX
button-withdraw = 📤 Withdraw
button-withdraw-all = All
withdrawal-title = 📤 Withdrawal of { AMOUNT($trx) } TRX
withdrawal-short = Withdrawal
withdrawal-filter = 📤 Withdrawals

## Why nobody can withdraw
withdrawal-without-codes = Withdrawals need 2FA. Turn it on at the service.

## The questions
withdrawal-amount =
    <b>📤</b> How much should arrive? Fee: { AMOUNT($fee) } TRX extra.
problem-withdrawal-none = Nothing to withdraw: balance { AMOUNT($balance) } TRX, fee { AMOUNT($fee) } TRX.
withdrawal-limited = Daily limit without 2FA: { AMOUNT($cap) } TRX, { AMOUNT($left) } TRX left.
problem-withdrawal-more = Not enough: balance { AMOUNT($balance) } TRX, fee { AMOUNT($fee) } TRX extra. Send less.
problem-withdrawal-cap = Over the daily limit: { AMOUNT($left) } of { AMOUNT($cap) } TRX left, { AMOUNT($fee) } TRX fee included. Send less, or turn on 2FA.
withdrawal-address = <b>📤</b> Send to which address? Paste it. Never use one that needs a memo.
withdrawal-address-amount = { $how ->
        [limit] All within today's limit
        [all] All
       *[typed] Arrives
    }: <b>{ AMOUNT($trx) } TRX</b>
withdrawal-to = To: <code>{ $address }</code>
problem-withdrawal-own = <code>{ $address }</code> is this account's deposit address. Send another one.

## Address check without 2FA
withdrawal-ends =
    <b>Address check</b>

    Type the last { $count } characters from your source, in case the address was swapped.
    <code>{ $begins }</code>……
problem-ends = Those aren't the last { $count } characters; capitals matter. Wrong address? Tap <i>{ button-back }</i>.
problem-ends-whole = Only the last { $count } characters, please.

## The card
withdrawal-terms =
    { $address }
    { $earlier ->
        [none] ⚠️ <b>First withdrawal</b> to this address.
        [unread] ⚠️ I can't see whether this account has withdrawn here before.
        [before] This account has withdrawn here before.
       *[recent] ⚠️ { $by ->
            [reader] You
           *[account] This account
        } { $state ->
            [uncertain] tried to withdraw
           *[made] withdrew
        } <b>{ AMOUNT($sent) } TRX</b> to this address { $age } ago ({ $state ->
            [pending] being processed
            [sent] sent
           *[uncertain] result unknown
        }).
    }

    Arrives: <b>{ AMOUNT($trx) } TRX</b>
    Fee: { AMOUNT($fee) } TRX
    Total: <b>{ AMOUNT($total) } TRX</b>

    { $cap ->
        [none] After that, I ask for your 2FA code.
       *[other] Sent as soon as you confirm. { AMOUNT($left) } of { AMOUNT($cap) } TRX left today.
    }
withdrawal-number-unclear = ⚠️ Not changed. A 2FA code has six digits. For another amount, add its unit: <code>{ $number } TRX</code>.
withdrawal-truth = <i>Can't be undone. Carries no memo.</i>
withdrawal-going = ⏳ <b>Withdrawing…</b>
withdrawal-done = ✅ <b>Withdrawal accepted</b>
withdrawal-sent = ✅ <b>Withdrawn and sent</b>
withdrawal-failed = ❌ <b>Withdrawal failed</b>
withdrawal-refused = ❌ <b>Not withdrawn.</b> Nothing was charged.
withdrawal-likely = 🟡 <b>Most likely withdrawn</b>
withdrawal-again = Withdraw again
withdrawal-anyway = Withdraw anyway
withdrawal-pending = <b>Being processed.</b> I'll tell you when it's sent.
withdrawal-completed = Status: <b>sent</b>
withdrawal-given-back = Status: <b>failed</b>
withdrawal-balances = Balance before: <b>{ AMOUNT($before) } TRX</b>, last seen: <b>{ AMOUNT($left) } TRX</b>
withdrawal-back = Your balance is <b>{ AMOUNT($left) } TRX</b> again: the amount and the fee are back.
withdrawal-returned = { $refund ->
        [back] The amount and the fee are probably back.
       *[unclear] The service returns the amount to your balance. It doesn't say if that includes the fee.
    }

## The 2FA code
operation-awaiting = 🔐 <b>Send your 2FA code</b>
operation-awaiting-note = Six digits from your authenticator. I delete your message at once.
code-question = Send only the six digits of your 2FA code. To change the address or amount, tap <i>{ button-cancel }</i> first.
code-exposed = ⚠️ <b>I couldn't delete your code.</b> Delete it yourself.
code-late = The card expired. Nothing was withdrawn.
code-decided = This withdrawal was already handled. Your code wasn't used.
code-early = That code came too early and wasn't used. Send the current one.
code-old = That code reached me too late and wasn't used. Send the current one.
code-too-early = 🔒 Too early: I didn't use this code. Send a new one <b>from <tg-time unix="{ $unix }" format="T">{ $at }</tg-time> to <tg-time unix="{ $endUnix }" format="T">{ $end }</tg-time></b>.
code-expires-first = 🔒 Too early: nothing was withdrawn. The card would expire before there's time for another code, so I cancelled it. Start again with /withdraw.
code-before-confirm = 🔒 I deleted your code. Tap <i>{ $button }</i> first, then send { $wait ->
        [no] the current one
       *[yes] a new one <b>from <tg-time unix="{ $unix }" format="T">{ $at }</tg-time> to <tg-time unix="{ $endUnix }" format="T">{ $end }</tg-time></b>
    }.
code-unasked = 🔒 I deleted a 6-digit number in case it was a 2FA code. No code is needed now.
code-or-amount = 🔒 I deleted a 6-digit number in case it was a 2FA code. For an amount, add its unit, like 131000 energy{ $what ->
        [energy] {""}
       *[any] {" "}or 131000 TRX
    }.
code-unasked-stays = ⚠️ That looks like a 2FA code. Delete it yourself: I couldn't.
left-code = No 2FA code needed any more. Nothing was withdrawn.
toast-balance-differs = Your balance changed. Here's an updated card.
toast-cap = Daily limit: { AMOUNT($cap) } TRX, { AMOUNT($left) } TRX left.
toast-cooldown = One withdrawal attempt a minute. Tap again in { $seconds } s.

## A new address of an account without 2FA
button-block-address = ⛔ Block this address
button-not-mine = ⛔ Not mine: block for 24 h
button-block-address-yes = ⛔ Block for 24 h
button-withdrawal-cancel = ✖️ Cancel withdrawal
button-withdraw-again = Withdraw again
button-review-withdrawal = Review withdrawal
withdrawal-announced-many = Too many new addresses for this account. Try again tomorrow.
address-hold =
    ⏳ <b>{ $reason ->
        [blocked] Recently blocked address
       *[new] New address
    }: 10-minute security hold</b>
    Withdrawal of { AMOUNT($trx) } TRX to
    <code>{ $address }</code>
    Fee: { AMOUNT($fee) } TRX extra. Nothing has left your balance yet.

    You can confirm it <b>from <tg-time unix="{ $unix }" format="T">{ $at }</tg-time></b>. I'll write then.{ $others ->
        [0] {""}
       *[other] {" "}Until then, others with account { $account } can block the address.
    }
address-hold-again = ⚠️ A withdrawal of <b>{ AMOUNT($trx) } TRX</b> to this address already waits until <tg-time unix="{ $unix }" format="T">{ $at }</tg-time>. It's still one withdrawal.
address-hold-other = ⚠️ You've now asked for <b>{ AMOUNT($asked) } TRX</b>. On hold is the withdrawal of <b>{ AMOUNT($trx) } TRX</b>. To withdraw { AMOUNT($asked) } TRX instead, send /withdraw again after the hold: it covers any amount.
address-announced =
    ⚠️ <b>Withdrawal of { AMOUNT($trx) } TRX from account { $account } to { $reason ->
        [blocked] a recently blocked address
       *[new] a new address
    }</b>
    <code>{ $address }</code>
    { $compared }

    Someone else with this account can confirm it from <tg-time unix="{ $unix }" format="T">{ $at }</tg-time>. Don't know the address? Block it, then replace the API key at the service.
address-offered =
    ✅ <b>Security hold is over</b>
    Withdrawal of { AMOUNT($trx) } TRX to
    <code>{ $address }</code>
    Fee: { AMOUNT($fee) } TRX extra.
address-offered-until = Confirm by <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>.
cancel-too-late = ⚠️ <b>{ $what ->
        [withdrawal] This withdrawal
       *[purchase] This purchase
    } can't be cancelled any more:</b> { $state ->
        [unknown] it may have gone through.
       *[going] it's being processed.
    }
address-card-closed =
    ☑️ <b>Card closed.</b> Nothing was charged. The withdrawal still waits for you to confirm it, until <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>.
    Withdrawal of { AMOUNT($trx) } TRX to
    <code>{ $address }</code>
address-not-confirmed = ⌛ <b>This withdrawal can't be confirmed any more.</b> Confirmed it before? See /history.
address-expired =
    ⌛ <b>Not withdrawn: not confirmed within 24 hours.</b> Nothing was charged.
    Withdrawal of { AMOUNT($trx) } TRX to
    <code>{ $address }</code>
address-blocked =
    ⛔ <b>Address blocked</b>
    <code>{ $address }</code>

    { $by ->
        [reader] You blocked it until <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>.
       *[other] Someone else with account { $account } blocked it until <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>.
    }{ $withdrawal ->
        [cancelled] {" "}Your withdrawal is cancelled. Nothing left the balance.
       *[none] {""}
    }
address-block-ask = ⛔ <b>Block this address for 24 h?</b> Nobody with account { $account } can withdraw to it until then. This can't be undone.
address-ended =
    { $how ->
        [sent] ☑️ <b>Confirmed at <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>: see the receipt</b>
        [cancelled] ✖️ <b>Withdrawal cancelled.</b> Nothing was charged.
        [expired] ⌛ <b>Not confirmed in time.</b> Nothing was charged.
       *[blocked] ⛔ <b>Address blocked</b>
    }
    Withdrawal of { AMOUNT($trx) } TRX to
    <code>{ $address }</code>
address-announced-ended =
    { $how ->
        [sent] 📤 <b>Someone else with account { $account } confirmed this at <tg-time unix="{ $unix }" format="t">{ $at }</tg-time></b>
        [cancelled] ✖️ <b>Withdrawal from account { $account } cancelled.</b> Nothing was charged.
        [expired] ⌛ <b>Withdrawal from account { $account } not confirmed in time.</b> Nothing was charged.
       *[none] ⛔ <b>Address blocked for account { $account }</b>
    }
    Withdrawal of { AMOUNT($trx) } TRX to
    <code>{ $address }</code>{ $how ->
        [sent] {"\u000A\u000A"}Unexpected? Block the address, then replace the API key at the service.
       *[none] {""}
    }
address-unlinked =
    ✖️ <b>Not withdrawn: account { $account } isn't linked here any more.</b> Nothing was charged.
    Withdrawal of { AMOUNT($trx) } TRX to
    <code>{ $address }</code>
address-over =
    ☑️ <b>{ $tap ->
        [cancel] Not cancelled: already
        [block] Not blocked: already
       *[card] Already
    } { $state ->
        [sent] sent
       *[confirmed] confirmed
    } at <tg-time unix="{ $unix }" format="t">{ $at }</tg-time></b>
    Withdrawal of { AMOUNT($trx) } TRX to
    <code>{ $address }</code>

    The receipt shows the result.
address-blocked-now =
    ⛔ <b>Address blocked until <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time></b>
    <code>{ $address }</code>

    { $by ->
        [reader] {""}
       *[other] Someone else with account { $account } blocked it.{" "}
    }{ $late ->
        [made] ⚠️ A withdrawal to it was made before, or may have been.
        [started] ⚠️ A withdrawal to it had just started and may have been sent.
       *[none] This withdrawal is cancelled. Nothing left the balance.
    } Not your withdrawal? Replace the API key at the service.

## To the other holders of the account
withdrawal-by-other-holder = 📤 <b>Withdrawal from account { $account }</b>
linked-by-other-holder =
    ⚠️ <b>Someone else has linked account { $account } here</b>
    That user can spend its balance. Unexpected? Replace the API key at the service.
withdrawal-by-other-holder-note = Someone else with this account confirmed it. Unexpected? Replace the API key at the service.
