command-settings = Язык
button-settings = ⚙️ Настройки
settings-card =
    <b>Язык</b>

    Я говорю с вами по-русски. Выберите другой:
language-en = English
language-ru = Русский
