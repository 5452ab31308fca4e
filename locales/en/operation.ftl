## A card that can be confirmed
operation-check = <b>Review and confirm</b>
operation-unpriced = <b>No price yet</b>
operation-address = To: <code>{ $address }</code>
operation-estimate = Price: about <b>{ AMOUNT($estimate) } TRX</b>{ $former ->
        [none] {""}
       *[other] {" "}(was { AMOUNT($former) } TRX)
    }
price-old = ⚠️ Price as of <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>: the service names no newer one.
operation-no-estimate = Price: <b>unknown right now.</b> { $pays ->
        [buyer] The invoice will name it: decide then whether to pay.
        [customer] The invoice will name it before your customer pays.
       *[balance] Nothing is bought without a price: tap <i>{ button-check-price }</i>.
    }
operation-usd = <i>≈ ${ AMOUNT($usd) }</i>
operation-saving = { $is ->
        [past] You saved
       *[ahead] You save
    } <b>{ AMOUNT($trx) } TRX</b> ({ $percent }%)
operation-saving-none = No saving: without this energy, the transfers cost about the same or less.
operation-use-before = ⏱ Use it before <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>.
operation-balance = Balance: { AMOUNT($balance) } TRX
operation-no-balance = Balance: unavailable
operation-valid-until = <i>Card valid until <tg-time unix="{ $unix }" format="t">{ $at }</tg-time></i>
operation-from = ⏳ One attempt a minute: confirm <b>from <tg-time unix="{ $unix }" format="T">{ $at }</tg-time></b>.
operation-code-from = ⏳ One attempt a minute: { $confirm ->
        [none] {""}
       *[other] tap <i>{ $confirm }</i>, then{" "}
    }send the code <b>from <tg-time unix="{ $unix }" format="T">{ $at }</tg-time> to <tg-time unix="{ $endUnix }" format="T">{ $end }</tg-time></b>.
operation-code-kept = ⏳ One attempt a minute: this one goes out <b>at <tg-time unix="{ $unix }" format="T">{ $at }</tg-time></b>.
operation-ref = Ref. { $id }
operation-number = Ref. <code>{ $id }</code>
operation-supplied = ⚠️ <b>Smart Mode already supplies this address.</b> Buying too, you pay twice.
operation-lookalike =
    ⚠️ <b>Possible scam.</b> This address only looks like yours:
    Yours: { $known }
    This one: { $given }
operation-contract = ⚠️ <b>This is the { $name } contract, not a wallet.</b> { $lost ->
        [money] Anything sent there is usually lost.
       *[resources] Energy and bandwidth for it are wasted.
    }
operation-like = ⚠️ <b>Possible duplicate</b> of Ref. <code>{ $id }</code>, { $state ->
        [likely] which most likely went through
       *[unknown] whose result is unknown
    }.
operation-repeats-void = ⚠️ <b>Your earlier card { $id } may already have been used.</b> Check your balance and history at the service first.
button-confirm = ✅ Confirm
button-check-price = ↻ Check price
button-show-it = Show earlier card
operation-only-tap = To confirm, tap the button.
operation-decide = Tap a button on this card{ $takes ->
        [terms] , or send another amount, duration or address
       *[none] {""}
    }.
operation-shown-again = Here's the card again. Nothing was charged.

## Its status
operation-replaced = ⤵️ <b>Replaced by a newer card.</b> Nothing was charged.
operation-continued = ⤵️ <b>Continued below.</b>
operation-expired = ⌛ <b>This card has expired.</b> Nothing was charged.
operation-ended-void = { $state ->
        [cancelled] ✖️ <b>Cancelled.</b>
        [replaced] ⤵️ <b>Replaced by a newer card.</b>
       *[expired] ⌛ <b>This card has expired.</b>
    } Your earlier card { $id } may have been used: check your balance and history at the service.
operation-void = ⚠️ <b>This card may already have been used.</b> Check your balance and history at the service.
operation-uncertain = ⚠️ <b>Result unknown</b>
operation-unlikely = ⚠️ <b>Most likely nothing was charged</b>
operation-unlikely-next = { $search ->
        [over] <b>Don't repeat it</b> before you've checked the address and your account at the service. Then tap <i>{ button-i-checked }</i>.
       *[running] It may still go through. <b>Don't repeat it:</b> you might pay twice. I check for a day and write when I know.
    }
operation-unknown = This may have gone through. <b>Don't repeat it:</b> you might pay twice.{ $search ->
        [over] {""}
       *[running] {" "}I'll write when I know.
    }
operation-unexpected = You may have been charged. <b>Don't repeat it:</b> you might pay twice.{ $search ->
        [over] {""}
       *[running] {" "}I'll write when I know.
    }
