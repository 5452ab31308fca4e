## Commands, as Telegram's menu lists them
command-start = Open the menu
command-buy = Buy energy
command-account = Your account
command-settings = Language
command-help = How this works
command-cancel = Leave what is open
bot-description =
    I rent energy for transfers on the chain, so that they burn no TRX.

    You pay from your prepaid account at the rental service. Nothing is bought before you confirm a card that shows the whole address, the amount and the price.
bot-short-description = Rent energy for transfers on the chain, paid from your prepaid account.

## Buttons
button-buy = ⚡ Buy energy
button-link = 🔑 Link account
button-account = 👤 Account
button-deposit = 📥 Deposit
button-settings = ⚙️ Settings
button-help = ❓ Help
button-menu = ☰ Menu
button-confirm = ✅ Confirm
button-cancel = ✖️ Cancel
button-back = ‹ Back
button-1-hour = 1 hour
button-24-hours = 24 hours
button-1-hour-priced = 1 hour · ≈ { $price } TRX
button-24-hours-priced = 24 hours · ≈ { $price } TRX
button-one-holder = 1 transfer, recipient holds USDT · { $amount }
button-one-new = 1 transfer, recipient is new to USDT · { $amount }
button-several = Several transfers
button-exact = Exact amount
button-check-again = ↻ Check again
button-copy-deposit = ⧉ Copy deposit address
button-unlink = Unlink account
button-unlink-yes = Yes, unlink
button-events-on = Turn on delivery reports
button-events-off = Turn off delivery reports
button-events-allow = Yes, turn them on
button-events-later = Not now
button-i-checked = I have checked
button-again = Buy again
button-open-bot = Open the bot

## The menu
menu-guest =
    <b>Energy for your transfers</b>

    A USDT transfer burns TRX unless the sending address has energy. Here you rent energy for an hour or a day and pay a fraction of that.

    You pay from your account at the rental service. Link it to begin.
menu-linked =
    <b>Energy for your transfers</b>

    Account { $tail } is linked. What would you like to do?
menu-idle = I didn't take that for a command. Choose what to do:
help =
    <b>How this works</b>

    <b>Energy</b> lets an address send tokens without burning TRX. It goes to the address that <i>sends</i>.
    • 65,000 is enough for one USDT transfer to somebody who already holds USDT.
    • 131,000 is enough where the recipient holds none yet.

    <b>Paying.</b> Purchases are charged to your account's balance at the rental service. Nothing is bought before you tap <i>Confirm</i> on a card that shows the whole address, the amount and the price.

    <b>Your API key</b> gives full control of your account, to this bot too. It is kept encrypted, used only for you, and forgotten when you unlink.

    <b>Commands</b>
    /start opens the menu, /buy buys energy, /account shows your account, /settings changes the language, /cancel leaves what is open.
help-support = Something is wrong? A person reads { $url }
cancelled-nothing = Nothing was open. Here is the menu:
cancelled = Left. Nothing was bought.
group-only = I work in a private chat, where only you see your account.
busy-flood = That was a lot at once. Give me a few seconds.

## Linking an account
link-about =
    <b>An account is needed to buy energy</b>

    Energy is paid from a prepaid balance at the rental service. If you have an account there, link it with its API key; if not, open one with the service first.
link-ask =
    <b>Link account</b>

    Send me the API key of your account at the rental service.

    ⚠️ Whoever holds this key controls the account and can withdraw everything from it. I delete your message at once, keep the key encrypted, and use it only for you. You can unlink at any time.

    <i>Waiting for your key.</i>
link-delete-failed = ⚠️ <b>I could not delete your message with the key.</b> Delete it yourself, and replace the key at the service: whoever reads it controls your account.
link-not-a-key = That doesn't look like an API key: a key is a single word of 4 to 256 Latin letters, digits and signs, with no spaces. Send the key alone, or tap Cancel.
link-not-text = I need the key as a text message. Send the key alone, or tap Cancel.
link-refused = The rental service doesn't accept this key. Copy it again from your account there and send it, or tap Cancel.
link-unreachable = The rental service doesn't answer just now, so the key could not be checked and was not kept. Send it again in a minute, or tap Cancel.
link-done =
    ✅ <b>Account linked</b>

    Key { $tail } · account { $account }
    Balance: <b>{ $balance } TRX</b>
