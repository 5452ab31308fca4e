## Forget me
command-forget = Erase your data
button-forget = 🗑 Forget me
button-forget-yes = Yes, forget me
button-forget-stays = 📋 What stays
forget-ask =
    <b>Erase your data?</b>

    This deletes your address book, settings, list of invoices you opened by link, open questions and unsent notifications, and your linked account with its key if you have one. It can't be undone.
forget-kept = Your orders and their addresses stay for 90 days, and you still see them in /history; see <i>{ button-forget-stays }</i>.
forget-begun = 🗑 Erasure started. I'll write when it's done.
forget-done = 🗑 { $by ->
        [admin] <b>An admin of this bot erased your data:</b>
       *[user] <b>Erased:</b>
    } { $account ->
        [none] address book, settings, list of invoices you opened by link.
       *[own] key, address book, settings, list of invoices you opened by link. Your account and balance at the service are unchanged; to disable the key, delete it there.
    }
forget-holds = ✖️ <b>Withdrawals on hold are cancelled.</b> Nothing was charged:
forget-unfinished = ⚠️ <b>Without your key I can't tell you how these end.</b> Check the addresses and your account at the service:
forget-smart-mode = ⚠️ If Smart Mode is on, it keeps running and charging. Pause or end it at the service, or link your account here again.

## What goes on afterwards
forget-invoices = ⚠️ <b>{ $reader ->
        [admin] The user has
       *[user] You have
    } { $count ->
        [one] one invoice
       *[other] { $count } invoices
    } that can still be paid.</b> What is paid is delivered, and { $reader ->
        [admin] the user is told
       *[user] I'll still tell you
    }.
forget-invoices-unpayable = ⚠️ <b>{ $reader ->
        [admin] { $count ->
            [one] One invoice of the user
           *[other] { $count } invoices of the user
        }
       *[user] { $count ->
            [one] One invoice
           *[other] { $count } invoices
        }
    } may still change.</b> { $reader ->
        [admin] The user is told
       *[user] I'll tell you
    } about a late payment or a delivery.
forget-admin = You stay an admin. Broadcast drafts are erased.{ $broadcasts ->
        [0] {""}
       *[other] {" "}Broadcasts you confirmed continue: { $broadcasts }.
    }

## What stays
forget-stays = <b>📋 What stays, and why</b>
kept-money = • { $reader ->
        [guest] Invoices
       *[holder] Purchases, withdrawals and invoices
    }, as a record of your payments: 90 days after the last change.
kept-under-way = • Unfinished { $reader ->
        [guest] invoices
       *[holder] purchases and withdrawals
    }: until they end.
kept-handled = • This request, latest messages and taps, so nothing runs twice: 2 days.
kept-limits = • Limits, so that erasing doesn't reset them: a day at most.
kept-account = • Under your account number: events and prices (30 days), last state (40 days), withdrawal addresses (a day). Whether an address is active: a year.
kept-others = • In other users' data: admin actions about you (90 days), a suspension (while this bot runs), invoices shared with you (90 days), your place in broadcasts (30 days at most).
kept-admin = • Your admin actions, and notifications of them: 90 days.
