## Receipt
button-reminder-on = ⏱ Remind me before it ends
rental-reminder = ⏰ Reminder: <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>
toast-reminder-on = Reminders are on. Change this in { button-notifications }.
toast-reminder-late = This one ends too soon. Later rentals get a reminder.

## Reminder
rental-ends = ⏱ <b>{ $what } { $count ->
        [one] expires
       *[other] expire
    } at <tg-time unix="{ $unix }" format="t">{ $at }</tg-time></b>
rental-ends-orders = { $count ->
        [one] Order { $orders }
       *[other] Orders { $orders }
    }
rental-stays = Still rented until <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>: { $what }
rental-stays-none = Nothing else you rented for this address runs longer.
button-rent-again = Rent again
button-reminder-off = 🔕 Turn off reminders
toast-reminder-off = Reminders are off.
