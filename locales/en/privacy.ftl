## Privacy
button-privacy = 🔒 Privacy
command-privacy = What I keep about you
button-privacy-copy = 📄 Get a copy
button-privacy-details = 📋 Full list
privacy =
    <b>🔒 What I keep about you</b>

    • <b>While this bot runs:</b> Telegram ID, @name, language, first and last day, news setting.
    • <b>Until you unlink:</b> account, API key (encrypted), notification settings.
    • <b>90 days:</b> purchases, invoices, and withdrawals from a linked account.
    • <b>A year:</b> addresses.
    • <b>180 days:</b> other settings.

    The bot's admins can see and export all of this except your API key, of which they see the last characters. It isn't shared with anyone else. <i>{ button-privacy-details }</i> shows the rest; <i>{ button-forget }</i> erases it, except what must stay for a while.
privacy-details =
    <b>📋 Full list</b>

    <b>While this bot runs</b>
    • Telegram ID, @name, first and last day, language, news setting, whether you're reachable or suspended, commands shown to you.

    <b>Until you unlink</b>
    • Account number, since when, seller mode, API key (encrypted), its last characters, notification settings.

    <b>For a time</b>
    • Purchases, withdrawals; invoices with the chats showing them: 90 days after the last change.
    • Addresses bought for, named, set as default, or withdrawn to without 2FA; deposit address last shown: a year.
    • Settings, open card, latest handled messages and taps: 180 days.
    • Open question: 30 days. Unconfirmed card: an hour. 2FA code: a minute, in memory only.
    • Notifications: 31 days. Reminders: until due.
    • Limits, such as refused keys: a day at most. Request to be forgotten: 2 days.
    • By account number: events, last state, prices: 40 days at most.
    • Latest Smart Mode fees of any account, without its number: 180 days. Not erased.
    • Admin actions about you: 90 days. Your place in a broadcast: 30 days at most.

    Other messages: encrypted until handled, a day at most. Keys and codes are deleted from the chat.
privacy-elsewhere = All of it is in this bot's database; its log may show your Telegram ID, never what you write. The service learns your orders, and Telegram keeps this chat.
toast-privacy-wait = Too many copies. Try again in { $minutes } min.
privacy-file =
    🔒 Everything stored under your Telegram ID, and records that name you.

    Not included: your API key, data under your account number, your place in a broadcast, other users' data.
