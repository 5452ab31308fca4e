## Receipt
button-reminder-on = ⏱ Remind me before it ends
rental-reminder = ⏰ Reminder: <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>
toast-reminder-on = Reminders are on. Change this in { button-notifications }.
toast-reminder-late = This one ends too soon. Later rentals get a reminder.

## Reminder
rental-ends = ⏱ <b>{ $what } expires at <tg-time unix="{ $unix }" format="t">{ $at }</tg-time></b>
button-rent-again = Rent again
button-reminder-off = 🔕 Turn off reminders
toast-reminder-off = Reminders are off.
