## Пользователи бота, для администраторов
command-people = Поиск пользователей, закрытие доступа
button-people = 👥 Пользователи
button-person = 🔎 Найти пользователя
people-title = <b>👥 Пользователи</b>
people-all = Всего: <b>{ $count }</b>
people-linked = 🔗 С аккаунтом: <b>{ $count }</b>
people-unreachable = 🚫 Недоступны: <b>{ $count }</b>
people-banned = ⛔ Без доступа: <b>{ $count }</b>
people-spans = За 1 · 7 · 30 дней (UTC):
people-new = 🆕 Новые: <b>{ $counts }</b>
people-active = 💬 Активные: <b>{ $counts }</b>
people-language = Язык { $language }: <b>{ $count }</b>

people-ask = Пришлите Telegram ID, чтобы увидеть пользователя, или номер операции (8 знаков), чтобы увидеть её.
problem-person = Пришлите Telegram ID, например <code>123456789</code>, или номер операции, например <code>AB12CD34</code>.
people-nobody = { $why ->
        [user] Пользователя с таким Telegram ID нет.
        [operation] Ни у кого нет такой операции.
       *[too-many] Пользователей слишком много. Пришлите Telegram ID.
    }

person-title = <b>👤 Пользователь</b> <code>{ $user }</code>
person-since = Впервые { $first }, последний раз { $last } (UTC)
person-language = Язык: { $language }
person-linked = 🔗 Аккаунт { $account }, ключ { $tail }
person-guest = 🔗 Без аккаунта
person-unreachable = 🚫 { $why ->
        [deactivated] Удалил аккаунт Telegram
        [unreachable] Недоступен
       *[blocked] Заблокировал бота
    }
person-operations = Операции. Нажмите номер, чтобы открыть:
person-no-operations = Операций нет.
person-banned = ⛔ Доступ закрыт. Подтверждённые заказы продолжаются.
button-ban = ⛔ Закрыть доступ
button-unban = ✅ Вернуть доступ
person-ban-ask = Закрыть доступ пользователю <code>{ $user }</code>? Подтверждённые заказы продолжатся, и он узнает их результат.
person-ban-admin = Администратору нельзя закрыть доступ. Сначала уберите его из ADMIN_IDS.
button-ban-yes = ⛔ Да, закрыть доступ

## Отключённым пользователям
banned = Ваш доступ закрыт. Подтверждённые заказы продолжаются.
toast-banned = Ваш доступ закрыт.
