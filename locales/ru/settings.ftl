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
    Срок аренды: <b>{ $hours ->
        [1] 1 час
        [24] 24 часа
       *[ask] спрашивать каждый раз
    }</b>
hours-default-taken = По умолчанию: { $hours ->
        [one] { $hours } час
        [few] { $hours } часа
       *[other] { $hours } часов
    }.
button-settings-hours = ⏱ Срок аренды: { $hours ->
        [1] 1
        [24] 24
       *[ask] спрашивать
    }
button-settings-address = ★ Основной адрес
settings-selling =
    { $sells ->
        [yes] Режим продавца включён.
       *[no] Режим продавца выключен. С ним счета стоят в меню первыми.
    }
button-sells = ☐ Режим продавца
button-sells-not = ☑ Режим продавца
settings-news =
    { $news ->
        [on] Новости оператора включены.
       *[off] Новости оператора выключены. О ваших деньгах я сообщаю всегда.
    }
button-settings-news = ☐ Новости оператора
button-settings-news-not = ☑ Новости оператора
