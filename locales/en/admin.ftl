## For admins
data-lost =
    ⚠️ <b>Redis lost data.</b> It was emptied, restored from an older copy, or replaced by a replica that was behind.
    Payments are closed for five minutes, and older cards are void. Some accounts may be unlinked, and recent purchases may be known only to the rental service: check the orders there and the settings of Redis.
continuity-unproved =
    ⚠️ <b>Redis and all processes of the bot were restarted.</b> I can't tell whether Redis lost data, so cards from before are void and confirmed operations without an outcome are being checked.
    If you restarted both, you don't need to do anything. Otherwise check the latest orders at the rental service.
records-unreadable =
    ⚠️ <b>Stored records can't be read:</b> <code>{ $detail }</code>. The bot treats them as missing.
    They were written by a newer version, signed with a key that isn't in SECRET_KEY, or changed in Redis. The log names each one. { $told ->
        [yes] Affected users are notified.
       *[no] Too many users are affected, so none is notified. Check SECRET_KEY first.
    }
