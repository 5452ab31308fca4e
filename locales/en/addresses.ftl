## The address book
command-addresses = Your addresses
button-addresses = 📒 Addresses
addresses-title = <b>📒 Your addresses</b>
addresses-pick = Tap one to use, name or set as default (★).
addresses-none = None yet. The last five addresses you buy for appear here.
addresses-full = You've named { $most } addresses. Remove one first.
button-address-add = ➕ Add address
button-address-manage = 📒 Name, default, remove
address-saved = Saved as <b>{ $name }</b>.
button-address-save = 📒 Save with name
button-address-use = 📍 Use address
button-address-name = ✏️ Name address
button-address-rename = ✏️ Rename
button-address-prefer = ★ Make default
button-address-prefer-none = ☆ Remove default
button-address-remove = 🗑 Remove
button-address-remove-yes = Yes, remove
button-address-save-anyway = Save anyway
address-default = · default
address-unnamed = Address
address-use = What next?
address-use-none = To use it, link an account first.
address-managed = { $default ->
        [yes] Energy and bandwidth go here unless you name another address.
       *[no] Make it the default, and energy and bandwidth go here unless you name another address.
    }
address-remove-ask = Remove this address? Your purchases stay.
address-removed = Removed: <code>{ $address }</code>
address-add-ask =
    <b>Add address</b>

    Paste it: T and 33 more characters.
address-name-ask =
    Name this address (up to { $most } characters):
    <code>{ $address }</code>
address-sure = Save this one too?
problem-address-name = Send up to { $most } characters with a letter, like Main wallet.
problem-address-name-taken =
    <b>{ $name }</b> names another address. Send another name.
    <code>{ $address }</code>
toast-address-gone = This address isn't saved any more.
button-address-instead = 📍 Other actions: { $address }
address-default-ask =
    <b>★ Default address</b>: { $label ->
        [none] none
       *[other] { $label }
    }

    Paste an address or pick one. Energy and bandwidth go there if you name no other.
address-default-set = ★ { $is ->
        [set] <b>Default address set.</b>
       *[none] <b>No default address any more.</b>
    }
address-default-taken = Default address: { $label }
