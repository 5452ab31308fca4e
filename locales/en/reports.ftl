reports-ask =
    <b>Get delivery alerts?</b>

    You'll know at once when orders arrive or money moves.

    ⚠️ This replaces any webhook set on the account, for everyone who has linked it.
button-reports-on = Turn on delivery alerts
button-reports-off = Turn off delivery alerts
button-reports-allow = Yes, turn on
button-reports-later = Not now
reports-later = OK. Nothing was changed.
reports-on = ✅ <b>Delivery alerts are on.</b>
reports-refused = ❌ <b>Alerts weren't turned on.</b> The service refused: <code>{ $reason }</code>
reports-weak = ❌ <b>Alerts aren't on.</b> The service's signing secret is too short. Report this to the service.
reports-unclear = ⚠️ I don't know yet if alerts are on. Turn them on again in a minute.
reports-was-on = Alerts are already on. None arrive? Turn them off and on again.
reports-busy = Alerts of this account are being changed. Try again in 10 seconds.

## Before they are turned off
reports-off-ask =
    <b>Turn off delivery alerts?</b>

    You won't hear when orders arrive. Deposits and withdrawals are reported up to six hours late. The account's webhook will be empty.
reports-off-ask-operator =
    <b>Turn off delivery alerts?</b>

    Guests' payments are noticed later. The account's webhook will be empty.
reports-off-others = ⚠️ Other holders of account { $account } who lose them too: { $others }
button-reports-off-yes = Turn off
reports-off = ✅ <b>Delivery alerts are off.</b>
reports-off-shared = This applies to everyone who has linked this account.
reports-was-off = Alerts are off. If some still arrive, turn them on and off again.

## Off here, and perhaps not at the service
reports-stays = ⚠️ <b>Alerts are off here, but the service may keep sending them.</b>
reports-stays-refused = It refused to stop: <code>{ $reason }</code>
reports-stays-do = I reject them. To stop it, change the webhook there.

## After an account was unlinked or replaced
reports-left-nowhere = Alerts of account { $account } are off. Its webhook is empty.
reports-left-stays = ⚠️ The service may keep sending alerts of account { $account }. I reject them. Change the webhook there.

## The operator account, for admins
reports-operator = <b>Operator account { $account }</b>
