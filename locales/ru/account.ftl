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

    Ваш адрес в сервисе. Чтобы пополнить баланс: «{ button-balance }» → «{ button-deposit }»
    <code>{ $address }</code>

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
unlink-reports = Если, кроме вас, аккаунт никто не привязал, его мгновенные уведомления выключатся.
unlink-invoices = ⚠️ <b>Открытые счета: { $count }</b>
unlink-invoice = Счёт { $number } · { AMOUNT($trx) } TRX или { AMOUNT($usdt) } USDT
unlink-invoices-after = Оплатить их здесь больше нельзя. Уже оплаченные сервис доставит.
unlinked = Аккаунт отвязан, API-ключ удалён.
unlinked-operators = Аккаунт оператора отвязан.
unlinked-invoices = Счета аккаунта { $account }, которые больше нельзя оплатить здесь: { $count }
unlink-none = Аккаунт не привязан.
command-unlink = Отвязать аккаунт
button-advanced = 🧩 Для разработчиков
account-advanced =
    <b>🧩 Для разработчиков</b>

    Вебхук аккаунта.
