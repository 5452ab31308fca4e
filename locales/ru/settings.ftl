command-settings = Язык и меню
button-settings = ⚙️ Настройки
settings-card =
    <b>Язык</b>

    Я говорю с вами по-русски. Выберите другой:
language-en = English
language-ru = Русский
settings-selling =
    <b>Меню</b>

    { $sells ->
        [yes] Вы продаёте: «Новый счёт» и «Счета» стоят первыми.
       *[no] Выставляете счета другим? Тогда «Новый счёт» и «Счета» могут стоять первыми.
    }
button-sells = ☐ Я продаю: «Новый счёт» первым
button-sells-not = ☑ Я продаю: «Новый счёт» первым
