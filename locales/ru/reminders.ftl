## Чек
button-reminder-on = ⏱ Напомнить до окончания
rental-reminder = ⏰ Напоминание: <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>
toast-reminder-on = Напоминания включены. Отключить: «{ button-notifications }».
toast-reminder-late = Эта аренда скоро закончится. Напомню о следующих.

## Напоминание
rental-ends = ⏱ <b>Аренда { $what } закончится в <tg-time unix="{ $unix }" format="t">{ $at }</tg-time></b>
button-rent-again = Арендовать ещё
button-reminder-off = 🔕 Отключить напоминания
toast-reminder-off = Напоминания отключены.
