## What is kept of whoever asks
button-privacy = 🔒 What I keep
command-privacy = What I keep about you
button-privacy-copy = 📄 A copy of it
privacy =
    <b>🔒 What I keep about you</b>

    • That you are here: your number in Telegram, your first and your last day, your language, whether you want news. As long as this bot runs.
    • Your account at the rental service, once you have linked it, with its API key, encrypted for you alone. Until you unlink it.
    • The last five addresses that you bought for: a year after the last one.
    • What you confirmed and what came of it, and your invoices: 90 days after they last changed. That is the record of your money.
    • What you want to be told, and below which balance: until you unlink.
    • What you have begun and not finished: 30 days. A one-time code: a minute at most.

    What you write to me otherwise is kept nowhere. A message with a key or a code is deleted from the chat.
privacy-elsewhere = It is kept in the database of this bot's operator, and given to nobody. The rental service hears what you order; Telegram carries our messages, and keeps them as it keeps others.
privacy-file = 🔒 All that is kept about you. Your API key is kept encrypted, and isn't in it.
