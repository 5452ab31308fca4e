## Alerts for admins
continuity-unproved =
    ⚠️ <b>Redis was restarted or replaced, and no bot process kept running.</b> Either nothing is missing, or Redis lost its latest data: check the latest orders at the service. Older cards are void.
records-unreadable =
    ⚠️ <b>Stored records can't be read:</b> <code>{ $detail }</code>. Check SECRET_KEY, the bot's version and the log. { $told ->
        [yes] Affected users are notified.
       *[no] Too many users are affected to notify them.
    }
