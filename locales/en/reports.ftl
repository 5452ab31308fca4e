reports-ask =
    <b>Shall I tell you when your orders arrive?</b>

    For that I need <b>service reports</b>: with them the rental service tells me at once when an order was delivered and when money came in or went out.

    ⚠️ An account's service reports go to one place only: <b>this replaces the one that is set there now</b>, if any. If your own server receives them, choose <i>{ $later }</i>. It is one setting for everybody who has linked this account.
reports-ask-operator =
    <b>Shall I learn at once when guests have paid?</b>

    For that I need <b>service reports</b> of the operator's account: without them I ask the service for each invoice, and learn of a payment somewhat later.

    ⚠️ An account's service reports go to one place only: <b>what is set there now is replaced</b>. If your own server receives them, choose <i>{ $later }</i>.
button-reports-on = Turn on service reports
button-reports-off = Turn off service reports
button-reports-allow = Yes, turn them on
button-reports-later = Not now
reports-later = All right. You can turn service reports on in your account at any time.
reports-on = ✅ Service reports are on. I'll write to you when an order has arrived. Orders from before may not be reported.
reports-refused = The service refused to send its reports to me: <code>{ $reason }</code>. Nothing was changed here.
reports-weak = The service gave me a secret that is too short to tell its reports from forged ones, so I don't listen to them. Please tell the service, or try again.
reports-unclear = The service's answer got lost, so I can't tell whether it now sends its reports to me. Turn service reports on once more: then it is certain.
reports-unexpected = Unexpected reply from the service, so I can't tell whether it now sends its reports to me. Nothing was charged. Try again in a minute.
reports-was-on = Service reports are on already. Turn them off first if they don't come, then on again.
reports-busy = This account's service reports are being changed just now, by somebody else who has linked it or by your own tap before. Nothing was changed by this one. Try again in ten seconds.

## Before they are turned off
reports-off-ask =
    <b>Turn off service reports?</b>

    I then no longer learn when an order has arrived. Of deposits and withdrawals I tell you within some minutes while you use the bot, and within six hours otherwise. The reports go nowhere until another place is set at the service.
reports-off-ask-operator =
    <b>Turn off service reports?</b>

    I then learn only by asking the service, and so later, that a guest has paid. The reports go nowhere until another place is set at the service.
reports-off-others = { $others ->
        [0] Nobody else has linked account { $account } here.
        [one] ⚠️ It is one setting for the account: one other person who has linked { $account } here loses them too.
       *[other] ⚠️ It is one setting for the account: { $others } others who have linked { $account } here lose them too.
    }
button-reports-off-yes = Turn off
reports-off =
    Service reports are off: the service no longer sends me those of this account, and they go nowhere until another place is set there.

    I still look for deposits and withdrawals myself and tell you, only later.
reports-off-shared = That is so for everybody who has linked this account.
reports-was-off = Service reports are off. If the service still sends to me, change that there, or turn service reports on and off again here.

## Off here, and perhaps not at the service
reports-stays = ⚠️ <b>Service reports are off here, but the service may go on sending to me.</b>
reports-stays-refused = It refused to stop: <code>{ $reason }</code>.
reports-stays-unclear = It didn't answer in time when I asked it to stop.
reports-stays-unexpected = Its reply was unexpected when I asked it to stop.
reports-stays-do = Whatever it goes on sending, I refuse. To end it, change the place for its reports at the service, or turn service reports on and off again here in a minute.

## Who has unlinked an account, or linked another
reports-left-nowhere = The service no longer sends me the reports of account { $account }: they go nowhere until another place is set there.
reports-left-stays = ⚠️ I couldn't have the service stop sending me the reports of account { $account }. Whatever it goes on sending, I refuse. Change the place for its reports at the service.

## The operator's account, for admins
reports-operator = This is about the <b>operator's account</b>, { $account }.
reports-operator-on = ✅ Service reports of the operator's account are on.
reports-operator-later = All right. Nothing was changed.
reports-operator-unreachable = The rental service doesn't answer right now, so I don't know which account is the operator's. Nothing was changed. Try again in a minute.
