command-link = Link your account
button-link = 🔑 Link account
link-ask =
    <b>Link account</b>

    Send your API key (service account → API settings).

    ⚠️ This key controls the account, including withdrawals. I delete your message, encrypt the key and use it only for you.
link-ask-linked = Now linked: { $tail ->
        [operators] operator account { $account }
       *[other] account { $account }, key { $tail }
    }. I'll ask before another account replaces it.
link-delete-failed = ⚠️ <b>I couldn't delete your message with the key.</b> Delete it, replace the key at the service and link the new one.
link-not-a-key = This doesn't look like an API key. Send only the key.
link-not-text = Send the API key as text.
link-question = Send your API key (service account → API settings).
link-refused = The service doesn't accept this key. Copy and send it again.
link-not-here = This key can't be linked here. Send your own account's key.
link-paused = The service refused five keys within an hour. Try again in { $minutes } min.
link-unreachable = The service isn't responding. Nothing was charged; I didn't keep the key. Send it again in a minute.
link-unexpected = Unexpected reply from the service. Nothing was charged; I didn't keep the key. Send it again later.
link-done = ✅ <b>Account linked</b>
link-same = ✅ <b>Account { $account } is already linked</b>{ $tail ->
        [same] , with this key. Nothing changed.
       *[other] . Its key is now { $tail }.
    }
link-replace-ask =
    <b>Replace the linked account?</b>

    Now: { $tail ->
        [operators] operator account <b>{ $from }</b>
       *[other] account <b>{ $from }</b>, key { $tail }
    }
    New: { $isOperators ->
        [yes] operator account <b>{ $to }</b>
       *[no] account <b>{ $to }</b>, balance { AMOUNT($balance) } TRX
    }
link-replace-end = News about account { $from } won't come here any more.
link-replace-over = This question is over. Nothing changed.
link-kept = Nothing changed. Account { $account } stays linked.
button-link-replace = 🔁 Yes, link { $account }
button-link-keep = Keep { $account }
link-without-codes = Without 2FA, you can withdraw up to { AMOUNT($cap) } TRX a day, to new addresses after a 10-minute security hold.
link-alerts = 🔔 Get instant alerts about orders, deposits and withdrawals? Another app that gets them now would lose them.
button-link-alerts = 🔔 Get instant alerts

## Unexpected keys
secret-unasked = 🔒 I deleted what looks like an API key. Nothing else was done. To link an account, tap <i>{ button-link }</i>.
secret-not-here = 🔒 I deleted your message. This key can't be linked here.
secret-unasked-stays = ⚠️ <b>This looks like an API key, and I couldn't delete it.</b> Delete it. If it's a key, replace it at the service.
