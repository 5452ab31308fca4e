## Alerts for admins
continuity-unproved =
    ⚠️ <b>Redis was restarted or replaced, and no bot process kept running.</b> Either nothing is missing, or Redis lost its latest data: check the latest orders at the service. Older cards are void.
