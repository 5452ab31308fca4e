## To everybody, while admins work on the bot
maintenance = 🚧 The bot is being worked on: nothing new can be begun. What you have confirmed goes on, and you will be told. Please try again later.
maintenance-card = 🚧 The bot is being worked on: nothing new can be begun. Nothing was sent, and nothing is charged. Your card stays as it is: tap <b>Confirm</b> again once this is over, for as long as the card may be confirmed.
maintenance-code = 🚧 The bot is being worked on: nothing new can be begun. Nothing was sent. Your message with the code is deleted; send a new code once this is over, for as long as the card may be confirmed.
maintenance-link = 🚧 The bot is being worked on: no account can be linked right now. Your message with the key is deleted, and the key wasn't kept. Send it again once this is over.

## The switch, for admins
button-maintenance-ask-on = 🚧 Turn maintenance mode on…
button-maintenance-ask-off = ▶️ Turn maintenance mode off…
button-maintenance-on = 🚧 Turn it on
button-maintenance-off = ▶️ Turn it off
maintenance-ask-on =
    🚧 <b>Turn maintenance mode on?</b>

    From then on nobody begins anything new, admins included: no purchase, no withdrawal, no invoice, no new account. <i>Confirm</i> at a card claims nothing and says why; open questions and cards stay.
    What was confirmed before goes on, and its people are told. Balances, history, prices and help can be read, and this panel works.
    It counts on all replicas at once, and stays on until an admin turns it off. The other admins are told.
maintenance-ask-off =
    ▶️ <b>Turn maintenance mode off?</b>

    From then on everything can be begun again, and cards that are still within their time can be confirmed. The other admins are told.
maintenance-turned-on = { $was ->
        [yes] 🚧 Maintenance mode was on already.
       *[no] 🚧 <b>Maintenance mode is on.</b> Nothing new can be begun.
    }
maintenance-turned-off = { $was ->
        [yes] ▶️ Maintenance mode was off already.
       *[no] ▶️ <b>Maintenance mode is off.</b> Everything can be begun again.
    }
maintenance-news-on =
    🚧 <b>Maintenance mode was turned on</b> by admin <code>{ $admin }</code>.
    Nothing new can be begun; what was confirmed goes on. It is turned off in <i>Admin → State</i>.
maintenance-news-off = ▶️ <b>Maintenance mode was turned off</b> by admin <code>{ $admin }</code>. Everything can be begun again.
