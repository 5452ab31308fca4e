command-smart-mode = Automatic energy
button-smart-mode = 🔁 Smart Mode
smart-mode-title = { $action ->
        [start] 🔁 Start
        [pause] ⏸ Pause
        [resume] ▶️ Resume
       *[end] ⏹ End
    } Smart Mode
smart-mode-target = For: <code>{ $address }</code>
smart-mode-short = { $action ->
        [start] Start
        [pause] Pause
        [resume] Resume
       *[end] End
    } Smart Mode

## The list
smart-mode-list =
    <b>Smart Mode</b>

    The service keeps an address supplied with energy, for a daily fee plus a fee per transfer.
smart-mode-none = { $ended ->
        [yes] No active addresses.
       *[no] No addresses yet.
    }
smart-mode-ended = ⏹ <b>ended</b> { $at }
smart-mode-already = <b>{ refusal-listed }</b>
smart-mode-entry = { $number }. { $status ->
        [active] ▶️ <b>active</b>
        [paused] ⏸ <b>paused</b>
        [paused-elsewhere] ⏸ <b>paused, probably by the service:</b> was the balance too low?
       *[other] <code>{ $status }</code>
    } · { $guarantee ->
        [on] with bandwidth
       *[off] energy only
    }
smart-mode-entry-daily = { $trx ->
        [none] Daily fee: not known
       *[other] { AMOUNT($trx) } TRX a day { $of ->
            [own] (as of { $day })
           *[any] (as of { $day }, may differ for you)
        }
    }
smart-mode-entry-transfer = { $trx ->
        [none] Per transfer: not known
       *[other] { AMOUNT($trx) } TRX a transfer { $of ->
            [own] (as of { $day })
           *[any] (as of { $day }, may differ for you)
        }
    }
smart-mode-entry-charged = Charged so far: { $trx ->
        [none] not reported
       *[other] at least { AMOUNT($trx) } TRX
    }
smart-mode-entry-resume = ⚠️ Resuming may charge today's fee{ $trx ->
        [none] {""}
       *[other] {""}: { AMOUNT($trx) } TRX
    }.
smart-mode-charged-note = <i>“Charged so far” covers the first day, if you started it here, { $transfers ->
        [unread] but no transfers: the service's report isn't available now
       *[read] and the latest transfers that the service reports, which needs instant alerts
    }. It doesn't report later daily fees.</i>
smart-mode-paused-for = ⏸ <b>Smart Mode is paused</b> for <code>{ $address }</code>, probably by the service: was the balance too low? It brings no energy until you resume it.
button-smart-mode-start = ➕ Start for an address
button-pause = ⏸ Pause { $number }
button-resume = ▶️ Resume { $number }
button-end = ⏹ End { $number }…

## The questions
smart-mode-address = <b>🔁 1/3</b> · Which address do you send USDT from? Paste it. It can't also have a transfer package.
smart-mode-label =
    <b>🔁 2/3</b> · For: <code>{ $address }</code>

    Name it (optional, up to 32 characters)
problem-label = Send a name of up to 32 characters, or tap <i>{ button-skip }</i>.
smart-mode-guarantee =
    <b>🔁 3/3</b> · For: <code>{ $address }</code>

    Cover bandwidth too (<i>BW Guarantee</i>)? +{ AMOUNT($extra) } TRX per transfer. If the address runs out of its own, each transfer burns TRX.
button-guarantee-on = Add bandwidth
button-guarantee-off = Only energy

## The card
smart-mode-fee-daily = Daily fee: { $trx ->
        [none] <b>not known yet</b>
       *[other] <b>{ AMOUNT($trx) } TRX</b> when last charged, { $of ->
            [own] { $day }
           *[any] { $day } (may differ for you)
        }
    }
smart-mode-fee-transfer = { $guarantee ->
        [on] Per transfer, bandwidth included
       *[off] Per transfer
    }: { $trx ->
        [none] <b>not known yet</b>
       *[other] <b>{ AMOUNT($trx) } TRX</b> as of { $of ->
            [own] { $day }
           *[any] { $day } (may differ for you)
        }
    }
smart-mode-fee-bandwidth = That includes { AMOUNT($extra) } TRX for bandwidth
smart-mode-fee-single = { $guarantee ->
        [on] For comparison: { AMOUNT($single) } TRX for a single transfer, bandwidth included
       *[off] For comparison: { AMOUNT($single) } TRX for a single transfer
    }
smart-mode-fees-unknown = ⚠️ The service names a fee that isn't known yet only after you confirm. You'll see it on the receipt and in <i>{ button-smart-mode }</i>. Too high? End it there, and no further fees are charged.
smart-mode-short-of-funds = ⚠️ <b>Your balance may not cover the first daily fee.</b> Then the service refuses, and nothing is charged. Top up first.
smart-mode-terms-start = The first daily fee is charged at once, later ones without a message. Transfer fees are reported only with instant alerts. If the balance is too low, the service pauses it; /notifications can warn you before. You can pause it too, anytime.
smart-mode-terms-pause = There's no automatic energy and no fee until you resume.
smart-mode-terms-resume = Automatic energy and fees start again. The service doesn't say if today's daily fee is due again.
smart-mode-terms-end = <b>It ends for good:</b> starting again charges a new daily fee.
smart-mode-truth = <i>A charged fee may not be refunded.</i>
smart-mode-going = ⏳ <b>Changing…</b>
smart-mode-done = ✅ <b>Done</b>
smart-mode-differs = ⚠️ <b>Not the status you asked for</b>
smart-mode-refused = ❌ <b>Not done.</b> Nothing was changed.
smart-mode-unchanged = ℹ️ <b>{ $action ->
        [pause] Smart Mode is already paused.
        [resume] Smart Mode is already on.
       *[end] Smart Mode has already ended.
    }</b> Nothing was changed.
toast-smart-mode-already = { $action ->
        [pause] Smart Mode is already paused.
        [resume] Smart Mode is already on.
       *[end] Smart Mode has already ended.
    }
toast-smart-mode-gone = It has ended, or belongs to another account.
smart-mode-likely = 🟡 <b>Most likely done</b>
smart-mode-again = Try again
smart-mode-anyway = Do it anyway
smart-mode-filter = 🔁 Smart Mode

## What is on now
smart-mode-is-start = ✅ <b>Smart Mode is on</b>
smart-mode-is-pause = ✅ <b>Smart Mode is paused:</b> no energy, no fees
smart-mode-is-resume = ✅ <b>Smart Mode is on again</b>
smart-mode-resumed-fee = The service doesn't say if today's daily fee was due again: { $before ->
        [none] see your balance.
       *[other] compare your balance with the one before, <b>{ AMOUNT($before) } TRX</b>.
    }
smart-mode-resume-short = ⚠️ <b>Your balance is low: { AMOUNT($balance) } TRX.</b> { $fee ->
        [none] At the next fee the service
       *[other] At the next fee of { AMOUNT($fee) } TRX the service
    } pauses Smart Mode again. Top up first.
smart-mode-is-end = ✅ <b>Smart Mode has ended:</b> no more fees
smart-mode-now-start =
    Daily fee: { $fee ->
        [none] unknown, see your balance
       *[other] <b>{ AMOUNT($fee) } TRX</b>, first charged now
    }
    { $guarantee ->
        [on] Per transfer, bandwidth included
       *[off] Per transfer
    }: { $transfer ->
        [none] unknown
       *[other] <b>{ AMOUNT($transfer) } TRX</b>
    }
