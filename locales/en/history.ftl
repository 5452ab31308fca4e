command-history = What you bought
button-history = 🧾 History
history-title = <b>History</b>
history-open = Tap a number to see its receipt.
history-empty = Nothing here yet. What you buy stands here for 90 days.
history-all = All
button-older = Older ›
button-newest = « Newest
