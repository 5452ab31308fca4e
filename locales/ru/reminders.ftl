## Чек
button-reminder-on = ⏱ Напомнить об окончании
toast-reminder-on = Напоминания включены. Отключить: «{ button-notifications }».
toast-reminder-late = Эта аренда скоро закончится. Напомню о следующих.

## Напоминание
rental-ends = ⏱ <b>Аренда { $what } закончится в <tg-time unix="{ $unix }" format="t">{ $at }</tg-time></b>
button-rent-again = Арендовать ещё
button-reminder-off = 🔕 Отключить напоминания
toast-reminder-off = Напоминания отключены.