operation-no-sign = There's no sign of it so far. It may still go through. I check for a day.
operation-unconfirmed = The service hasn't confirmed it so far. It may have gone through. I check for a day.
operation-unread = { $what ->
        [list] I couldn't check this at the service so far.
       *[balance] I couldn't read your balance so far.
    } I check for a day.
operation-search-over = I couldn't find the result. Check the address and your account at the service, then tap <i>{ button-i-checked }</i>.
operation-evidence = { $balance ->
        [same] { $next ->
            [none] { $charged ->
                [none] { $search ->
                    [running] Your balance hasn't changed.
                   *[over] Your balance was unchanged when last checked.
                }
               *[other] Apart from later purchases ({ AMOUNT($charged) } TRX), your balance { $search ->
                    [running] hasn't changed.
                   *[over] was unchanged when last checked.
                }
            }
            [earlier] Your balance was unchanged at first. It has changed since, perhaps by other operations.
           *[other] Before your next operation (Ref. { $next }), your balance hadn't changed.
        }
        [price] { $charged ->
            [none] Your balance
           *[other] Apart from later purchases ({ AMOUNT($charged) } TRX), your balance
        } is <b>{ AMOUNT($fell) } TRX</b> lower, exactly this price. Another operation may have caused that.
        [moved] { $charged ->
            [none] Your balance
           *[other] Apart from later purchases ({ AMOUNT($charged) } TRX), your balance
        } has changed{ $fell ->
            [none] {""}
           *[other] {" "}(−{ AMOUNT($fell) } TRX)
        }.
       *[mixed] Your balance has changed, perhaps by other operations.
    }
operation-evidence-hidden = { $next ->
        [none] { $charged ->
            [none] Your balance
           *[other] Apart from later purchases ({ AMOUNT($charged) } TRX), your balance
        } hasn't changed, but a refund of an earlier order
       *[other] Before your next operation (Ref. { $next }), your balance hadn't changed, but a refund of an earlier order
    } may hide that this was charged.
operation-evidence-one-of =
    { $charged ->
        [none] Your balance
       *[other] Apart from later purchases ({ AMOUNT($charged) } TRX), your balance
    } is <b>{ AMOUNT($fell) } TRX</b> lower: probably one of these was charged, Ref. { $refs }. I can't tell which.
operation-evidence-deposited = Since then, { AMOUNT($deposited) } TRX was deposited{ $fell ->
        [none] .
       *[other] ; without it{ $charged ->
            [none] {""}
           *[other] {" "}and later purchases ({ AMOUNT($charged) } TRX)
        }, your balance is <b>{ AMOUNT($fell) } TRX</b> lower{ $by ->
            [price] , exactly this price
           *[other] {""}
        }.{ $others ->
            [yes] {" "}Another operation may have caused that.
           *[no] {""}
        }
    }
operation-fell = Your balance fell by exactly this price{ $price ->
        [none] {""}
       *[other] , <b>{ AMOUNT($price) } TRX</b>
    }, but the service hasn't confirmed it.
operation-likely = <b>Don't repeat it</b> before checking the address.
operation-likely-until = If it arrived, it's rented until <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>.
operation-likely-next = { $by ->
        [report] The service may still report this order within a day: then I'll tell you.
        [balance] If the order fails, the money comes back to your balance: I watch for that until the rental ends or you tap <i>{ button-i-checked }</i>.
       *[none] I can't learn more: once you've checked, tap <i>{ button-i-checked }</i>.
    }
operation-closed = ☑️ <b>Marked as checked</b>
operation-already = ℹ️ <b>Already active.</b> Nothing was charged.
operation-closed-note = The result stayed unknown.
operation-closed-next = { $reported ->
        [yes] I've stopped checking; if the service still reports this order, I'll tell you.
       *[no] I've stopped checking.
    }
operation-decided = ❌ <b>Support checked: this didn't go through</b>
operation-operators = 🏦 Paid from the <b>operator account</b>. Admins are notified.
operation-by-hand =
    { $outcome ->
        [done] 👤 Support checked, this went through:
       *[not-done] 👤 Reason:
    } <i>{ $reason }</i>
    { $price ->
        [none] { $left ->
            [none] { $before ->
                [none] Check your balance for any charge.
               *[other] Your balance was { AMOUNT($before) } TRX before: check it for any charge.
            }
           *[other] Your balance was { AMOUNT($before) } TRX before and { AMOUNT($left) } TRX when last checked{ $deposited ->
                [none] {""}
               *[other] , with deposits of { AMOUNT($deposited) } TRX
            }.
        }
       *[other] Your balance fell by <b>{ AMOUNT($price) } TRX</b>, this order's price.
    }
operation-support = Support: { $url }
operation-here = ⬆️ { $order ->
        [none] Ref. { $id }
       *[other] Order { $order }
    }:
