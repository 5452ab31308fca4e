command-settings = Язык, меню и новости
button-settings = ⚙️ Настройки
settings-card =
    <b>Язык</b>

    Я говорю с вами по-русски. Выберите другой:
language-en = English
language-ru = Русский
settings-default =
    <b>По умолчанию</b>

    Адрес: <b>{ $address ->
        [none] нет
       *[other] { $address }
    }</b>
    Срок аренды: { $hours ->
        [1] 1 час
        [24] 24 часа
       *[ask] спрашиваю каждый раз
    }
hours-default-taken = По умолчанию — на { $hours ->
        [1] 1 час
       *[other] { $hours } часа
    }.
button-settings-hours = ⏱ Срок: { $hours ->
        [1] 1
        [24] 24
       *[ask] спрашивать
    }
button-settings-address = 📒 Адреса
settings-selling =
    <b>Меню</b>

    { $sells ->
        [yes] Вы продаёте: «Новый счёт» и «Счета» стоят первыми.
       *[no] Выставляете счета другим? Тогда «Новый счёт» и «Счета» могут стоять первыми.
    }
button-sells = ☐ Я продаю: «Новый счёт» первым
button-sells-not = ☑ Я продаю: «Новый счёт» первым
settings-news =
    <b>Новости</b>

    { $news ->
        [on] Новости оператора бота: включены. Иногда я присылаю их сообщением.
       *[off] Новости оператора бота: выключены. О ваших деньгах я сообщаю всё равно.
    }
button-settings-news = ☐ Новости оператора бота
button-settings-news-not = ☑ Новости оператора бота
