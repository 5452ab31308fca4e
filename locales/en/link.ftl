button-link = 🔑 Link account
link-ask =
    <b>Link account</b>

    Send me the API key of your account at the rental service. You find it in your account there, under the settings for the API.

    ⚠️ Whoever has this key controls the account and can withdraw everything from it. I delete your message at once, keep the key encrypted, and use it only for you. You can unlink at any time.

    <i>Waiting for your key.</i>
link-delete-failed = ⚠️ <b>I couldn't delete your message with the key.</b> Delete it yourself, then replace the key at the service and link the new one. Anyone who reads the key controls your account.
link-not-a-key = That doesn't look like an API key. A key is one word of 4 to 256 Latin letters, digits and signs, without spaces. Send only the key, or tap Cancel.
link-not-text = I need the key as a text message. Send only the key, or tap Cancel.
link-question = I'm waiting for your API key. You find it in your account at the rental service, under the settings for the API. Send only the key, or tap Cancel.
link-refused = The rental service doesn't accept this key. Copy it again from your account there and send it, or tap Cancel.
link-not-here = This key can't be linked here. Send a key of your own account, or tap Cancel.
link-paused = The rental service refused five keys within an hour, so linking pauses for { $minutes } min. Then copy the key from your account there once more.
link-unreachable = The rental service doesn't answer right now, so I couldn't check the key and didn't keep it. Send it again in a minute, or tap Cancel.
link-unexpected = Unexpected reply from the service, so I couldn't check the key and didn't keep it. Nothing was charged. Send the key again later, or tap Cancel.
link-done = ✅ <b>Account linked</b>
link-without-codes = It has no two-factor codes. So I withdraw at most { $cap } TRX from it within 24 hours, and to new addresses only ten minutes after everybody who has linked it was told. Turning codes on at the service lifts this.

## A key where none was asked for
secret-unasked = 🔒 I deleted your message because it looked like an API key. Whoever sees such a key controls the account. To link an account, tap <i>{ $link }</i> and send the key when I ask for it.
secret-not-here = 🔒 I deleted your message. This key can't be linked here.
secret-unasked-stays = ⚠️ <b>Your message looks like an API key, and I couldn't delete it.</b> Delete it yourself. If it is a key, replace it at the service: whoever reads it controls your account.
