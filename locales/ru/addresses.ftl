## Адресная книга
command-addresses = Ваши адреса
button-addresses = 📒 Адреса
addresses-title = <b>📒 Ваши адреса</b>
addresses-pick = Нажмите на адрес, чтобы использовать его, назвать или сделать основным (★).
addresses-none = Пока пусто. Здесь появятся пять последних адресов, для которых вы покупали.
addresses-full = Названных адресов уже { $most }. Сначала удалите один.
button-address-add = ➕ Добавить адрес
button-address-manage = 📒 Имя, основной, удалить
address-saved = Сохранено как <b>{ $name }</b>.
button-address-save = 📒 Сохранить с именем
button-address-use = 📍 Использовать адрес
button-address-name = ✏️ Дать имя
button-address-rename = ✏️ Переименовать
button-address-prefer = ★ Сделать основным
button-address-prefer-none = ☆ Убрать из основных
button-address-remove = 🗑 Удалить
button-address-remove-yes = Да, удалить
button-address-save-anyway = Всё равно сохранить
address-default = · основной
address-unnamed = Адрес
address-use = Что дальше?
address-use-none = Чтобы использовать его, привяжите аккаунт.
address-managed = { $default ->
        [yes] Энергия и bandwidth идут сюда, если не назвать другой адрес.
       *[no] Сделайте его основным, и энергия и bandwidth пойдут сюда, если не назвать другой адрес.
    }
address-remove-ask = Удалить этот адрес? Покупки останутся.
address-removed = Удалён: <code>{ $address }</code>
address-add-ask =
    <b>Новый адрес</b>

    Вставьте его: T и ещё 33 символа.
address-name-ask =
    Назовите этот адрес (до { $most } символов):
    <code>{ $address }</code>
address-sure = Сохранить и его?
problem-address-name = Пришлите до { $most } символов, хотя бы с одной буквой, например «Мой кошелёк».
problem-address-name-taken =
    <b>{ $name }</b> — имя другого адреса. Пришлите другое.
    <code>{ $address }</code>
toast-address-gone = Этот адрес больше не сохранён.
button-address-instead = 📍 Другое с { $address }
address-default-ask =
    <b>★ Основной адрес</b>: { $label ->
        [none] не выбран
       *[other] { $label }
    }

    Вставьте адрес или выберите его. Энергия и bandwidth пойдут туда, если не назвать другой.
address-default-set = ★ { $is ->
        [set] <b>Основной адрес выбран.</b>
       *[none] <b>Основного адреса больше нет.</b>
    }
address-default-taken = Основной адрес: { $label }
