command-account = Ваш аккаунт
button-account = 👤 Аккаунт
account-card =
    <b>Аккаунт { $account }</b>
    <code>{ $email }</code>
    Баланс: <b>{ AMOUNT($balance) } TRX</b>
    API-ключ: { $tail ->
        [operators] оператора
       *[other] { $tail }
    }
    2FA: { $totp ->
        [on] включена
       *[off] выключена
    }
    Мгновенные уведомления: { $reports ->
        [on] включены
        [off] выключены
       *[none] недоступны
    }

    Пополнить баланс: «{ button-balance }» → «{ button-deposit }»
button-other-key = 🔑 Сменить ключ

## Отвязать его
button-unlink = Отвязать аккаунт
button-unlink-yes = Да, отвязать
unlink-ask =
    { $tail ->
        [operators] <b>Отвязать аккаунт оператора?</b>

            Покупки останутся.
       *[other] <b>Отвязать аккаунт с ключом { $tail }?</b>

            Покупки останутся, ключ здесь удалится.
    }
unlink-invoices = ⚠️ <b>Счета, за которыми я перестану следить: { $count }</b>
unlink-invoice = Счёт { $number } · { AMOUNT($trx) } TRX или { AMOUNT($usdt) } USDT
unlink-invoices-after = Открытые здесь больше нельзя оплатить. Уже оплаченные сервис доставит. О поздней оплате я не сообщу.
unlinked = Аккаунт отвязан, API-ключ удалён.
unlinked-operators = Аккаунт оператора отвязан.
unlinked-invoices = Счета аккаунта { $account }, которые больше нельзя оплатить здесь: { $count }
unlink-none = Аккаунт не привязан.
command-unlink = Отвязать аккаунт
button-advanced = 🧩 Для разработчиков
account-advanced =
    <b>🧩 Для разработчиков</b>

    Вебхук аккаунта.

## Что закончится или продолжится без аккаунта
leaving-draft = ✖️ Открытая карточка тоже отменяется.
leaving-operations = ⚠️ <b>Есть незавершённые операции.</b> { $reader ->
        [admin] Без ключа пользователя узнать их результат нельзя.
       *[user] Без вашего ключа я не смогу сообщить их результат. Сначала дождитесь его.
    }
leaving-refunds = ⚠️ <b>Я ещё проверяю, вернулись ли деньги.</b> { $reader ->
        [admin] Без ключа пользователя этого не увидеть.
       *[user] Без вашего ключа я этого не увижу.
    }
leaving-holds = ⚠️ <b>Есть выводы, которые ждут.</b> Без ключа подтвердить их здесь нельзя.
leaving-reminders = ⚠️ <b>Эти напоминания об окончании аренды не придут:</b>
leaving-subscriptions = ⚠️ <b>Smart Mode продолжит работать и списывать деньги.</b> { $reader ->
        [admin] Без ключа пользователя приостановить или завершить его здесь нельзя.
       *[user] Сначала приостановите или завершите его: без вашего ключа я не смогу.
    }
leaving-subscription = • <code>{ $what }</code>: { $status ->
        [active] работает
        [paused] на паузе
       *[other] включён ({ $status })
    }
leaving-subscriptions-unknown = ⚠️ <b>Возможно, включён Smart Mode.</b> Тогда он продолжит работать и списывать деньги.
leaving-reports = { $reader ->
        [admin] Если аккаунт больше никто не привязал, его мгновенные уведомления выключатся.
       *[user] Если, кроме вас, аккаунт никто не привязал, его мгновенные уведомления выключатся.
    }
