## Log of admin actions
command-admin-log = Admin actions
button-admin-log = 📜 Log
admin-log-title = <b>📜 Admin actions</b>
admin-log-empty = Nothing in the last 90 days.
admin-log-entry = <i>{ $time }</i> · admin <code>{ $admin }</code>{ $name ->
        [none] {""}
       *[other] {" "}@{ $name }
    }
admin-act-broadcast-started = Started a broadcast
admin-act-broadcast-scheduled = Scheduled a broadcast
admin-act-broadcast-paused = Paused a broadcast
admin-act-broadcast-resumed = Resumed a broadcast
admin-act-broadcast-stopped = Stopped a broadcast
admin-act-broadcast-cancelled = Cancelled a scheduled broadcast
admin-act-person-banned = Suspended a user
admin-act-person-unbanned = Restored a user's access
admin-act-person-export-asked = Asked to export a user's data
admin-act-person-exported = Exported a user's data
admin-act-person-erased = Erased a user's data
admin-act-operation-asked = Rechecked an operation
admin-act-operation-done = Closed an operation as done
admin-act-operation-not-done = Closed an operation as not done
admin-act-operator-linked = Linked the operator account
admin-act-operator-unlinked = Unlinked the operator account
admin-act-operator-cap = Changed the operator account's daily limit
admin-act-operator-alert = Changed the operator account's alert level
admin-act-operator-reports = Switched the operator account's instant alerts
admin-act-maintenance-on = Turned maintenance mode on
admin-act-maintenance-off = Turned maintenance mode off
