## What is kept of whoever asks
button-privacy = 🔒 What I keep
command-privacy = What I keep about you
button-privacy-copy = 📄 A copy of it
privacy =
    <b>🔒 What I keep about you</b>

    <b>As long as this bot runs</b>
    • That you are here: your number in Telegram, your first and your last day, your language, whether you want news, whether I can write to you, whether you were shut out, which commands are listed in your chat.

    <b>Until you unlink your account</b>
    • Its number, since when, whether you sell; its API key, encrypted for you alone, and the last characters of it.
    • What you want to be told, and below which balance.

    <b>For a time</b>
    • What you confirmed and what came of it, and your invoices with the chats that show them: 90 days after they last changed. That is the record of your money.
    • Addresses that you bought for or gave a name, and the one by default: a year after the last purchase or change. Those that you withdrew to without a code: a year after the last time.
    • What you chose in the settings, which card is open, and which of your last messages and taps were handled: 180 days after the last of them.
    • A question that is open: 30 days. A card that you didn't confirm: an hour. A one-time code: a minute, in memory only.
    • What is to be told to you, and that it was: 31 days. That I offered you service reports: a year.
    • What counts toward a limit, like keys that were refused: an hour, or a day at most. Your request to be forgotten: 2 days.
    • Under your account's number: what the service reported, what I last saw there, what orders last cost: 40 days at most.
    • What an admin did about you: 90 days. Your place among those who get a broadcast: until its end, 30 days at most.

    What you write to me otherwise is kept nowhere, but for what has to wait until I come to it: encrypted, a day at most. A message with a key or a code is deleted from the chat.
privacy-elsewhere = It is kept in the database of this bot's operator, and given to nobody. Lines of its log may carry your number in Telegram, and nothing of what you write. The rental service hears what you order; Telegram carries our messages, and keeps them as it keeps others.
privacy-forget = With <i>{ $button }</i> all of it is erased, but for what must stay a while: you read what, and why, before you decide.
toast-privacy-wait = You've had several copies just now. Try again in { $minutes ->
        [one] 1 minute
       *[other] { $minutes } minutes
    }.
privacy-file =
    🔒 Everything I keep under your number in Telegram, and other records that name you.

    This file leaves out your API key (stored encrypted), data kept under your account's number, your place in a broadcast, and other people's data, such as an invoice shared with you.
