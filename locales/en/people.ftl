## What admins see of who uses the bot
command-people = Find somebody, shut somebody out
button-people = 👥 People
button-person = 🔎 Find somebody
people-title = <b>👥 People who have written to the bot</b>
people-all = All: <b>{ $count }</b>{ $part ->
        [yes] {" "}so far: there are more than could be counted at once
       *[no] {""}
    }
people-linked = 🔗 With an account linked: <b>{ $count }</b>
people-gone = 🚫 Nothing reaches them (blocked, deleted): <b>{ $count }</b>
people-barred = ⛔ Shut out by admins: <b>{ $count }</b>
people-spans = Within 1 · 7 · 30 days, today included (UTC):
people-met = 🆕 Came for the first time: <b>{ $counts }</b>
people-here = 💬 Were here: <b>{ $counts }</b>
people-language = { $language ->
        [ru] Russian
       *[en] English
    }: <b>{ $count }</b>

people-ask = Whom do you look for? Write their number in Telegram, or the number of an operation (8 letters and digits, as on its receipt).
problem-person = That is neither. Expected: a user's number in Telegram, like <code>123456789</code>, or an operation's, like <code>AB12CD34</code>.
people-nobody = { $why ->
        [user] Nobody with this number has written to the bot.
        [operation] Nobody who has written to the bot has an operation with this number. Operations are kept for 90 days.
       *[too-many] There are too many people to look through at once. Look for its owner by their number in Telegram.
    }

person-title = <b>👤 User</b> <code>{ $user }</code>
person-since = First here on { $first }, last on { $last } (UTC)
person-language = Language: { $language ->
        [ru] Russian
       *[en] English
    }
person-linked = 🔗 Account { $account }, key { $tail }
person-guest = 🔗 No account linked
person-gone = 🚫 { $why ->
        [deactivated] Has deleted their Telegram account
        [unreachable] Can't be written to
       *[blocked] Has blocked the bot
    }: nothing reaches them until they are back
person-operations = Latest operations:
person-no-operations = No operations in the last 90 days.
person-barred = ⛔ Shut out: the bot does nothing for them. What they had confirmed goes on.
button-bar = ⛔ Shut out
button-unbar = ✅ Let in again
person-bar-ask = Shut out <code>{ $user }</code>? The bot then answers nothing but that it does nothing for them. What they have confirmed goes on, and they are told of it; their account at the service is untouched.
person-bar-admin = That is an admin: admins aren't shut out. Take the number out of ADMIN_IDS first.
button-bar-yes = ⛔ Yes, shut out

## Whom they have shut out
barred = The operator of this bot has shut you out: it does nothing for you any more. What you confirmed before goes on, and you are told of it.{ $support ->
        [none] {""}
       *[other] {" "}A person answers at { $support }.
    }
toast-barred = The operator of this bot has shut you out.
