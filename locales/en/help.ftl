command-help = How this works
button-help = ❓ Help
button-help-here = ?
button-help-all = All questions
button-help-more = More questions
button-help-commands = 📋 All commands
button-help-return = ‹ Back to the question
help =
    <b>How this works</b>

    Sending USDT burns TRX unless the sending address has energy. Rent it here. Nothing is bought until you { $guest ->
        [yes] pay the invoice
       *[no] tap <i>{ button-confirm }</i>
    }.
help-questions = <b>Common questions.</b> Tap a number:
help-near = <b>Do you mean one of these?</b> Tap a number:
help-none = I have no answer to that.
help-support = 💬 <b>Support</b> needs the number of your order or invoice, and what happened.
help-commands = <b>All commands</b>
help-commands-linked = <b>With a linked account</b> (/link):

## Questions
help-question-energy = Which address gets the energy, and how much?
help-question-duration = 1 or 24 hours?
help-question-arrival = When does the energy arrive?
help-question-failed = The order failed: is my money back?
help-question-burned = Why did my transfer still burn TRX?
help-question-deposit = How do I top up?
help-question-key = Where do I find the API key, and is it safe?
help-question-invoice = How do I pay an invoice?
help-question-sale = I sell by invoice: who gets the money?
help-question-smart-mode = What does Smart Mode cost, and how do I stop it?
help-question-bandwidth = Do I need bandwidth, or to activate an address?
help-question-unknown = Result unknown: should I repeat it?
help-question-withdrawal = How do withdrawals work?
help-question-safe = Can I trust this bot?

## Answers
help-answer-energy =
    The address that <b>sends</b> the USDT. If an exchange sends for you, you need none. Energy can't be moved to another address.

    For each USDT transfer:
    • <b>{ $holder }</b> to a wallet with USDT,
    • <b>{ $first }</b> to a wallet without USDT, or if you aren't sure.

    Prices and savings: /prices.
help-answer-duration =
    <b>1 hour</b> suits a transfer right away, <b>24 hours</b> gives you time. Unused energy expires without refund.

    { $guest ->
        [yes] A rental doesn't renew itself.
       *[no] <i>{ button-reminder-on }</i> on a receipt warns you before the end. Only Smart Mode renews itself.
    }
help-answer-arrival =
    Usually within a minute.

    • <b>From your balance:</b> with instant alerts (/notifications) I write when the energy is there. Without them I can't see it: look at the address in an explorer.
    • <b>By invoice:</b> the invoice's card shows when it's paid, and when the energy is there.

    Send USDT only after that.
help-answer-failed =
    • <b>Invoice:</b> the service says it refunds the payment. Check the wallet you paid from.
    • <b>Withdrawal:</b> the amount returns to your balance.
    • <b>Order from your balance:</b> I watch your balance for an hour after the service reports the failure, otherwise until the rental ends. I write if I see the refund or can't tell, and after a reported failure also if none came.

    Not back? Contact { $support ->
        [none] the service
       *[other] support
    } with the order number from the receipt. I can't return payments myself.
help-answer-burned =
    The energy was:

    • <b>too little:</b> a wallet without USDT needs { $first },
    • <b>not there:</b> not yet delivered, expired, or at another address,
    • <b>used up</b> by an earlier transfer.

    Missing bandwidth burns TRX too. Send only once the energy is there.
help-answer-deposit =
    Tap <i>{ button-balance } → { button-deposit }</i>, or send /deposit. Send TRX or USDT (TRC20) to the address shown there. It's credited automatically; USDT is converted to TRX.

    No account? Pay an invoice instead; it needs no balance.
help-answer-key =
    It's in your account at the service, under API settings. Tap <i>{ button-link }</i> first, then send it.

    • The key opens your whole account, including withdrawals. With 2FA at the service, the key alone can't withdraw.
    • I delete your message, encrypt the key, use it only for you, and forget it when you unlink.
    • I read your balance, transactions and orders. I buy and withdraw only what you confirm.

    <b>Sent it without tapping <i>{ button-link }</i> first?</b> Delete it, replace the key at the service and link the new one.