button-i-checked = Mark as checked
button-show-new-price = See new price
button-show-again = ↻ Show card again

## Its result
operation-order = Order <b>{ $order }</b>
operation-price = Charged: <b>{ AMOUNT($price) } TRX</b>
operation-price-differs = Charged: <b>{ AMOUNT($price) } TRX</b> (estimated { AMOUNT($estimate) } TRX)
operation-price-of-card = Charged: <b>≈ { AMOUNT($price) } TRX</b>, the price on the card
operation-price-unknown = Charged: unknown, see your balance
operation-transaction = Transaction: <code>{ $hash }</code>
operation-left = Balance left: { AMOUNT($balance) } TRX
operation-unlinked = Account { $account } isn't linked here any more, so I can't see how this ends. Check the address.
order-awaited = ⏳ <b>Bought, on its way</b>
order-awaited-note = { $usdt ->
        [yes] Don't send your USDT yet.{" "}
       *[no] {""}
    }I'll tell you when it arrives.
order-unseen = ⏳ <b>Bought.</b> Usually there within a minute.
order-unseen-since = ⏳ <b>Bought.</b> I couldn't see it arrive.
order-unseen-note = { $arrival ->
        [said] Check
       *[unsaid] I can't see it arrive: check
    } the address{ $usdt ->
        [yes] {" "}before you send USDT
       *[no] {""}
    }. If it fails, the money comes back: I watch for that.
order-unseen-late = It's been over 30 min. If it's not at the address, { $support ->
        [none] contact the service
       *[other] contact support
    } with the order's number.
order-over = ⌛ <b>Rental over.</b> I couldn't see whether it arrived.
order-returned = ↩️ { $found ->
        [known] <b>Probably failed and refunded</b>
        [together] <b>{ AMOUNT($trx) } TRX came back:</b> probably orders { $orders } failed and were refunded.
        [as-before] <b>The balance is what it was before your operation { $id }:</b> probably the order failed and was refunded.
       *[own] { $trx ->
            [none] <b>The balance is what it was before this order:</b> probably the order failed and was refunded.
           *[other] <b>The balance is up by { $price ->
                [card] ≈{" "}
               *[charged] {""}
            }{ AMOUNT($trx) } TRX:</b> probably the order failed and was refunded.
        }
    }
order-either-note = { $balance ->
        [none] {""}
       *[other] Balance: { AMOUNT($balance) } TRX.{" "}
    }{ $of ->
        [all] Check the addresses
       *[own] Check the address
    } before you { $usdt ->
        [yes] send your USDT or buy again.
       *[no] buy again.
    }
order-returned-note = It may still have arrived: check the address before you buy again.
order-alerts-on = It may be there already: check the address.{ $usdt ->
        [yes] {" "}Send your USDT only if the energy is there.
       *[no] {""}
    } I'll tell you if it arrives or fails from now on.
order-alerts = <i>🔔 Instant alerts report arrivals. Another app that gets them now would lose them.</i>
button-tell-arrival = 🔔 Tell me when it arrives
order-delivered = ✅ <b>Bought and delivered</b>
order-partly-delivered = 🟠 <b>Partly delivered</b>
order-part = { $delivered } of { $what }
order-partial = Delivered so far: <b>{ $part }</b>. The service hasn't reported the rest, or a refund.
order-undelivered = ❌ <b>Not delivered</b>
order-refund =
    { $refund ->
        [reported] The service reports a refund of <b>{ AMOUNT($trx) } TRX</b>.
        [confirmed] The service confirms this refund: <b>{ AMOUNT($trx) } TRX</b>.
        [awaited] No refund seen yet. I'll check again.
        [unclear] I can't tell yet if this was refunded: { $open ->
            [none] other orders or payments may have changed your balance
           *[other] the result of another operation (Ref. <code>{ $open }</code>) wasn't known
        }. I'll check again.
        [either] <b>{ AMOUNT($trx) } TRX</b> came back: probably the refund of { $orders ->
            [none] this order or of another one
           *[other] order { $orders }
        }. I can't tell which.
        [several] <b>{ AMOUNT($trx) } TRX</b> came back: probably the refund of one or more of the orders { $orders }. I can't tell which.
        [either-known] The <b>{ AMOUNT($trx) } TRX</b> that came back earlier may be the refund of { $orders ->
            [none] this order or of another one
           *[other] order { $orders }
        }.
        [several-known] The <b>{ AMOUNT($trx) } TRX</b> that came back earlier may be the refund of one or more of the orders { $orders }.
        [same] <b>No refund seen in an hour.</b>
        [none] Your balance shows no refund.
        [unlinked] I couldn't check if this was refunded, because account { $account } isn't linked here any more. Check your balance at the service.
        [moved] I can't tell if this was refunded: { $open ->
            [none] other orders or payments may have changed your balance
           *[other] the result of another operation (Ref. <code>{ $open }</code>) wasn't known
        }.
       *[unread] I couldn't check if this was refunded.
    }
