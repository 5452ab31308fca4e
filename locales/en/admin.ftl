## Alerts for admins
continuity-unproved =
    ⚠️ <b>Redis was restarted or replaced, and no bot process kept running.</b> Either nothing is missing, or Redis lost its latest data. Older cards are void.
    To find out, send the number of the latest order at the service to <i>{ button-person }</i>. If the bot finds it, nothing is missing.
