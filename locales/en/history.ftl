command-history = Your operations
button-history = 🕘 History
history-title = <b>History</b>
history-open = Tap a number for its receipt.
history-empty = Nothing here yet. Operations are kept for 90 days.
history-unreadable = ⚠️ { $count ->
        [one] One operation is unreadable.
       *[other] { $count } operations are unreadable.
    } Check your history at the service.
history-none-of-kind = None of these yet.
history-all = All
button-older = Older ›
button-newest = « Newest
history-further = No matches here. Try Older.
