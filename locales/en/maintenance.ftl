## To everybody, while admins work on the bot
maintenance = 🚧 The bot is being worked on: nothing new can be begun. What you have confirmed goes on, and you will be told. Please try again later.
maintenance-card = 🚧 The bot is being worked on: nothing new can be begun. Nothing was sent, and nothing is charged. Your card stays as it is: tap <b>Confirm</b> again once this is over, for as long as the card may be confirmed.
maintenance-code = 🚧 The bot is being worked on: nothing new can be begun. Nothing was sent. Your message with the code is deleted; send a new code once this is over, for as long as the card may be confirmed.
maintenance-link = 🚧 The bot is being worked on: no account can be linked right now. Your message with the key is deleted, and the key wasn't kept. Send it again once this is over.
