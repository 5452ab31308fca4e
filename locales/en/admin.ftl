## For admins
data-lost =
    ⚠️ <b>Redis lost data.</b> It was emptied, restored from an older copy, or replaced by a replica that was behind.
    No payments are taken for five minutes, and cards from before are void. Links may be gone, and recent purchases may be known only to the rental service: check the orders there and how Redis is set up.
continuity-unproved =
    ⚠️ <b>Redis and all processes of the bot were restarted.</b> I can't tell whether Redis lost data, so cards from before are void and confirmed operations without an outcome are being checked.
    Nothing to do if you restarted both. Otherwise check the latest orders at the rental service.
records-unreadable =
    ⚠️ <b>Stored records can't be read:</b> <code>{ $detail }</code>. They count as missing.
    They were written by a newer version or under a key that isn't in SECRET_KEY, or were changed in Redis. The log names each. { $told ->
        [yes] Their users are notified.
       *[no] They concern too many users to notify them: check SECRET_KEY first.
    }
