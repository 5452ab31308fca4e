## Operations with unknown result, for admins
command-unresolved = Operations with unknown result
button-unresolved = ⚠️ Result unknown
unresolved-title = <b>⚠️ Result unknown</b> · { $count }
unresolved-open = Oldest first. Tap a number to open one.
unresolved-none = Nothing to decide.
unresolved-unreadable = Unreadable: <b>{ $count }</b>. They need another version of the bot.
unresolved-whose = User <code>{ $user }</code> · account <code>{ $account }</code>
unresolved-state = { $state ->
        [unknown] ⚠️ <b>Result unknown</b>
        [likely] 🟡 <b>Most likely went through</b>
        [sent] ⏳ <b>Sent, no reply yet</b>
        [claimed] ⏳ <b>Confirmed, not sent yet</b>
        [done] ✅ <b>Went through</b>
        [failed] ❌ <b>Charged, not delivered</b>
        [refused] ❌ <b>Didn't go through</b>
       *[closed] ☑️ <b>Closed by user</b>
    }
button-unresolved-older = ‹ Older
button-unresolved-newer = Newer ›

## One of them
unresolved-one = <b>Operation { $id }</b>
unresolved-confirmed = Confirmed: { $time } (UTC)
unresolved-sent = Request sent: { $time } (UTC)
unresolved-evidence = <b>Evidence</b>
unresolved-balance = Balance before: { AMOUNT($before) } TRX, last seen: { AMOUNT($after) } TRX
unresolved-reports = Matching orders: { $entries }
unresolved-listed = New at the service for this address: { $entries }
unresolved-checks = Checks: { $count }, last { $last }
unresolved-next = Next check: { $next }
unresolved-no-key = ⚠️ The user's API key is gone, so the operation can't be checked.
unresolved-decided =
    👤 Decided by admin <code>{ $admin }</code>, { $time } (UTC): <b>{ $outcome }</b>
    Reason: <i>{ $reason }</i>
toast-unresolved-asked = { $turn ->
        [searched] Status updated.
        [busy] Checked just now.
       *[going] The service is slow. Check again in a moment.
    }
toast-unresolved-late = Already settled. Nothing to decide.

## Deciding by hand
button-went-through = ✅ Went through
button-did-not = ❌ Didn't go through
unresolved-why =
    <b>Operation { $id }</b> · { $outcome }

    Why? Send 3 to 200 characters. The user reads this: no secrets.
problem-reason = Send one line of { $min } to { $max } characters.
unresolved-check = <b>Review your decision:</b> { $outcome }
unresolved-reason = Reason: <i>{ $reason }</i>
unresolved-truth = <i>The user is notified. The decision can't be undone. The card is valid for 15 min</i>
button-decide = Decide
unresolved-ended = { $how ->
        [decided] ☑️ <b>Decided.</b> The user is being notified.
        [going] ⏳ <b>Not decided:</b> a request may be running. Try again in a few seconds.
       *[late] ⚠️ <b>Not decided:</b> already settled.
    }
