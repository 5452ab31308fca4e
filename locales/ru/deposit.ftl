command-deposit = Пополнить баланс
button-deposit = 📥 Пополнить
button-deposit-history = 🧾 Поступления
deposit-card =
    <b>Пополнение</b>

    Отправьте { $currencies } в сети TRON на адрес пополнения вашего аккаунта. Зачислится автоматически.

    • TRX зачисляется 1:1
    • { $rate ->
        [none] USDT (TRC-20) конвертируется в TRX по рыночному курсу
       *[other] сейчас 1 USDT (TRC-20) = { $rate } TRX
    }{ $usd ->
        [none] {""}
       *[other] ; 1 TRX ≈ { $usd } USD
    }

    <code>{ $address }</code>
deposit-unreadable = Сервис аренды назвал недействительный адрес пополнения, поэтому я его не показываю. Попробуйте позже.
deposit-history = <b>Поступления</b>
deposit-none = Пока ничего.
deposit-latest = <i>Последние { $most }.</i>
