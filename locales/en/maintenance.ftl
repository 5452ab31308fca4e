## To everyone during maintenance
maintenance = 🚧 Maintenance: nothing new can be started. Confirmed orders continue. Try again later.
maintenance-card = 🚧 Maintenance. Nothing was charged. Tap <i>{ $confirm }</i> again later, while the card is valid.
maintenance-code = 🚧 Maintenance. Nothing was sent, and your code is deleted. Send a new one later.
maintenance-link = 🚧 Maintenance. Your key is deleted and wasn't kept. Send it again later.

## Switch, for admins
button-maintenance-ask-on = 🚧 Turn maintenance on…
button-maintenance-ask-off = ▶️ Turn maintenance off…
button-maintenance-on = 🚧 Turn on
button-maintenance-off = ▶️ Turn off
maintenance-ask-on =
    🚧 <b>Turn maintenance mode on?</b>

    Nobody, admins included, can buy, withdraw, create invoices, link an account or confirm. Confirmed orders continue, Smart Mode can still be paused and ended, and invoices already made can still be paid.
maintenance-ask-off = ▶️ <b>Turn maintenance mode off?</b>
maintenance-notice-on = 🚧 <b>Maintenance mode was turned on</b> by admin <code>{ $admin }</code>.
maintenance-notice-off = ▶️ <b>Maintenance mode was turned off</b> by admin <code>{ $admin }</code>.
