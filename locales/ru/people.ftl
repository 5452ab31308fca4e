## Пользователи бота, для администраторов
command-people = Поиск пользователей, закрытие доступа
button-people = 👥 Пользователи
button-person = 🔎 Найти пользователя
button-results = ‹ Результаты
people-title = <b>👥 Пользователи</b>
people-all = Всего: <b>{ $count }</b>
people-linked = 🔗 С аккаунтом: <b>{ $count }</b>
people-unreachable = 🚫 Недоступны: <b>{ $count }</b>
people-banned = ⛔ Без доступа: <b>{ $count }</b>
people-spans = За 1 · 7 · 30 дней (UTC):
people-new = 🆕 Новые: <b>{ $counts }</b>
people-active = 💬 Активные: <b>{ $counts }</b>
people-language = Язык { $language }: <b>{ $count }</b>

people-ask = Пришлите Telegram ID, @имя, TRON-адрес, номер операции из чека или номер заказа, счёта или Smart Mode.
problem-person = Пришлите Telegram ID, например <code>123456789</code>, @имя, TRON-адрес или номер, например <code>AB12CD34</code> или <code>17</code>.
people-found = <b>Найдено несколько.</b> Нажмите кнопку, чтобы открыть:
people-partial = Просмотрено не всё: пользователей слишком много. Пришлите номер операции или Telegram ID.
people-nobody = { $why ->
        [user] Пользователя с таким Telegram ID нет.
        [number] Нет ни пользователя с таким Telegram ID, ни заказа или счёта с таким номером за 90 дней. Если результат заказа был неизвестен, бот может не знать его номер: ищите по адресу или номеру операции.
        [invoice] За 90 дней не было счёта с таким номером.
        [smart-mode] За 90 дней здесь не запускали Smart Mode с таким номером.
        [operation] Нет ни операции, ни @имени <code>{ $sought }</code>.
        [address] За 90 дней не было покупок, выводов и счетов с этим адресом.
        [username] Пользователя с таким @именем нет. Новое или изменённое имя станет известно, когда пользователь напишет боту.
       *[too-many] Пользователей слишком много. Пришлите Telegram ID.
    }

person-title = <b>👤 Пользователь</b> <code>{ $user }</code> · <a href="tg://user?id={ $user }">{ $name ->
        [none] профиль
       *[other] @{ $name }
    }</a>
person-admin = 🛠 Администратор
person-since = Впервые { $first }, последний раз { $last } (UTC)
person-language = Язык: { $language }
person-linked = 🔗 Аккаунт { $account }, { $tail ->
        [operators] оператора
       *[other] ключ { $tail }
    }, привязан { $since }
person-merchant = 🧾 Выставляет счета покупателям
person-guest = 🔗 Без аккаунта
person-no-news = 🔕 Без новостей
person-waiting = ⏳ Ждут результата: <b>{ $count }</b>
person-invoices = 🧾 Счета, которые можно оплатить: <b>{ $count }</b>
person-undelivered = 📪 Ещё не доставлено сообщений: <b>{ $count }</b>
person-failed = ❌ Не удалось за 90 дней: <b>{ $count }</b>
person-bought = ✅ Списано за 90 дней: <b>{ $count }</b>, { AMOUNT($trx) } TRX
person-unpriced = ✅ Списано за 90 дней, сумма неизвестна: <b>{ $count }</b>{ $estimate ->
        [none] {""}
       *[other] {" "}(около { AMOUNT($estimate) } TRX)
    }
person-returned = ↩️ Вернулось, заказ неясен: { AMOUNT($trx) } TRX
person-price = { AMOUNT($price) } TRX
person-unreachable = 🚫 { $why ->
        [deactivated] Удалил аккаунт Telegram
        [unreachable] Недоступен
       *[blocked] Заблокировал бота
    }
