## The address book
command-addresses = Your addresses, by name
button-addresses = 📒 Addresses
addresses-title = <b>📒 Your addresses</b>
addresses-pick = Tap one to use it, to name it, or to make it your default (★).
addresses-none = None yet. The latest five that you buy for are kept here; those that you name stay.
addresses-full = You have named { $most } addresses, and I keep no more. Remove one first.
button-address-add = ➕ Add an address
button-address-manage = 📒 Name, default, remove
button-address-save = 📒 Save with a name
button-address-use = ⚡ Use it
button-address-name = ✏️ Name it
button-address-rename = ✏️ Rename
button-address-prefer = ★ Make default
button-address-prefer-none = ☆ No longer default
button-address-remove = 🗑 Remove
button-address-remove-yes = Yes, remove
button-address-save-anyway = Keep it anyway
address-default = · your default
address-unnamed = Address
address-use = What would you like to do with it? Nothing is bought before you confirm a card.
address-use-none = To do something with it you need an account.
address-managed = I use your default without asking when you buy energy or bandwidth; <i>Back</i> lets you choose another.
address-remove-ask = Remove it from your addresses? What you bought for it stays as it is.
address-removed = Removed: <code>{ $address }</code>
address-add-ask =
    <b>Add an address</b>

    Paste it. It begins with T and has 34 characters.
address-name-ask =
    What shall I call it?
    <code>{ $address }</code>

    Write a name of up to { $most } characters, like <i>Main wallet</i>. Where I ask for an address, the name will do.
address-sure = Save this one too?
problem-address-name = Write a name of 1 to { $most } characters with a letter in it, like Main wallet.
problem-address-name-taken =
    <b>{ $name }</b> is the name of another address already:
    <code>{ $address }</code>
    Write another name.
toast-address-gone = It isn't among your addresses any more.
button-address-instead = 📍 Use this address instead
address-default-taken = Your default address: { $label }
