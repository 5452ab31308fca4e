## Forgetting whoever asks
command-forget = Forget me
button-forget = 🗑 Forget me
button-forget-yes = Yes, forget me
forget-ask =
    <b>Forget you?</b>

    I then erase all that I keep about you, but for what is named below: that you are here, your account with its key, your addresses and settings, what you have begun, and what waits to be told to you. It can't be undone.
forget-begun = 🗑 I'm erasing what I keep about you. I'll write when it's done; what you begin before that may be lost.
forget-done =
    🗑 <b>I have forgotten you.</b> All that I kept about you is erased, but for this:
forget-anew = If you write to me again, we meet anew.

## What goes on all the same
forget-draft = ✖️ The card that waits for your <i>{ $confirm }</i> is cancelled with it.
forget-operations = ⚠️ <b>This isn't over yet.</b> I still tell you here what comes of it, as far as I learn that: without a key of yours I can't ask the service any more. Better wait for the outcome.
forget-subscriptions = ⚠️ <b>Smart Mode goes on at the service, and is charged there.</b> Without a key of yours I can neither pause nor end it: do that first if you want it.
forget-subscription = • <code>{ $what }</code>: { $status ->
        [active] active
        [paused] paused
       *[other] on ({ $status })
    }
forget-subscriptions-unknown = ⚠️ <b>The service doesn't tell me just now whether Smart Mode is on.</b> If it is, it goes on there, and is charged.
forget-invoices = ⚠️ <b>{ $count ->
        [one] 1 of your invoices is
       *[other] { $count } of your invoices are
    } still open.</b> They can be paid all the same, and I tell you of it:
forget-more = … and { $count } more.
forget-admin = You stay an admin, as that is in the bot's settings. Drafts of broadcasts are erased. { $broadcasts ->
        [0] {""}
        [one] A broadcast that you confirmed goes on.
       *[other] { $broadcasts } broadcasts that you confirmed go on.
    }

## What stays
forget-stays = <b>What stays, and why:</b>
kept-money = • What you confirmed and what came of it, and your invoices: 90 days after they last changed. It is the record of your money.
kept-under-way = • What is under way: until it ends, as you are told of it.
kept-handled = • Your request to be forgotten, and which of your last messages and taps were handled, so that none is handled twice: 2 days.
kept-limits = • What counts toward a limit, so that it holds: an hour, or a day at most.
kept-account = • Under the account's number instead of yours: what the service reported (30 days), what I last saw there (40 days), what orders last cost (30 days), addresses to be withdrawn to (a day). That an address is active: a year.
kept-others = • With others: what an admin did about you (90 days), that you are shut out, if you are (as long as this bot runs), an invoice that somebody shared with you (90 days), your place among those who get a broadcast, of which you get nothing any more (until its end, 30 days at most).
kept-admin = • What you did as an admin, and what other admins were told of it: 90 days.
