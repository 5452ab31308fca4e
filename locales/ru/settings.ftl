command-settings = Язык, адрес, срок, меню, новости
button-settings = ⚙️ Настройки
language-en = English
language-ru = Русский
settings-card =
    <b>⚙️ Настройки</b>

    Язык: русский
settings-default =
    Основной адрес: <b>{ $address ->
        [none] нет
       *[other] { $address }
    }</b>
    Срок: <b>{ $hours } ч</b>
hours-default-taken = По умолчанию: { $hours } ч.
button-settings-hours = ⏱ Срок: { $hours } ч
button-settings-address = ★ Основной адрес
settings-selling = В режиме продавца адрес в чате открывает счёт, а счета стоят в меню первыми.
seller-mode-offer = <i>В режиме продавца адрес в чате открывает счёт.</i>
seller-mode-guest = Режим продавца доступен с привязанным аккаунтом: в нём адрес в чате открывает счёт для покупателя.
seller-mode-on = ✅ <b>Режим продавца включён.</b> Пришлите адрес покупателя, чтобы создать счёт.
seller-mode-state = { $state ->
        [on] <b>Режим продавца включён.</b> Без него адрес в чате открывает покупку для вас. Ваши счета останутся в /invoices.
       *[off] <b>Режим продавца выключен.</b> Адрес в чате открывает покупку для вас.
    }
button-seller-mode-off = Выключить режим продавца
button-seller-mode = 🧾 Включить режим продавца
toast-seller-mode-on = Режим продавца включён. Выключить: «{ button-settings }».
button-sells = ☐ Режим продавца
button-sells-not = ☑ Режим продавца
button-settings-news = ☐ Новости бота
button-settings-news-not = ☑ Новости бота
