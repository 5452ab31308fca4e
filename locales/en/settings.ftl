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
settings-selling = In seller mode, a pasted address makes an invoice, and invoices come first in the menu.
seller-mode-offer = <i>In seller mode, a pasted address makes an invoice.</i>
seller-mode-guest = Seller mode is for users with a linked account: in it, a pasted address makes an invoice for your customer.
seller-mode-on = ✅ <b>Seller mode is on.</b> Paste your customer's address to create an invoice.
seller-mode-state = { $state ->
        [on] <b>Seller mode is on.</b> Without it, a pasted address opens a purchase for yourself. Your invoices stay in /invoices.
       *[off] <b>Seller mode is off.</b> A pasted address opens a purchase for yourself.
    }
button-seller-mode-off = Turn off seller mode
button-seller-mode = 🧾 Turn on seller mode
toast-seller-mode-on = Seller mode is on. Turn it off in { button-settings }.
button-sells = ☐ Seller mode
button-sells-not = ☑ Seller mode
button-settings-news = ☐ News
button-settings-news-not = ☑ News
