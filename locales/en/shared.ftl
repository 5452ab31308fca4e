## What the bot says about itself
bot-description =
    Rent energy and bandwidth on TRON, so that sending USDT doesn't burn your TRX.

    Pay from your account at the rental service or, if offered, by invoice.
bot-short-description = Energy and bandwidth for TRON transfers.
command-cancel = Cancel the current action

## Buttons that many messages have
button-menu = ☰ Menu
button-back = ‹ Back
button-cancel = ✕ Cancel
button-continue = ▶️ Continue: { $what }
button-try-again = ↻ Try again
button-copy-address = ⧉ Copy address
button-open-bot = Open the bot
button-open-account = ↗ Open an account
button-support = 💬 Contact support
button-skip = Skip

## Lines that many lists have
account-number = Account { $account }
list-time = <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
list-empty = Nothing yet.
list-latest = <i>The latest { $most }.</i>
list-as-of = <i>As of <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>.</i>
list-more = … and { $count } more

## Leaving a flow
cancelled = ✖️ <b>Cancelled.</b> Nothing was charged.
cancelled-nothing = Nothing to cancel. Here's the menu:
flow-left = <i>I closed the unfinished question. Nothing was charged.</i>
card-left = <i>I closed the unfinished card. Nothing was charged.</i>
edit-unread = I don't read edits. Send a new message.
group-only = I work only in a private chat.
group-secret = 🔒 { $what ->
        [key] An API key in a group? <b>Replace it at the service now.</b>
       *[code] A 2FA code in a group? Wait for the next one.
    }{ $deleted ->
        [yes] {" "}I deleted it.
       *[no] {" "}I can't delete it: <b>delete it yourself</b>.
    }
busy-flood = Too fast. Try again in a few seconds.

## Answers that don't fit
problem-address-empty = Send the address as text: 34 characters, starting with T.
problem-address-case = Capitals matter in addresses: copy it again.
problem-address-unknown = “{ $said }” isn't an address or a saved name.
problem-said-left = I don't understand “{ $left }”. Answer again to continue without it.
problem-address-prefix = No TRON address found: 34 characters, starting with T.
problem-address-length = This address has { $length } characters, not 34. Copy it again.
problem-address-alphabet = Invalid character (such as 0, O, I or l). Copy it again.
problem-address-checksum = This address has a typo. Copy it again.
problem-address-gap = The address has a gap in it. Copy it again in one piece.
problem-address-shortened = This address is shortened. Copy the whole address: 34 characters.
problem-address-other-chain =
    That's { $chain ->
        [bank] a bank account number
        [other] an address of another chain
        [Algorand] an Algorand address
       *[named] a { $chain } address
    }. Energy is rented for TRON addresses, which begin with T.
problem-address-contract =
    That's { $name ->
        [none] a contract
       *[named] the { $name } contract
    }, not a wallet address. Send the wallet's address.
address-contract = { $name } contract
problem-address-several = Several addresses found. Which one?
problem-address-many = Too many addresses. Send only one.
problem-address-foreign = Not Latin letters: { $letters }. Possible fraud: copy it from a trusted source.
foreign-letter = “{ $letter }” at position { $place }
problem-command = I don't know the command <code>{ $command }</code>. All commands: /help
problem-choice = Tap one of the buttons.
problem-count = Send a whole number from { $min } to { $max }, like { $example }.
problem-trx = Send an amount in TRX, like 12.5 (up to six decimals).
problem-too-many = Too many tries. Start again from the menu.

## An account is missing or can't be read
account-needed =
    <b>You need an account for this</b>

    Link your account at the rental service, or open one there first.
account-unreachable = The service isn't responding. Nothing was charged. Try again in a minute.
account-unreadable = Unexpected reply from the service. Nothing was charged.
account-key-refused = { $tail ->
        [operators] The service no longer accepts the operator's key. Set another one in <code>RENTAL_API_KEY</code>.
       *[other] The service no longer accepts your key { $tail }. Link the account again with a new key.
    }
account-other = { $whose ->
        [operators] ⚠️ The operator's key now opens another account at the service. I show nothing of that account, and nothing was charged. Set the right key in <code>RENTAL_API_KEY</code>, then restart the bot.
       *[own] ⚠️ Your API key now opens another account at the service. I show nothing of that account, and nothing was charged. Link your own account again with a new key.
    }
account-limited = The service is busy. Nothing was charged. Try again { $when }.
wait-until = { $unit ->
        [s] in { $count } s
        [min] in { $count } min
       *[later] later
    }
account-key-lost = I can't read your key any more. Link the account again.

## Not enough money
funds-short = <b>Not enough on your balance</b>
funds-price =
    { $is ->
        [total] Total with the fee:
       *[price] Price: about
    } <b>{ AMOUNT($estimate) } TRX</b>
    Balance: <b>{ AMOUNT($balance) } TRX</b>
    Missing: { $is ->
        [total] {""}
       *[price] about{" "}
    }<b>{ AMOUNT($missing) } TRX</b>
funds-deposit =
    Send TRX or USDT (TRC20{ $rate ->
        [none] {""}
       *[other] , { AMOUNT($rate) } TRX each right now
    }) here, then tap <i>{ button-check-again }</i>:
    <code>{ $address }</code>
funds-elsewhere = Top up your account, then tap <i>{ button-check-again }</i>.
button-option-priced = { $label } · ≈ { AMOUNT($price) } TRX
button-check-again = ↻ Check again

## When something fails
fault-tap = Something went wrong. Nothing was charged. Try again in a minute.
fault-message = Something went wrong. Nothing was charged. Try again in a minute; if you sent an API key, delete it first.
gate-closed = Payments and withdrawals are paused. Nothing was charged. Try again later.
fault-unclear = Result unknown. Check the card in a minute: if it has buttons, nothing was charged.
fault-dropped = Something went wrong. Nothing was charged. Start again.

## Toasts
toast-funds = { $deposit ->
        [waiting] Your deposit isn't credited yet
       *[none] Not enough yet
    }: { AMOUNT($missing) } TRX missing.
toast-button-expired = This button has expired. Open the menu again.
toast-question-open = Your question is still open: answer or cancel it.
toast-over = This button is out of date.
toast-question-over = This question is out of date. Answer the latest one.
question-over = <i>This question is closed.</i>

## Blockchain explorer
explorer-address = <a href="{ $url }">View address</a>
explorer-transaction = <a href="{ $url }">View transaction</a>
problem-address-evm = That's an Ethereum-style address. TRON addresses start with T.
problem-address-hex = That's a hexadecimal TRON address. Send the one that starts with T.