unlink-ask =
    <b>Unlink the account with key { $tail }?</b>

    I forget the key. Orders that were made stay as they are. To be safe, replace the key at the service if you won't use it any more.
unlink-events = The service will still send this account's events to the bot, which refuses them. Set another address for events at the service if you want them.
unlinked = The account is unlinked and its key forgotten.
unlink-none = No account is linked.

## Events of the account
events-ask =
    <b>Shall I report deliveries?</b>

    The rental service can tell me when energy has arrived. For that it must send your account's events to this bot.

    ⚠️ An account has a single address for events: <b>this replaces the one that is set there now</b>. If your own server receives events, choose <i>{ $later }</i>.
events-on = ✅ Delivery reports are on. I'll update an order's card when its energy has arrived.
events-refused = The service refused to set the address for events: { $reason } Nothing was changed here.
events-unclear = The service's answer was lost, so I can't tell whether it now sends events here. Turn delivery reports on again from the account card.
events-off = Delivery reports are off. The service still has the bot's address for events; set another there if you want them elsewhere.

## The account card
account-card =
    <b>Account { $account }</b>
    { $email }
    Balance: <b>{ $balance } TRX</b>
    Key: { $tail }
    Two-factor codes: { $totp ->
        [on] on
       *[off] off
    }
    Delivery reports: { $events ->
        [on] on
        [off] off
       *[none] not offered by this bot
    }

    Its address on the chain:
    <code>{ $address }</code>
account-unreachable = The rental service doesn't answer just now, so I can't show the balance. Your account (key { $tail }) stays linked. Try again in a minute.
account-key-refused = The rental service no longer accepts the linked key { $tail }. Link the account again with a new key.
account-limited = The rental service asks for a pause of { $seconds } s. Try again after that.
account-key-lost = The stored key can't be read any more. Link the account again.
deposit-card =
    <b>Deposit</b>

    Send TRX or USDT to your account's deposit address; it is credited by itself.
    • TRX is credited 1:1
    • 1 USDT = { $rate } TRX just now

    <code>{ $address }</code>

## Settings
settings-card =
    <b>Language</b>

    The bot speaks English to you. Choose another:
language-en = English
language-ru = Русский

## Buying energy
buy-address =
    <b>Buy energy</b> · 1 of 3

    Which address is going to <i>send</i>? Energy goes to the sender's address.

    Paste it{ $known ->
        [yes] , or choose one you used before.
       *[no] .
    }
buy-purpose =
    <b>Buy energy</b> · 2 of 3
    For <code>{ $address }</code>

    What is it for? Energy is used up by each transfer.
    Choose, or write an exact amount from { $min } to { $max }.
buy-count =
    <b>Buy energy</b> · 2 of 3
    For <code>{ $address }</code>

    How many transfers? Each is counted as { $each } energy, enough where the recipient already holds USDT.
    Choose, or write a number from 1 to { $max }.
buy-exact =
    <b>Buy energy</b> · 2 of 3
    For <code>{ $address }</code>

    How much energy exactly? Write a whole number from { $min } to { $max }.
buy-duration =
    <b>Buy energy</b> · 3 of 3
    For <code>{ $address }</code>
    Energy: <b>{ $amount }</b>

    For how long? It must be used within that time.
buy-funds =
    <b>Your balance doesn't suffice</b>

    { $amount } energy for { $hours ->
        [1] 1 hour
       *[other] 24 hours
    } costs about <b>{ $estimate } TRX</b>; your balance is <b>{ $balance } TRX</b>. About { $missing } TRX are missing.
buy-funds-address =
    Deposit TRX or USDT here, then tap <i>{ $again }</i>:
    <code>{ $address }</code>
buy-off = Buying is switched off just now: the bot's storage can't keep a record of purchases safely. Nothing was sent.
buy-lookalike = ⚠️ <b>Look closely.</b> This address begins and ends like one you used before, { $known }, but it is another. Attackers make such addresses on purpose.

problem-address-empty = Send the address as text: it begins with T and has 34 characters.
problem-address-prefix = That is not an address: one begins with T and has 34 characters, like { $example }.
problem-address-length = That address has { $length } characters; one has 34. Copy it again, whole.
problem-address-alphabet = That address contains a character that none has (0, O, I and l never occur). Copy it again.
problem-address-checksum = That address has a typing error in it: its check digits don't fit. Copy it again; capital and small letters matter.
problem-purpose = Choose one of the buttons, or write an exact amount of energy from { $min } to { $max }, like 65000.
problem-count = Write a whole number of transfers from 1 to { $max }, like 5.
problem-amount = Write a whole number from { $min } to { $max }, like 65000.
problem-duration = Choose 1 hour or 24 hours.
problem-choice = Choose one of the buttons.

