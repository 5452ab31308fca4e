command-history = What you bought
button-history = 🕘 History
history-title = <b>History</b>
history-open = Tap a number to see its receipt.
history-empty = Nothing here yet. What you buy is kept here for 90 days.
history-unreadable = ⚠️ { $count ->
        [one] One operation can't be read. Check it at the service.
       *[other] { $count } operations can't be read. Check them at the service.
    }
history-none-of-kind = None of these yet.
history-all = All
button-older = Older ›
button-newest = « Newest
history-further = None of these among the latest. Look further back.
