command-deposit = Пополнить баланс
button-deposit = 📥 Пополнить
button-deposit-history = 🧾 Показать пополнения
deposit-card =
    <b>Пополнение</b>

    Отправьте { $currencies } в сети TRON на этот адрес. Зачислится автоматически.

    • TRX: 1:1
    • { $rate ->
        [none] USDT (TRC-20): конвертируется в TRX по рыночному курсу
       *[other] сейчас 1 USDT (TRC-20) = { AMOUNT($rate) } TRX
    }{ $usd ->
        [none] {""}
       *[other] ; 1 TRX ≈ { AMOUNT($usd) } USD
    }

    <code>{ $address }</code>
deposit-unreadable = Сервис прислал неверный адрес пополнения. Пока не пополняйте, попробуйте позже.
deposit-history = <b>Пополнения</b>
deposit-none = Пока ничего.
deposit-latest = <i>Последние { $most }.</i>
