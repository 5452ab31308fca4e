command-smart-mode = Energy that comes by itself
button-smart-mode = 🔁 Smart Mode
smart-mode-title = { $action ->
        [start] 🔁 Start Smart Mode
        [pause] ⏸ Pause Smart Mode
        [resume] ▶️ Resume Smart Mode
       *[end] ⏹ End Smart Mode
    }

## The list
smart-mode-list =
    <b>Smart Mode</b>

    The service watches an address and sends it energy by itself. It charges a daily fee, and a fee for each transfer.
smart-mode-none = You have none yet.
smart-mode-more = … and { $count } more.
smart-mode-entry = { $number }. { $status ->
        [active] ▶️ <b>active</b>
        [paused] ⏸ <b>paused</b>
       *[other] <code>{ $status }</code>
    } · BW Guarantee { $guarantee ->
        [on] on
       *[off] off
    }
button-smart-mode-start = ➕ Start for an address
button-pause = ⏸ Pause { $number }
button-resume = ▶️ Resume { $number }
button-end = ⏹ End { $number }…
toast-no-subscription = This subscription is no longer there.

## The questions
smart-mode-address =
    <b>Start Smart Mode</b> · 1 of 3

    Which address sends USDT often? It must have no transfer package: the two exclude each other.

    Paste it{ $known ->
        [yes] , or choose one of yours.
       *[no] .
    }
smart-mode-label =
    <b>Start Smart Mode</b> · 2 of 3
    For: <code>{ $address }</code>

    A name for it, so that you know it again? Write one, of up to 32 characters.
button-no-label = Without a name
problem-label = Write a name of one to 32 characters, or tap the button.
smart-mode-guarantee =
    <b>Start Smart Mode</b> · 3 of 3
    For: <code>{ $address }</code>

    With BW Guarantee? The service then also sees to the bandwidth of each transfer, for { $extra } TRX more each.
button-guarantee-on = With BW Guarantee
button-guarantee-off = Without
smart-mode-sure =
    <b>End Smart Mode for good?</b>
    <code>{ $label }</code>
    <code>{ $address }</code>

    It can't be taken up again: you would have to start a new one, and pay its first daily fee. To stop it for a while, pause it.
button-end-it = Yes, end it for good

## The card
smart-mode-terms-start = { $fee ->
        [none] The service names its fees only once it has begun: a daily fee, <b>the first of which is charged at once</b>, and a fee for each transfer.
       *[other] Daily fee, as it was last time: about <b>{ $fee } TRX</b>. <b>The first one is charged at once.</b> { $transferFee ->
            [none] The fee for each transfer is named by the service once it has begun.
           *[other] Fee for each transfer, as it was last time with the same BW Guarantee: <b>{ $transferFee } TRX</b>.
        }
    }
    BW Guarantee: { $guarantee ->
        [on] <b>on</b>, { $extra } TRX more for each transfer
       *[off] <b>off</b>
    }
smart-mode-terms-pause = While it is paused, the service sends no energy by itself, and charges no fee.
smart-mode-terms-resume = The service sends energy by itself again, and charges its fees.
smart-mode-terms-end = <b>This can't be undone.</b> What was paid for the present day isn't given back, as far as the service says.
smart-mode-truth = <i>A request that is on its way can't be undone. I make it once, and change nothing by myself afterwards.</i>
smart-mode-active = Status: <b>active</b>.
smart-mode-paused = Status: <b>paused</b>.
smart-mode-deactivated = Status: <b>ended for good</b>.
smart-mode-going = ⏳ <b>Asking the service…</b>
smart-mode-done = ✅ <b>Done</b>
smart-mode-differs = ⚠️ <b>The service did something else than you asked for.</b> Look at the status below.
smart-mode-refused = ❌ <b>Not done.</b> Nothing was changed.
smart-mode-likely = 🟡 <b>Most likely done</b>
smart-mode-again = Again
smart-mode-anyway = Do it anyway
smart-mode-filter = 🔁 Smart Mode
