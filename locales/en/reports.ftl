reports-ask =
    <b>Get instant alerts?</b>

    You'll know at once when orders arrive or money moves.

    ⚠️ If another app gets this account's alerts, it will stop getting them. This applies to everyone who has linked the account.
button-reports-on = Turn on instant alerts
button-reports-off = Turn off instant alerts
button-reports-allow = Yes, turn on
button-reports-later = Not now
reports-later = OK. Nothing was changed.
reports-on = ✅ <b>Instant alerts are on.</b>
reports-refused = ❌ <b>Instant alerts aren't on.</b> The service refused: <code>{ $reason }</code>
reports-weak = ❌ <b>Instant alerts aren't on:</b> there's a fault at the service. Contact support.
reports-unclear = ⚠️ I don't know yet if instant alerts are on. Turn them on again in a minute.
reports-was-on = Instant alerts are already on. None arrive? Turn them off and on again.
reports-busy = Instant alerts of this account are being changed. Try again in 10 seconds.

## Before they are turned off
reports-off-ask =
    <b>Turn off instant alerts?</b>

    You won't hear when orders arrive. Deposits and withdrawals are reported up to six hours late.
reports-off-ask-operator =
    <b>Turn off instant alerts?</b>

    Guests' payments are noticed later.
reports-off-others = ⚠️ Others with account { $account } who lose them too: { $others }
button-reports-off-yes = Turn off
reports-off = ✅ <b>Instant alerts are off.</b>
reports-off-shared = This applies to everyone who has linked this account.
reports-was-off = Instant alerts are off. If some still arrive, turn them on and off again.

## Off here, and perhaps not at the service
reports-stays = ⚠️ <b>Instant alerts are off here, but the service may keep sending them.</b>
reports-stays-refused = It refused to stop: <code>{ $reason }</code>
reports-stays-do = I ignore them. You can stop them at the service.

## After an account was unlinked or replaced
reports-left-nowhere = Instant alerts of account { $account } are off.
reports-left-stays = ⚠️ The service may keep sending instant alerts of account { $account }. I ignore them. You can stop them at the service.

## The operator account, for admins
reports-operator = <b>Operator account { $account }</b>