help-answer-invoice =
    • <b>Wallet.</b> Any on TRON, in TRX or USDT (TRC20).
    • <b>Amount.</b> Exactly the amount shown must arrive, after the fee of an exchange. I only see if it was paid in full.
    • <b>Another network.</b> The address exists only on TRON: on ERC20 or BEP20 a payment can't arrive. Ask the wallet or exchange you sent from.
    • <b>Only a part.</b> Send just the rest, in the same coin, to the same address, before the deadline. A part alone buys nothing; the service may return it.
    • <b>Too much, or twice.</b> I can't see it: ask the seller{ $support ->
            [none] {""}
           *[other] , or support if you made the invoice yourself
        }.
    • <b>Late.</b> Don't pay an expired invoice. Already paid? The service decides. I'll write if it reports the payment within 24 h.
    • <b>Nothing changed?</b> Tap <i>{ button-check-payment }</i>. Don't pay again: I can't return payments.
help-answer-sale =
    The service, for the energy. The payment isn't added to your balance, and creating an invoice takes nothing from it.

    An invoice can't contain your own margin. If you charge one, arrange that with your customer separately.

    The totals in /invoices are what your customers paid to the service, not what you earned.

    Seller mode, in /settings, makes an invoice of each pasted address.
help-answer-smart-mode =
    A daily fee, and a fee for each transfer. With bandwidth, a transfer costs { AMOUNT($bandwidth) } TRX more. The card shows the fees before you confirm, if they are known.

    The first daily fee is charged at once, later ones without a message. If the balance is too low for a fee, the service pauses it. To stop, open /smart:
    • <b>Pause:</b> there are no fees and no energy until you resume.
    • <b>End:</b> it stops for good. Starting again charges a new daily fee.
help-answer-bandwidth =
    <b>Bandwidth.</b> A TRX transfer uses about 268, a USDT transfer 345. Missing bandwidth burns TRX. Each address gets 600 a day for free. For more: /bandwidth, from { $least }.

    <b>Activation.</b> A new address is activated once: /activate. Sending it TRX activates it too. <b>Sending it USDT doesn't.</b> Activation adds no energy.
help-answer-unknown =
    <b>Don't repeat it:</b> you might pay twice. I'll write here when I know, within 24 h.

    Still nothing? Check the address and your orders at the service, then tap <i>{ button-i-checked }</i> on the receipt.

    Only invoices are safe to repeat: creating one moves no money.
help-answer-withdrawal =
    • <b>Start:</b> tap <i>{ button-withdraw }</i> or send /withdraw. { $guest ->
        [yes] It needs a linked account.
       *[no] The service decides how long it takes. I write when it's sent.
    }
    • <b>TRX only:</b> USDT can't be withdrawn. A deposit of USDT becomes TRX.
    • <b>Fee:</b> { AMOUNT($fee) } TRX extra. One withdrawal a minute.
    • <b>With 2FA:</b> I ask for a code and delete your message.
    • <b>Without 2FA:</b> { $cap ->
        [none] withdrawals are off.
       *[other] { AMOUNT($cap) } TRX daily limit, fees included. A new address has a 10-minute security hold, in which someone else with this account can block it.
    }
    • <b>A withdrawal can't be undone and carries no memo.</b> Don't withdraw to an exchange that requires one. Wrong address? Ask its owner to send the TRX back.
help-answer-safe =
    I rent energy for an address. I can't move anything out of your wallet.

    { $guest ->
        [yes] • You pay only to the address on an invoice, from any wallet. You see the price first.
       *[no] • With your API key I buy and withdraw only what you confirm. The key itself can do more: see <i>{ help-question-key }</i>
    }
    • <b>Never send anyone your seed phrase or private key.</b> I need neither, and I never write first to ask for money.
    • A payment can't be undone. If an order fails, the service refunds it, not I.

    Not sure? Try the smallest order first.
help-quick =
    <b>Shortcuts</b>
    <code>ADDRESS 2 transfers 24h</code>
    <code>/buy ADDRESS 65000 24h</code>
    { $guest ->
        [yes] I ask for what's missing. Or paste just an address.
       *[no] <code>/bandwidth ADDRESS 1000 24</code>
            <code>/activate ADDRESS</code>
            <code>/withdraw ADDRESS 12.5</code>
            <code>/invoice ADDRESS 65000 24h</code>
            <code>/smart ADDRESS name</code>
            I ask for what's missing. Names from /addresses work too. Or paste just an address.
    }
