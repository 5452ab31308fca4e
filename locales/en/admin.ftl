## Alerts for admins
data-lost =
    ⚠️ <b>Redis lost data.</b> It was emptied, restored from an older copy, or replaced by a replica that was behind.
    Payments are closed for five minutes, and older cards are void. Some accounts may be unlinked, and recent purchases known only to the service: check the orders there and the Redis settings.
continuity-unproved =
    ⚠️ <b>Redis and all bot processes were restarted.</b> If that wasn't you, check the latest orders at the service: Redis may have lost data. Older cards are void, and unresolved operations are being checked.
records-unreadable =
    ⚠️ <b>Stored records can't be read:</b> <code>{ $detail }</code>. They count as missing.
    They come from a newer version, have a key that isn't in SECRET_KEY, or were changed in Redis. The log names each. { $told ->
        [yes] Affected users are notified.
       *[no] Too many users are affected to notify them. Check SECRET_KEY first.
    }
