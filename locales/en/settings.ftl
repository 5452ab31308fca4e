command-settings = Language, menu and news
button-settings = ⚙️ Settings
settings-card =
    <b>Language</b>

    I speak English to you. Choose another:
language-en = English
language-ru = Русский
settings-default =
    <b>By default</b>

    Address: <b>{ $address ->
        [none] none
       *[other] { $address }
    }</b>
    Rented for: { $hours ->
        [1] 1 hour
        [24] 24 hours
       *[ask] I ask each time
    }
hours-default-taken = By your default, for { $hours ->
        [1] 1 hour
       *[other] { $hours } hours
    }.
button-settings-hours = ⏱ Hours: { $hours ->
        [1] 1
        [24] 24
       *[ask] ask
    }
button-settings-address = 📒 Addresses
settings-selling =
    <b>Menu</b>

    { $sells ->
        [yes] You sell: New invoice and Invoices come first.
       *[no] Do you make invoices for others? Then New invoice and Invoices can come first.
    }
button-sells = ☐ I sell: New invoice first
button-sells-not = ☑ I sell: New invoice first
settings-news =
    <b>News</b>

    { $news ->
        [on] News of the bot's operator: on. They come now and then as a message of mine.
       *[off] News of the bot's operator: off. What happens to your money is told all the same.
    }
button-settings-news = ☐ News of the bot's operator
button-settings-news-not = ☑ News of the bot's operator
