## For admins
data-lost =
    ⚠️ <b>The storage has lost its data.</b> Redis was emptied, or a replica that knew less took over.
    I take no money for five minutes. Links and cards are gone, and what was being bought at that moment may be known only to the rental service: look at the account's orders, and check how Redis is set up.
