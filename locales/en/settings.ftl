command-settings = Language and menu
button-settings = ⚙️ Settings
settings-card =
    <b>Language</b>

    I speak English to you. Choose another:
language-en = English
language-ru = Русский
settings-selling =
    <b>Menu</b>

    { $sells ->
        [yes] You sell: New invoice and Invoices come first.
       *[no] Do you make invoices for others? Then New invoice and Invoices can come first.
    }
button-sells = ☐ I sell: New invoice first
button-sells-not = ☑ I sell: New invoice first
