## What admins see of operations with money
command-operations = How many operations ended how
button-operations = 📊 Operations
operations-title = <b>📊 Operations</b> · { $day } (UTC)
operations-spans = How many ended how: today · within 7 days · within 30 days
operations-outcome = { $outcome ->
        [done] ✅ done
        [failed] 🚫 charged, but not delivered
        [refused] ❌ refused, nothing charged
       *[closed] ☑️ closed by their users, never known
    }
operations-none = None yet.
operations-unresolved = ⚠️ Unresolved now: { $count ->
        [0] none
       *[other] <b>{ $more ->
            [yes] more than { $count }
           *[no] { $count }
        }</b>
    }