person-operations = Операции. Нажмите кнопку, чтобы открыть:
person-opened = Счета, открытые для оплаты:
person-owner = 👤 Пользователь <code>{ $user }</code>{ $name ->
        [none] {""}
       *[other] {" "}@{ $name }
    }
person-invoice-maker = выставил <code>{ $user }</code>
person-no-operations = Операций нет.
person-banned = ⛔ Доступ закрыт{ $since ->
        [none] {""}
       *[other] {" "}{ $since }, администратор <code>{ $admin }</code>{ $name ->
            [none] {""}
           *[other] {" "}@{ $name }
        }
    }. Подтверждённые заказы продолжаются.
button-ban = ⛔ Закрыть доступ
button-unban = ✅ Вернуть доступ
person-ban-ask =
    <b>Закрыть доступ пользователю <code>{ $user }</code>{ $name ->
        [none] {""}
       *[other] {" "}(@{ $name })
    }?</b>

    • Пользователь больше не сможет покупать, выводить и выставлять счета.
    • /balance, /history и /invoices останутся для чтения. Пауза и завершение Smart Mode, справка, данные и отвязка аккаунта останутся доступны.
    • Подтверждённые заказы продолжатся, и он узнает их результат.
    • Он узнает о закрытии в ответ на следующее сообщение, а о возврате доступа — сразу.
person-ban-invoices = ⚠️ { $count ->
        [one] { $count } открытый счёт этого пользователя ещё можно оплатить.
        [few] { $count } открытых счёта этого пользователя ещё можно оплатить.
       *[many] { $count } открытых счетов этого пользователя ещё можно оплатить.
    } Оплаченное сервис доставит.
person-ban-admin = Администратору нельзя закрыть доступ. Сначала уберите его из ADMIN_IDS.
button-ban-yes = ⛔ Да, закрыть доступ

## Данные пользователя
button-person-copy = 📄 Выгрузить данные
button-person-erase = 🗑 Стереть данные
button-person-erase-yes = 🗑 Да, стереть
person-file = 🔒 Всё, что хранится о пользователе { $user }, без секретов. Удалите файл, когда он станет не нужен.
person-erase-ask =
    <b>Стереть данные пользователя <code>{ $user }</code>{ $name ->
        [none] {""}
       *[other] {" "}(@{ $name })
    }?</b>

    Удалятся { $account ->
        [none] {""}
        [operators] привязка к аккаунту оператора,{" "}
       *[own] аккаунт с ключом,{" "}
    }адреса, настройки, открытые вопросы и неотправленные уведомления. Пользователь об этом узнает. Отменить это нельзя.
person-erase-kept = Покупки, выводы и счета хранятся ещё 90 дней, закрытый доступ остаётся закрытым, как после «{ button-forget }».
person-erase-begun = 🗑 Стираю данные пользователя <code>{ $user }</code>. Вы оба получите сообщение, когда всё будет готово.
person-erase-done = ✅ <b>Стёрто:</b> данные пользователя <code>{ $user }</code>. Покупки, выводы и счета остались.
person-erased = <b>🗑 Пользователь</b> <code>{ $user }</code> { $day ->
        [none] стёрт.
       *[other] стёрт { $day }.
    }
person-erase-admin = Данные администратора здесь стереть нельзя. Администраторы используют /forget.

## Отключённым пользователям
banned-still = ⛔ Ваш доступ закрыт. Работают только /balance, /history, /invoices, /privacy, /account, /help, а в /smart — пауза и завершение.{ $support ->
        [none] {""}
       *[other] {" "}Вопросы? Напишите в поддержку: { $support }
    }
banned = ⛔ Ваш доступ закрыт. Подтверждённые заказы продолжаются, ваши деньги в сервисе не затронуты. Если включён Smart Mode, он продолжает списывать деньги: приостановите или завершите его в /smart. Вам по-прежнему доступны /balance, /history, /invoices, /privacy, /account и /help.
unbanned = ✅ Ваш доступ снова открыт.
toast-banned = Доступ закрыт. Что ещё работает, покажет /help.
