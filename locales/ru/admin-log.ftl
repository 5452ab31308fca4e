## Журнал действий администраторов
command-admin-log = Действия администраторов
button-admin-log = 📜 Журнал
admin-log-title = <b>📜 Действия администраторов</b>
admin-log-empty = За последние 90 дней ничего.
admin-log-entry = <i>{ $time }</i> · администратор <code>{ $admin }</code>{ $name ->
        [none] {""}
       *[other] {" "}@{ $name }
    }
admin-act-broadcast-started = Начал рассылку
admin-act-broadcast-scheduled = Запланировал рассылку
admin-act-broadcast-paused = Приостановил рассылку
admin-act-broadcast-resumed = Продолжил рассылку
admin-act-broadcast-stopped = Остановил рассылку
admin-act-broadcast-cancelled = Отменил запланированную рассылку
admin-act-person-banned = Закрыл доступ пользователю
admin-act-person-unbanned = Вернул доступ пользователю
admin-act-person-export-asked = Запросил выгрузку данных пользователя
admin-act-person-exported = Выгрузил данные пользователя
admin-act-person-erased = Стёр данные пользователя
admin-act-operation-asked = Перепроверил операцию
admin-act-operation-done = Закрыл операцию: прошла
admin-act-operation-not-done = Закрыл операцию: не прошла
admin-act-operator-linked = Привязал аккаунт оператора
admin-act-operator-unlinked = Отвязал аккаунт оператора
admin-act-operator-cap = Изменил дневной лимит аккаунта оператора
admin-act-operator-alert = Изменил порог баланса оператора
admin-act-operator-reports = Переключил мгновенные уведомления оператора
admin-act-maintenance-on = Начал технические работы
admin-act-maintenance-off = Закончил технические работы
