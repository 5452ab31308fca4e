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
       *[ask] спрашиваю каждый раз
    }</b>
hours-default-taken = По умолчанию — на { $hours ->
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
        [yes] Вы продаёте: «Новый счёт» и «Счета» стоят первыми.
       *[no] Выставляете счета другим? Тогда «Новый счёт» и «Счета» могут стоять первыми.
    }
button-sells = ☐ Я продаю: «Новый счёт» первым
button-sells-not = ☑ Я продаю: «Новый счёт» первым
settings-news =
    { $news ->
        [on] Новости оператора бота: включены. Иногда я присылаю их сообщением.
       *[off] Новости оператора бота: выключены. О ваших деньгах я сообщаю всё равно.
    }
button-settings-news = ☐ Новости оператора бота
button-settings-news-not = ☑ Новости оператора бота