## An energy order: card and what came of it
energy-card =
    <b>Check before you confirm</b>

    Energy: <b>{ $amount }</b>
    For: <b>{ $hours ->
        [1] 1 hour
       *[other] 24 hours
    }</b>
    To the address:
    <code>{ $address }</code>
energy-card-estimate = Price: about <b>{ $estimate } TRX</b>
energy-card-no-estimate = Price: named by the service only when it is bought
energy-card-balance = Balance: { $balance } TRX
energy-card-no-balance = Balance: could not be read just now
energy-card-truth = <i>A purchase can't be undone or moved to another address. This card is good for 5 minutes.</i>
energy-title = ⚡ { $amount } energy · { $hours ->
        [1] 1 hour
       *[other] 24 hours
    }
operation-number = Operation { $id }
energy-going = ⏳ <b>Buying…</b> The request is on its way.
energy-done = ✅ <b>Bought</b>
energy-order = Order <b>{ $order }</b>
energy-price = Charged: <b>{ $price } TRX</b>
energy-price-differs = Charged: <b>{ $price } TRX</b> (estimated { $estimate } TRX)
energy-price-unknown = Charged: see your balance; the service's report names no price
energy-left = Balance left: { $balance } TRX
energy-pending = Status: <b>pending</b>. This card changes when the energy has arrived.
energy-pending-no-events = Status: <b>pending</b>. The service reports no delivery to this bot, so look at the address itself in a minute.
energy-filled = Status: <b>filled</b>. The energy is at the address.
energy-undelivered = ❌ <b>Not delivered</b>
energy-failed = Status: <b>failed</b>. The service reports that the order failed and returns its price to your balance.
energy-status = Status: <b>{ $status }</b>
energy-refused = ❌ <b>Not bought. Nothing was charged.</b>
energy-unknown =
    ⚠️ <b>The outcome isn't known yet</b>

    The request was sent, but the service's answer was lost. <b>Don't repeat this purchase:</b> it may have gone through. I'm looking for traces of it and will tell you here.
energy-unknown-checked = Checked { $count ->
        [one] once
       *[other] { $count } times
    } so far: no trace yet{ $balance ->
        [same] , and the balance has not changed.
        [moved] , but the balance has changed.
       *[unread] .
    }
energy-unknown-over = I have stopped looking. Look at the address and at your account's orders, then close this with <i>{ $checked }</i>.
energy-likely =
    🟡 <b>Most likely bought</b>

    The balance fell by just this price and nothing else was bought meanwhile. For certain the outcome isn't known: the service sent no other word. <b>Don't repeat</b> before you have looked at the address.
energy-closed = ☑️ <b>Closed by you.</b> The outcome was never learnt for certain.
energy-expired = ⌛ <b>This card has expired.</b> Nothing was bought. Prices and balances change, so begin again.
energy-cancelled = ✖️ <b>Cancelled.</b> Nothing was bought.
energy-late = News of operation { $id }:
energy-support = Need a person? { $url }

refusal-insufficient = Your balance doesn't suffice. Deposit, then begin again.
refusal-key = The service no longer accepts your API key. Link the account again.
refusal-limited = The service asks for a pause{ $seconds ->
        [0] .
       *[other] {" "}of { $seconds } s.
    } Begin again after that.
refusal-address = The service doesn't accept this address.
refusal-offline = The rental service can't be reached, so nothing was sent. Begin again in a few minutes.
refusal-unlinked = The account was unlinked or changed before the request was sent.
refusal-expired = Too much time passed before it could be sent.
refusal-other = The service refused it ({ $code }).

## Toasts
toast-expired = This card has expired.
toast-going = Already on its way.

## When something fails
fault-storage = My storage can't be reached just now. Nothing was done. Please send it again in a minute.
fault-storage-message = My storage can't be reached just now. Nothing was done. Please send it again in a minute. If it was an API key, delete the message first.
fault-unclear = I can't tell yet whether this was taken. Look at the card in a minute: while it still has its buttons, nothing was bought and you can tap again.
fault-dropped = Something went wrong on my side, and I left what was open. Nothing was bought by it. Please begin again.

