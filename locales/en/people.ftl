## Users of the bot, for admins
command-people = Find or suspend users
button-people = 👥 Users
button-person = 🔎 Find user
button-results = ‹ Results
people-title = <b>👥 Users</b>
people-all = All: <b>{ $count }</b>
people-linked = 🔗 With an account: <b>{ $count }</b>
people-unreachable = 🚫 Unreachable: <b>{ $count }</b>
people-banned = ⛔ Suspended: <b>{ $count }</b>
people-spans = In 1 · 7 · 30 days (UTC):
people-new = 🆕 New: <b>{ $counts }</b>
people-active = 💬 Active: <b>{ $counts }</b>
people-language = { $language }: <b>{ $count }</b>

people-ask = Send a Telegram ID, an @name, a TRON address, a Ref. from a receipt, or the number of an order, invoice or Smart Mode.
problem-person = Send a Telegram ID like <code>123456789</code>, an @name, a TRON address, or a Ref. or number like <code>AB12CD34</code> or <code>17</code>.
people-found = <b>Found several.</b> Tap one to open it:
people-partial = Not everything was searched: there are too many users. Send a Ref. or a Telegram ID.
people-nobody = { $why ->
        [user] No user has this Telegram ID.
        [number] No user has this Telegram ID, and no order or invoice of the last 90 days has this number. The bot may not know the number of an order whose result was unknown: search by address or Ref.
        [invoice] No invoice of the last 90 days has this number.
        [smart-mode] No Smart Mode started here in the last 90 days has this number.
        [operation] No Ref. and no @name is <code>{ $sought }</code>.
        [address] No purchase, withdrawal or invoice of the last 90 days has this address.
        [username] No user has this @name. A new or changed @name is known once its user writes to the bot.
       *[too-many] Too many users to search. Send the Telegram ID.
    }

person-title = <b>👤 User</b> <code>{ $user }</code> · <a href="tg://user?id={ $user }">{ $name ->
        [none] profile
       *[other] @{ $name }
    }</a>
person-admin = 🛠 Admin
person-since = First seen { $first }, last { $last } (UTC)
person-language = Language: { $language }
person-linked = 🔗 Account { $account }, { $tail ->
        [operators] the operator's
       *[other] key { $tail }
    }, linked { $since }
person-merchant = 🧾 Makes invoices for customers
person-guest = 🔗 No account
person-no-news = 🔕 Wants no news
person-waiting = ⏳ Without a result: <b>{ $count }</b>
person-invoices = 🧾 Invoices that can be paid: <b>{ $count }</b>
person-undelivered = 📪 Messages not delivered yet: <b>{ $count }</b>
person-failed = ❌ Failed or refused in 90 days: <b>{ $count }</b>
person-bought = ✅ Charged in 90 days: <b>{ $count }</b>, { AMOUNT($trx) } TRX
person-unpriced = ✅ Charged in 90 days, amount unknown: <b>{ $count }</b>{ $estimate ->
        [none] {""}
       *[other] {" "}(about { AMOUNT($estimate) } TRX)
    }
person-returned = ↩️ Came back, order unclear: { AMOUNT($trx) } TRX
person-price = { AMOUNT($price) } TRX
person-unreachable = 🚫 { $why ->
        [deactivated] Deleted their Telegram account
        [unreachable] Unreachable
       *[blocked] Blocked the bot
    }
person-operations = Operations. Tap one to open it:
person-opened = Invoices opened to pay:
person-owner = 👤 User <code>{ $user }</code>{ $name ->
        [none] {""}
       *[other] {" "}@{ $name }
    }
person-invoice-maker = made by <code>{ $user }</code>
person-no-operations = No operations.
person-banned = ⛔ Suspended{ $since ->
        [none] {""}
       *[other] {" "}on { $since } by <code>{ $admin }</code>{ $name ->
            [none] {""}
           *[other] {" "}@{ $name }
        }
    }. Confirmed orders continue.
button-ban = ⛔ Suspend
button-unban = ✅ Restore access
person-ban-ask =
    <b>Suspend <code>{ $user }</code>{ $name ->
        [none] {""}
       *[other] {" "}(@{ $name })
    }?</b>

    • The user can't buy, withdraw or create invoices any more.
    • /balance, /history and /invoices stay readable. Pausing or ending Smart Mode, help, data and unlinking stay available.
    • Confirmed orders continue, and the user gets their results.
    • The user is told at the next message, and when you restore access.
person-ban-invoices = ⚠️ { $count ->
        [one] { $count } open invoice
       *[other] { $count } open invoices
    } of this user can still be paid. What is paid is delivered.
person-ban-admin = Admins can't be suspended. Remove them from ADMIN_IDS first.
button-ban-yes = ⛔ Yes, suspend

## A user's data
button-person-copy = 📄 Export data
button-person-erase = 🗑 Erase data
button-person-erase-yes = 🗑 Yes, erase
person-file = 🔒 Everything stored about user { $user }, without secrets. Delete this file once you no longer need it.
person-erase-ask =
    <b>Erase the data of <code>{ $user }</code>{ $name ->
        [none] {""}
       *[other] {" "}(@{ $name })
    }?</b>

    This deletes { $account ->
        [none] {""}
        [operators] the link to the operator account,{" "}
       *[own] the linked account with its key,{" "}
    }addresses, settings, open questions and unsent notifications. The user is told. It can't be undone.
person-erase-kept = Purchases, withdrawals and invoices stay for 90 days, a suspension until it's lifted, as after <i>{ button-forget }</i>.
person-erase-begun = 🗑 Erasing the data of <code>{ $user }</code>. You both get a message when it's done.
person-erase-done = ✅ <b>Erased:</b> the data of <code>{ $user }</code>. Purchases, withdrawals and invoices stay.
person-erased = <b>🗑 User</b> <code>{ $user }</code> { $day ->
        [none] was erased.
       *[other] was erased on { $day }.
    }
person-erase-admin = An admin's data can't be erased here. Admins use /forget.

## To suspended users
banned-still = ⛔ Your access is suspended. Only /balance, /history, /invoices, /privacy, /account, /help and pausing or ending /smart still work.{ $support ->
        [none] {""}
       *[other] {" "}Questions? Contact support: { $support }
    }
banned = ⛔ Your access is suspended. Confirmed orders continue, and your money at the service isn't affected. If Smart Mode is on, it keeps charging: pause or end it in /smart. You can still use /balance, /history, /invoices, /privacy, /account and /help.
unbanned = ✅ Your access is restored.
toast-banned = Access suspended. Send /help to see what still works.
