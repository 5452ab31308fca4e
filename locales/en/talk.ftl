## Small talk
talk-hello = Hi! 👋
talk-thanks = You're welcome! 🙂
talk-bye = See you! 👋
talk-ok = Good 👍
talk-emoji = 🙂
talk-voice = I can't listen to recordings. Please type it.
talk-picture = I can't read pictures. Please send it as text.
talk-file = I can only read text. Please type it.
talk-next = Paste an address to get its price, or open the menu.
talk-other = That would close this question. Nothing was charged so far.
