## Operations whose outcome nobody knows, for admins
command-unresolved = Operations whose outcome nobody knows
button-unresolved = ⚠️ Unresolved
unresolved-title = <b>⚠️ Unresolved</b> · { $more ->
        [yes] more than { $count }
       *[no] { $count }
    }
unresolved-open = Oldest first. Tap a number to open it.
unresolved-none = There is nothing to decide: every outcome is known.
unresolved-unreadable = Records that I can't read: <b>{ $count }</b>. They wait for a version of me that can.
unresolved-whose = User <code>{ $user }</code> · account <code>{ $account }</code>
unresolved-state = { $state ->
        [unknown] ⚠️ <b>Outcome not known</b>
        [likely] 🟡 <b>Most likely went through</b>
        [sent] ⏳ <b>Sent, no answer yet</b>
        [claimed] ⏳ <b>Confirmed, not sent yet</b>
        [done] ✅ <b>Went through</b>
        [failed] 🚫 <b>Charged, but not delivered</b>
        [refused] ❌ <b>Didn't go through</b>
       *[closed] ☑️ <b>Closed by its user</b>
    }
button-unresolved-older = ‹ Older
button-unresolved-newer = Newer ›

## One of them
unresolved-one = <b>Operation { $id }</b>
unresolved-address = For the address: <code>{ $address }</code>
unresolved-confirmed = Confirmed: { $time } (UTC)
unresolved-sent = { $time ->
        [none] Request: not sent
       *[other] Request sent: { $time } (UTC)
    }
unresolved-evidence = <b>What is known</b>
unresolved-balance = Balance before: { $before ->
        [none] not read
       *[other] { $before } TRX
    }; at the last look: { $after ->
        [none] not read
       *[other] { $after } TRX
    }
unresolved-reports = Reports that fit, of orders that are another operation's, or may be: { $entries ->
        [none] none
       *[other] <code>{ $entries }</code>
    }
unresolved-listed = The service's list, this address and what is new: { $entries ->
        [none] nothing
       *[other] <code>{ $entries }</code>
    }
unresolved-looks = Looked for traces: { $count ->
        [0] not yet
        [one] once
       *[other] { $count } times
    }{ $last ->
        [none] {""}
       *[other] , last at { $last }
    }
unresolved-next = Next look: { $next ->
        [none] none by itself
       *[other] { $next }
    }
unresolved-no-key = ⚠️ Its user has no key of this account here any more, so the service can't be asked about it.
unresolved-decided =
    👤 Decided by admin <code>{ $admin }</code>, { $time } (UTC): { $outcome ->
        [done] it went through.
       *[not-done] it didn't go through.
    }
    Reason: <i>{ $reason }</i>
button-unresolved-ask = ↻ Ask the service again
toast-unresolved-asked = { $turn ->
        [searched] Asked. This is how it stands.
        [busy] It was asked just now.
       *[going] The service takes its time. Look again in a moment.
    }
toast-unresolved-late = It is settled by now: there is nothing to decide.

## Deciding by hand
button-went-through = ✅ It went through
button-did-not = ❌ It didn't
unresolved-why =
    <b>Operation { $id }</b> · { $outcome ->
        [done] it went through
       *[not-done] it didn't go through
    }

    Why do you say so? Write one line of 3 to 200 characters. The user reads it, so put no secret in it.
problem-reason = Write one line of { $min } to { $max } characters.
unresolved-check = <b>Check before you decide:</b> { $outcome ->
        [done] ✅ it went through
       *[not-done] ❌ it didn't go through
    }
unresolved-reason = Reason: <i>{ $reason }</i>
unresolved-truth = <i>Its user is told so at once, with the reason. You can't take it back. No request is sent by it. You can decide on this card for 15 minutes.</i>
button-decide = Decide
unresolved-ended = { $how ->
        [decided] ☑️ <b>Decided.</b> Its user is being told.
        [going] ⏳ <b>Not decided:</b> an attempt may still be under way. Try again in a few seconds.
       *[late] ⚠️ <b>Not decided by you:</b> it was settled before. This is how it stands.
    }
