## Users of the bot, for admins
command-people = Find or suspend users
button-people = 👥 Users
button-person = 🔎 Find user
people-title = <b>👥 Users</b>
people-all = All: <b>{ $count }</b>
people-linked = 🔗 With an account: <b>{ $count }</b>
people-unreachable = 🚫 Unreachable: <b>{ $count }</b>
people-banned = ⛔ Suspended: <b>{ $count }</b>
people-spans = In 1 · 7 · 30 days (UTC):
people-new = 🆕 New: <b>{ $counts }</b>
people-active = 💬 Active: <b>{ $counts }</b>
people-language = { $language }: <b>{ $count }</b>

people-ask = Send a Telegram ID to see a user, or a Ref. from a receipt (8 characters) to see that operation.
problem-person = Send a Telegram ID like <code>123456789</code>, or a Ref. like <code>AB12CD34</code>.
people-nobody = { $why ->
        [user] No user has this Telegram ID.
        [operation] No user has this Ref.
       *[too-many] Too many users to search. Send the Telegram ID.
    }

person-title = <b>👤 User</b> <code>{ $user }</code>
person-since = First seen { $first }, last { $last } (UTC)
person-language = Language: { $language }
person-linked = 🔗 Account { $account }, key { $tail }
person-guest = 🔗 No account
person-unreachable = 🚫 { $why ->
        [deactivated] Deleted their Telegram account
        [unreachable] Unreachable
       *[blocked] Blocked the bot
    }
person-operations = Operations. Tap a number to open one:
person-no-operations = No operations.
person-banned = ⛔ Suspended. Confirmed orders continue.
button-ban = ⛔ Suspend
button-unban = ✅ Restore access
person-ban-ask = Suspend <code>{ $user }</code>? Confirmed orders continue and are reported.
person-ban-admin = Admins can't be suspended. Remove them from ADMIN_IDS first.
button-ban-yes = ⛔ Yes, suspend

## To suspended users
banned = Your access is suspended. Confirmed orders continue.
toast-banned = Your access is suspended.