order-refund-seen = { $found ->
        [known] { $trx ->
            [none] What came back earlier was probably this refund.
           *[other] The <b>{ $price ->
                [card] ≈{" "}
               *[charged] {""}
            }{ AMOUNT($trx) } TRX</b> that came back earlier was probably this refund.
        }
        [together] <b>{ AMOUNT($trx) } TRX</b> came back: probably the refunds of orders { $orders }.
        [as-before] The balance is what it was before your operation <code>{ $id }</code>: probably this order was refunded.
       *[own] { $trx ->
            [none] The balance is what it was before this order: probably refunded.
           *[other] The balance is up <b>{ $price ->
                [card] ≈{" "}
               *[charged] {""}
            }{ AMOUNT($trx) } TRX</b>: probably the refund.
        }
    }
order-refund-left = Balance after the refund: { AMOUNT($balance) } TRX
order-refund-balances = { $is ->
        [same] Your balance was as before this order when last checked: { AMOUNT($left) } TRX.
       *[other] Balance before this order: { AMOUNT($before) } TRX, last seen: { AMOUNT($left) } TRX.
    }
order-missed = If it never arrived, contact { $support ->
        [none] the service
       *[other] support
    } with the order's number.
order-refund-missing = { $balances ->
        [none] Compare your balance with <i>{ button-balance } → { button-movements }</i>.{" "}
       *[shown] {""}
    }{ $support ->
        [none] If money is missing, contact the service.
       *[other] Money missing? Contact support.
    }
order-status = Status: <code>{ $status }</code>

## Why it was refused
refusal-insufficient = { $balance ->
    [none] The balance is too low.
   *[other] The balance is too low: <b>{ AMOUNT($balance) } TRX</b>{ $missing ->
        [none] .
       *[other] , about <b>{ AMOUNT($missing) } TRX</b> is missing.
    }
}
refusal-key = The service no longer accepts your API key. Link the account again.
refusal-limited = The service takes no orders right now. Try again { $when }.
refusal-address = The service doesn't accept this address.
refusal-already = This address is already active.
refusal-offline = The service can't process this now. Try again in a few minutes.
refusal-unlinked = The account was unlinked or changed.
refusal-gone = This subscription no longer exists.
refusal-unchanged = Already set.
refusal-changed = The service changed its offer. Start again to see the new one.
refusal-listed = This address already has Smart Mode.
refusal-locked = Another purchase or withdrawal is still running. Try again in ten minutes.
refusal-code = The code was wrong or already used.{ $codes ->
        [3] {" "}That was the third in a row. Check that it's this account's code and that your phone sets its clock by itself.
       *[other] {""}
    }
refusal-code-gone = The code expired.
refusal-codes-off = 2FA was turned off. Turn it on at the service first.
refusal-codes-on = 2FA was turned on. Try again with a code.
refusal-blocked = Someone with this account blocked this address.
refusal-unannounced = This address needs a security hold.
refusal-cap = Over the daily limit. Withdraw less, or turn on 2FA.
refusal-balance = Your balance changed.
refusal-price = The price rose to <b>{ AMOUNT($price) } TRX</b> (was { AMOUNT($estimate) } TRX).
refusal-operator = I don't withdraw from the operator account.
refusal-operator-cap = Over the operator account's daily limit.
refusal-operator-ongoing = Smart Mode isn't available on the operator account.
refusal-expired = The request wasn't sent in time. Try again.
refusal-interrupted = { refusal-expired }
refusal-smart-mode = This address already has Smart Mode, perhaps at another account.
refusal-package = This address has a transfer package, so it can't have Smart Mode.
refusal-state = Its state at the service doesn't allow this any more.
refusal-other = The service refused it and gave no clear reason.

## Replies to taps on old cards
operation-no-record = ⌛ <b>This card is too old to use.</b> { $reader ->
        [guest] If you confirmed it, it may have gone through. Invoices are in /invoices.
       *[holder] If you confirmed it, check /history and your balance.
    }
toast-notice-changed = The notice changed. Nothing was charged. See the card.
toast-no-price = The price is still unknown. Nothing was charged.
toast-expired = Card expired. Nothing was charged. Start again.
toast-void = This card may be used already. Check balance and history.
toast-going = Already on its way.
toast-card-over = Already handled.
toast-card-new = Check the details, then tap again.
toast-card-below = The card is further down.
toast-card-replaced = A newer card replaced this one.
toast-card-old = This card is too old.
toast-no-operation = This receipt is no longer available.
