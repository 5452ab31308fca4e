## Operations with unknown result, for admins
command-unresolved = Operations with unknown result
button-unresolved = ⚠️ Result unknown
unresolved-title = <b>⚠️ Result unknown</b> · { $count }
unresolved-open = Oldest first. Tap a number to open one.
unresolved-none = Nothing to decide.
unresolved-unreadable = Unreadable: <b>{ $count }</b>. They need another version of the bot.
button-unresolved-all = ‹ All with unknown result
button-unresolved-older = ‹ Older
button-unresolved-newer = Newer ›

## Replies to taps
toast-unresolved-asked = { $turn ->
        [searched] Checked again.
        [busy] Checked just now.
        [no-key] Can't be checked: the user's API key is gone.
        [unread] Couldn't read the service. Try again in a moment.
       *[going] The service is slow. Check again in a moment.
    }
toast-unresolved-late = Already settled. Nothing to decide.

## Deciding by hand
button-went-through = ✅ Went through
button-did-not = ❌ Didn't go through
unresolved-why =
    <b>Operation { $id }</b> · { $outcome }

    Why? Send 3 to 200 characters. The user reads this: no secrets.{ $language ->
        [unknown] {""}
       *[other] {" "}Their language: { $language }.
    }
problem-reason = Send one line of { $min } to { $max } characters.
unresolved-check = <b>Review your decision:</b> { $outcome }
unresolved-reason = Reason: <i>{ $reason }</i>
unresolved-contrary = ⚠️ { $balance ->
        [fell] The balance fell by exactly this price ({ AMOUNT($before) } → { AMOUNT($after) })
       *[unchanged] The balance hasn't changed ({ AMOUNT($before) })
    }{ $deposited ->
        [none] {""}
       *[other] , without the { AMOUNT($deposited) } TRX deposited since
    }{ $charged ->
        [none] {""}
       *[other] , apart from later purchases ({ AMOUNT($charged) } TRX)
    }{ $others ->
        [yes] , perhaps because of another operation
       *[no] {""}
    }. <b>This speaks against your decision.</b>
unresolved-consequence = { $outcome ->
        [done] The user reads that this went through and won't repeat it: if it didn't, they get nothing.
       *[not-done] ⚠️ The user reads that this didn't go through and can repeat it: <b>if it did, they pay twice</b>.
    }
unresolved-truth = <i>The user is notified. The decision can't be undone. This screen is valid for 15 min.</i>
unresolved-ended = { $how ->
        [decided] ☑️ <b>Decided.</b> The user is being notified.
        [going] ⏳ <b>Not decided:</b> a request may be running. Try again in a few seconds.
        [cancelled] ✖️ <b>Cancelled.</b> Nothing was decided.
       *[late] ⚠️ <b>Not decided:</b> already settled.
    }
