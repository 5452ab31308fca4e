## Чек
button-reminder-on = ⏱ Напомнить до окончания
rental-reminder = ⏰ Напоминание: <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>
toast-reminder-on = Напоминания включены. Отключить: «{ button-notifications }».
toast-reminder-late = Эта аренда скоро закончится. Напомню о следующих.

## Напоминание
rental-ends = ⏱ <b>{ $count ->
        [one] Аренда { $what } закончится
        [few] Аренды { $what } закончатся
       *[many] Аренды { $what } закончатся
    } в <tg-time unix="{ $unix }" format="t">{ $at }</tg-time></b>
rental-ends-orders = { $count ->
        [one] Заказ { $orders }
        [few] Заказы { $orders }
       *[many] Заказы { $orders }
    }
rental-stays = Остаётся в аренде до <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>: { $what }
rental-stays-none = Другой вашей аренды для этого адреса дольше нет.
button-rent-again = Арендовать ещё
button-reminder-off = 🔕 Отключить напоминания
toast-reminder-off = Напоминания отключены.
