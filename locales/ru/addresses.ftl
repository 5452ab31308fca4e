## Адресная книга
command-addresses = Ваши адреса по именам
button-addresses = 📒 Адреса
addresses-title = <b>📒 Ваши адреса</b>
addresses-pick = Нажмите на адрес, чтобы использовать его, дать ему имя или сделать основным (★).
addresses-none = Пока ни одного. Здесь хранятся пять последних адресов, для которых вы покупали; те, которым вы дали имя, остаются.
addresses-full = У вас уже столько адресов с именами: { $most }, больше я не храню. Сначала удалите один.
button-address-add = ➕ Добавить адрес
button-address-manage = 📒 Имя, основной, удалить
button-address-save = 📒 Сохранить под именем
button-address-use = ⚡ Использовать
button-address-name = ✏️ Дать имя
button-address-rename = ✏️ Переименовать
button-address-prefer = ★ Сделать основным
button-address-prefer-none = ☆ Убрать из основных
button-address-remove = 🗑 Удалить
button-address-remove-yes = Да, удалить
button-address-save-anyway = Всё равно сохранить
address-default = · ваш основной
address-unnamed = Адрес
address-use = Что с ним сделать? Ничего не покупается, пока вы не подтвердите карточку.
address-use-none = Чтобы что-то с ним сделать, нужен аккаунт.
address-managed = Основной адрес берётся без вопроса, когда вы покупаете энергию или пропускную способность; кнопка «Назад» позволит выбрать другой.
address-remove-ask = Удалить его из ваших адресов? То, что вы для него купили, останется как есть.
address-removed = Удалён: <code>{ $address }</code>
address-add-ask =
    <b>Новый адрес</b>

    Вставьте его. Он начинается с T и состоит из 34 символов.
address-name-ask =
    Как его назвать?
    <code>{ $address }</code>

    Напишите имя длиной до { $most } символов, например <i>Основной кошелёк</i>. Когда я спрошу адрес, хватит имени.
address-sure = Сохранить и его?
problem-address-name = Напишите имя длиной от 1 до { $most } символов, хотя бы с одной буквой, например «Мой кошелёк».
problem-address-name-taken =
    <b>{ $name }</b> — так уже называется другой адрес:
    <code>{ $address }</code>
    Напишите другое имя.
toast-address-gone = Этого адреса среди ваших больше нет.
button-address-instead = 📍 Другое действие с этим адресом
address-default-taken = Ваш основной адрес: { $label }
