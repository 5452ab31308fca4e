command-buy = Buy energy
button-energy = ⚡ Buy energy
button-energy-transfer = ⚡ Energy for a transfer
energy-title = ⚡ { $amount } energy · { $hours } h
energy-short = { $amount } energy

## The questions
energy-address = <b>⚡</b> Which address will <i>send</i> USDT? Paste it.
energy-amount =
    For: <code>{ $address }</code>

    How many USDT transfers, 1 to { $most }? Or how much energy, { $min } to { $max }?
problem-energy-amount = Send a number: 1 to { $most } for transfers, or { $min } to { $max } for energy.
problem-energy-range = { $why ->
        [little] { $amount } is too little: at least { $min }.
        [many] { $count } is too many: at most { $most } transfers.
       *[much] { $amount } is too much: at most { $max }.
    }
problem-energy-hours = { $hours } h isn't possible: energy is rented for 1 h or 24 h.
order-said-left = I don't understand “{ $left }”.
order-note-left = Note “{ $note }” left out: only invoices for customers have notes.
order-number-ignored = Taken as { $amount } energy. Another amount? Send it.
order-for-recipient = ⚠️ <b>Is this the recipient?</b> Energy is used at the address that <b>sends</b> the USDT. Send that one instead.
order-hours-replaced = ⚠️ <b>You asked for { $wanted } h: { $hours } h chosen.</b> Energy is rented for 1 h or 24 h.
order-noted = Noted: { $amount } energy for { $hours } h. Now the address.
button-one-holder = { $amount } · recipient has USDT
button-one-new = { $amount } · recipient has no USDT
button-transfers = { $count } transfers · { $amount }
button-other-amount = Other amount
button-more-for-address = ⋯ More actions
button-1-hour = 1 hour
button-24-hours = 24 hours

## The card
energy-target = Energy for (the sender): <code>{ $address }</code>
energy-enough = { $for ->
        [none] Too little for a USDT transfer, which needs { $holder }.
        [holder] Enough for { $most ->
            [one] a USDT transfer to a wallet
           *[other] { $most } transfers of USDT to wallets
        } with USDT (one without needs { $first }).
       *[first] Enough for { $least ->
            [one] a USDT transfer to a wallet
           *[other] { $least } transfers of USDT to wallets
        } without USDT, or for { $most } to wallets with USDT.
    }
energy-truth = <i>A purchase can't be undone or moved to another address.</i>
energy-earlier = ⚠️ { $state ->
        [sale] Invoice { $number } for this address is still open.
        [invoice] Invoice { $number } for this address is still open. Pay only one of them; an unpaid invoice costs nothing. Sent a part? Finish invoice { $number }.
        [pay-to] This is the payment address of your invoice { $number }. It sends no USDT, so energy for it is wasted. Paste the address that sends the USDT.
        [arriving] You bought { $amount } energy for this address { $age } ago. It usually arrives within a minute.
        [returned] You bought { $amount } energy for this address { $age } ago. It may have failed: money came back for it or for another order.
        [failed] Order { $number } of { $amount } energy for this address, { $age } ago, <b>wasn't delivered</b>. I haven't seen its refund.
        [unreported] Invoice { $number } for this address has expired, but <b>I don't know yet if it was paid.</b> Paid it? Don't pay again.
        [unknown] You tried to buy { $amount } energy for this address { $age } ago (Ref. <code>{ $id }</code>), and <b>I don't know yet if it went through.</b> If you buy again, you might pay twice.
        [likely] You most likely bought { $amount } energy for this address { $age } ago (Ref. <code>{ $id }</code>). Check the address before you buy again.
        [unseen] You bought { $amount } energy for this address { $age } ago. If it has arrived, it's there until <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>.
       *[there] You bought { $amount } energy for this address { $age } ago. It's rented until <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>.
    }
energy-running = In total: { $count ->
        [one] { $count } rental
       *[other] { $count } rentals
    } for this address, { $amount } energy{ $unseen ->
        [0] {""}
       *[other] , including { $unseen } I haven't seen arrive{ $returned ->
            [0] {""}
           *[other] {" "}(money may have come back for { $returned } of them)
        }
    }. { $count ->
        [1] It ends
       *[other] The first one ends
    } <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>.
energy-going = ⏳ <b>Buying…</b>
energy-delivered = ✅ <b>Energy delivered.</b> { $enough ->
        [yes] Send your USDT
       *[no] Use it
    } by <tg-time unix="{ $unix }" format="{ $format }">{ $at }</tg-time>.
energy-done = ✅ <b>Bought</b>
energy-refused = ❌ <b>Not bought.</b> Nothing was charged.
energy-likely = 🟡 <b>Most likely bought</b>
energy-again = Buy again
energy-anyway = Buy anyway
energy-filter = ⚡ Energy
