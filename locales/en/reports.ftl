reports-ask =
    <b>Shall I tell you when your orders arrive?</b>

    The rental service can tell me when an order was delivered and when a deposit came in. For that it has to send me your account's notifications.

    ⚠️ An account has only one address for notifications: <b>this replaces the one that is set there now</b>. If your own server receives them, choose <i>{ $later }</i>.
button-reports-on = Turn on delivery reports
button-reports-off = Turn off delivery reports
button-reports-allow = Yes, turn them on
button-reports-later = Not now
reports-later = All right. You can turn delivery reports on in your account at any time.
reports-on = ✅ Delivery reports are on. I'll write to you when an order has arrived. Orders from before may not be reported.
reports-refused = The service refused to set the address for events: <code>{ $reason }</code>. Nothing was changed here.
reports-weak = The service gave me a secret that is too short to tell its notifications from forged ones, so I don't listen to them. Please tell the service, or try again.
reports-unclear = The service's answer got lost, so I can't tell whether it now sends events to me. Turn delivery reports on again in your account.
reports-off = Delivery reports are off. The service still has my address for events; set another one there if you want them elsewhere.
deposit-arrived =
    📥 <b>A deposit has arrived</b>

    { $amount } { $currency } came into your account.
deposit-arrived-bare = 📥 <b>A deposit has arrived</b> in your account.
