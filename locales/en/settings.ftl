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
        [ask] ask each time
       *[other] { $hours }
    }</b>
hours-default-taken = Your default: { $hours } h.
button-settings-hours = ⏱ Hours: { $hours ->
        [ask] ask
       *[other] { $hours }
    }
button-settings-address = ★ Default address
settings-selling =
    { $sells ->
        [yes] Seller mode: on.
       *[no] Seller mode: off. When on, invoices come first in the menu.
    }
button-sells = ☐ Seller mode
button-sells-not = ☑ Seller mode
settings-news =
    { $news ->
        [on] Operator news: on.
       *[off] Operator news: off. Alerts about your money still arrive.
    }
button-settings-news = ☐ Operator news
button-settings-news-not = ☑ Operator news
