command-settings = Language, defaults, menu, news
button-settings = ⚙️ Settings
language-en = English
language-ru = Русский
settings-card =
    <b>⚙️ Settings</b>

    Language: English
settings-default =
    Default address: <b>{ $address }</b>
    Duration: <b>{ $hours } h</b>
hours-default-taken = Your default: { $hours } h.
button-settings-hours = ⏱ Duration: { $hours } h
button-settings-address = ★ Default address
settings-selling = Seller mode puts invoices first in the menu.
button-sells = ☐ Seller mode
button-sells-not = ☑ Seller mode
button-settings-news = ☐ News
button-settings-news-not = ☑ News
