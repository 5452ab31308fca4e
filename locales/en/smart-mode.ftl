command-smart-mode = Automatic energy
button-smart-mode = 🔁 Smart Mode
smart-mode-title = { $action ->
        [start] 🔁 Start
        [pause] ⏸ Pause
        [resume] ▶️ Resume
       *[end] ⏹ End
    } Smart Mode
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
smart-mode-none = No addresses yet.
smart-mode-more = … and { $count } more
smart-mode-entry = { $number }. { $status ->
        [active] ▶️ <b>active</b>
        [paused] ⏸ <b>paused</b>
       *[other] <code>{ $status }</code>
    } · BW Guarantee { $guarantee }
button-smart-mode-start = ➕ Start for an address
button-pause = ⏸ Pause { $number }
button-resume = ▶️ Resume { $number }
button-end = ⏹ End { $number }…
toast-no-subscription = This subscription no longer exists.

## The questions
smart-mode-address = <b>🔁 1/3</b> · Which address often sends USDT? Paste it. It can't also have a transfer package.
smart-mode-label =
    <b>🔁 2/3</b> · For: <code>{ $address }</code>

    Name it (optional, up to 32 characters)
button-no-label = Skip
problem-label = Send a name of up to 32 characters, or tap Skip.
smart-mode-guarantee =
    <b>🔁 3/3</b> · For: <code>{ $address }</code>

    Cover bandwidth too? +{ AMOUNT($extra) } TRX per transfer
button-guarantee-on = Add BW Guarantee
button-guarantee-off = Only energy

## The card
smart-mode-terms-start =
    Daily fee: { $fee ->
        [none] <b>set by the service</b>
       *[other] about <b>{ AMOUNT($fee) } TRX</b>
    }, the first one charged at once
    Per transfer: { $transfer ->
        [none] { $listed ->
            [none] <b>set by the service</b>
           *[other] set by the service; a single transfer costs <b>{ AMOUNT($listed) } TRX</b>
        }
       *[other] about <b>{ AMOUNT($transfer) } TRX</b>
    }
    BW Guarantee: { $guarantee ->
        [on] <b>on</b>, +{ AMOUNT($extra) } TRX per transfer
       *[off] <b>off</b>
    }
smart-mode-terms-pause = No automatic energy and no fees until you resume.
smart-mode-terms-resume = Automatic energy and fees start again.
smart-mode-terms-end = <b>This can't be undone.</b> Don't expect today's fee back.
smart-mode-truth = <i>Confirmed changes can't be recalled.</i>
smart-mode-going = ⏳ <b>Changing…</b>
smart-mode-done = ✅ <b>Done</b>
smart-mode-differs = ⚠️ <b>Not the status you asked for</b>
smart-mode-refused = ❌ <b>Not done.</b> Nothing was changed.
smart-mode-likely = 🟡 <b>Most likely done</b>
smart-mode-again = Try again
smart-mode-anyway = Do it anyway
smart-mode-filter = 🔁 Smart Mode

## What is on now
smart-mode-is-start = ✅ <b>Smart Mode is on</b>
smart-mode-is-pause = ✅ <b>Smart Mode is paused:</b> no energy, no fees
smart-mode-is-resume = ✅ <b>Smart Mode is on again</b>
smart-mode-is-end = ✅ <b>Smart Mode has ended</b>
smart-mode-now-start =
    Daily fee: { $fee ->
        [none] unknown, see your balance
       *[other] <b>{ AMOUNT($fee) } TRX</b>, first one charged now
    }
    Per transfer: { $transfer ->
        [none] unknown
       *[other] <b>{ AMOUNT($transfer) } TRX</b>
    }
smart-mode-status = Status: <code>{ $status }</code>
