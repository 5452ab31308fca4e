## What the bot says of itself
bot-description =
    I rent energy and bandwidth on TRON, so that sending USDT doesn't burn your TRX.

    You pay from your prepaid account at the rental service or, where that is offered, by an invoice from any wallet. Nothing is bought until you tap Confirm on a card that shows the whole address, the amount and the price.
bot-short-description = Energy and bandwidth for your transfers on TRON, paid from your prepaid account.
command-cancel = Stop what you have begun

## Buttons that many messages have
button-menu = ☰ Menu
button-back = ‹ Back
button-cancel = ✖️ Cancel
button-try-again = ↻ Try again
button-copy-address = ⧉ Copy address
button-open-bot = Open the bot
button-open-account = ↗ Open an account
button-support = 💬 Write to a person

## Leaving what was begun
cancelled = Stopped. Nothing was done.
cancelled-nothing = There was nothing to stop. Here is the menu:
left-flow = I stopped what you had begun. Nothing was done.
left-secret = I no longer expect your API key.
edit-unread = I don't read what you change in a message afterwards. Write it to me once more; my last question is still open.
group-only = I work in a private chat, where only you see your account.
group-secret = { $what ->
        [key] 🔒 You wrote what looks like an API key in a group.
       *[code] 🔒 You wrote what looks like a one-time code in a group.
    } { $deleted ->
        [yes] I deleted it, and didn't use it, but others may have read it.
       *[no] I didn't use it and can't delete it there: <b>delete it yourself</b>.
    } { $what ->
        [key] <b>Replace the key at the rental service now</b>: whoever reads it controls the account.
       *[code] If it is one, don't use it any more: wait for the next.
    } I take keys and codes in our private chat alone.
busy-flood = That was a lot at once, so I left this out. Give me a few seconds, then try again.

## Answers that don't fit
problem-address-empty = Send the address as text. It begins with T and has 34 characters.
problem-address-case = That looks like an address in small letters only. Capital and small letters matter: copy it again.
problem-address-unknown = I find neither an address in “{ $said }” nor the name of one of yours. Paste the address, or choose one.
problem-said-left = I don't understand “{ $left }” there. If all else is right, answer this once more; otherwise tap Cancel.
problem-address-prefix = I see no TRON address in that. An address begins with T and has 34 characters.
problem-address-length = That address has { $length } characters, but an address has 34. Copy the whole of it again.
problem-address-alphabet = That address contains a character that no address has (0, O, I and l never occur). Copy it again.
problem-address-checksum = There is a mistake in that address: one of its characters is wrong. Copy it again; capital and small letters matter.
problem-address-several = I see more than one address in that. Which one do you mean?
problem-address-many = I see very many addresses in that. Send me just the one you mean.
problem-address-foreign = That looks like an address, but { $count ->
        [one] one of its letters isn't
       *[other] some of its letters aren't
    } Latin: { $letters }{ $more ->
        [yes] {" "}and more
       *[no] {""}
    }. Such letters look alike, and no address has them; somebody may have put { $count ->
        [one] it
       *[other] them
    } there on purpose. I replace nothing: copy the address again from a source you trust.
foreign-letter = “{ $letter }” at place { $place } ({ $script ->
        [cyrillic] Cyrillic
        [greek] Greek
       *[other] of another alphabet
    })
problem-choice = Please tap one of the buttons.
problem-count = Write a whole number from { $min } to { $max }, like { $example }.
problem-trx = Write an amount of TRX, like 12.5, with at most six digits after the point.
problem-too-many = That was many tries. Let us begin again from the menu.

## An account is needed, or can't be read
account-needed =
    <b>For this you need an account</b>

    You pay from a prepaid balance at the rental service. If you have an account there, link it with its API key.{ $open ->
        [yes] {" "}If you don't, open one first: it takes a minute.
       *[no] {" "}If you don't, open one with the service first.
    }
account-unreachable = The rental service doesn't answer right now. { $tail ->
        [operators] The operator's account stays linked.
       *[other] Your account (key { $tail }) stays linked.
    }
account-unreadable = Unexpected reply from the service. Nothing was charged; try again in a minute. { $tail ->
        [operators] The operator's account stays linked.
       *[other] Your account (key { $tail }) stays linked.
    }
account-key-refused = { $tail ->
        [operators] The rental service no longer accepts the operator's key. Put another into <code>RENTAL_API_KEY</code>.
       *[other] The rental service no longer accepts your key { $tail }. Link the account again with a new key.
    }
account-limited = The rental service wants a short break. Try again in { $seconds ->
        [one] 1 second
       *[other] { $seconds } seconds
    }.
account-key-lost = I can no longer read the key you gave me. Link the account again.

## Not enough money
funds-short = <b>Not enough on your balance</b>
funds-price =
    Price: about <b>{ $estimate } TRX</b>
    Your balance: <b>{ $balance } TRX</b>
    Missing: about <b>{ $missing } TRX</b>
funds-deposit =
    Send TRX or USDT (TRC-20) to your deposit address, then tap <i>{ $again }</i>:
    <code>{ $address }</code>
funds-elsewhere = Deposit to your account, then tap <i>{ $again }</i>.
button-check-again = ↻ Check again

## When something fails
fault-storage = I can't reach my storage right now. Nothing was done. Please try again in a minute.
fault-storage-message = I can't reach my storage right now. Nothing was done. Please send it again in a minute. If it was an API key, delete your message first.
gate-closed = I can't take any money right now: my storage couldn't keep a safe record of it. Nothing was sent. Please try again later.
fault-unclear = I can't tell yet whether this went through. Look at the card in a minute: while it still has its buttons, nothing was bought and you can tap again.
fault-dropped = Something went wrong on my side, so I stopped what you had begun. Nothing was bought by it. Please begin again.
fault-given-up = I couldn't deal with your last tap: something kept failing. Nothing was bought by it. Please tap again.
fault-given-up-message = I couldn't deal with your last message: something kept failing. Nothing was bought by it. Please send it again. If it was an API key, delete your message first.

## Short words over the chat
toast-funds = Not enough yet: { $missing } TRX are missing.
toast-button-expired = This button has expired. Open the menu again.
toast-over = This button is out of date.
toast-question-over = This question is out of date. Please use the latest one.
