command-settings = Language, defaults, menu, news
button-settings = ⚙️ Settings
language-en = English
language-ru = Русский
settings-card =
    <b>⚙️ Settings</b>

    Language: English
settings-default =
    Default address: <b>{ $address ->
        [none] none
       *[other] { $address }
    }</b>
    Hours: <b>{ $hours ->
        [1] 1 hour
        [24] 24 hours
       *[ask] I ask each time
    }</b>
hours-default-taken = By your default, for { $hours ->
        [1] 1 hour
       *[other] { $hours } hours
    }.
button-settings-hours = ⏱ Hours: { $hours ->
        [1] 1
        [24] 24
       *[ask] ask
    }
button-settings-address = ★ Default address
settings-selling =
    { $sells ->
        [yes] You sell: New invoice and Invoices come first.
       *[no] Do you make invoices for others? Then New invoice and Invoices can come first.
    }
button-sells = ☐ I sell: New invoice first
button-sells-not = ☑ I sell: New invoice first
settings-news =
    { $news ->
        [on] News of the bot's operator: on. They come now and then as a message of mine.
       *[off] News of the bot's operator: off. What happens to your money is told all the same.
    }
button-settings-news = ☐ News of the bot's operator
button-settings-news-not = ☑ News of the bot's operator
