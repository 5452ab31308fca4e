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
    Уведомления о доставке: { $reports ->
        [on] включены
        [off] выключены
       *[none] недоступны
    }

    Адрес в TRON (для пополнения: Баланс → Пополнить):
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
unlink-reports = Если кроме вас аккаунт никто не привязал, уведомления о доставке выключатся, а его вебхук станет пустым.
unlink-invoices = ⚠️ <b>Открытые счета: { $count }</b>
unlink-invoice = Счёт { $number } · { AMOUNT($price) } TRX
unlink-invoices-more = и ещё { $count }
unlink-invoices-after = Здесь их больше не проверить и не оплатить; оплаченное доставят.
unlinked = Аккаунт отвязан, API-ключ удалён.
unlinked-operators = Аккаунт оператора отвязан.
unlinked-invoices = Больше не проверяются счета аккаунта { $account }: { $count }
unlink-none = Аккаунт не привязан.
command-unlink = Отвязать аккаунт
button-advanced = 🛠 Для разработчиков
account-advanced =
    <b>🛠 Для разработчиков</b>

    Вебхук аккаунта.
