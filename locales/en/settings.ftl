command-settings = Language
button-settings = ⚙️ Settings
settings-card =
    <b>Language</b>

    I speak English to you. Choose another:
language-en = English
language-ru = Русский
