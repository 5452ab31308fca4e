## Counts of operations, for admins
command-operations = Count operations by result
button-operations = 📊 Operations
operations-title = <b>📊 Operations</b> · { $day } (UTC)
operations-spans = Today · 7 days · 30 days
operations-outcome = { $outcome ->
        [done] ✅ done
        [failed] ❌ charged, not delivered
        [refused] ❌ refused, nothing charged
       *[closed] ☑️ closed by user, result unknown
    }
operations-none = None yet.
operations-unresolved = ⚠️ Result unknown now: <b>{ $count }</b>
