## Новости оператора бота и отказ от них
button-announcements-off = 🔕 Отключить новости
button-announcements-on = 🔔 Включить новости
announcements-off = 🔕 Новости отключены, уведомления о ваших деньгах остаются.
announcements-on = 🔔 Новости включены.
