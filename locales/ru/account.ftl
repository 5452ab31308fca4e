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

            Покупки останутся, привязать его снова можно в любой момент.
       *[other] <b>Отвязать аккаунт с ключом { $tail }?</b>

            Покупки останутся, ключ здесь удалится. Если он больше не нужен, замените его в сервисе.
    }
unlink-reports = Уведомления о доставке включены. Если больше никто не привязал этот аккаунт, они выключатся, а его вебхук останется пустым.
unlink-invoices = ⚠️ <b>Открытые счета { $about ->
        [unlink] этого аккаунта
       *[replace] нынешнего аккаунта
    }: { $count }</b>
unlink-invoice = Счёт { $number } · { AMOUNT($price) } TRX
unlink-invoices-more = и ещё { $count }
unlink-invoices-after = { $about ->
        [unlink] Без аккаунта
       *[replace] Если привязать другой аккаунт,
    } я не смогу их проверять: карточки и страницы перестанут показывать, куда платить. Оплаченное всё равно доставят.
unlinked = Аккаунт отвязан, API-ключ удалён.
unlinked-operators = Аккаунт оператора отвязан.
unlinked-invoices = Больше не проверяю { $count ->
        [one] { $count } счёт
        [few] { $count } счёта
       *[other] { $count } счетов
    } аккаунта { $account }. Это видно на карточках и страницах.
unlink-none = Аккаунт не привязан.
command-unlink = Отвязать аккаунт
button-advanced = 🛠 Для разработчиков
account-advanced =
    <b>🛠 Для разработчиков</b>

    Что сервис отправлял на вебхук аккаунта.
