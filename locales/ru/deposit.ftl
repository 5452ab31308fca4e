command-deposit = Пополнить баланс
button-deposit = 📥 Пополнить
button-deposit-history = 🕘 Показать пополнения
deposit-card =
    <b>Пополнение</b>

    Отправьте { $currencies } в сети TRON на этот адрес. Зачислится автоматически, и я напишу.

    • TRX: 1:1
    • USDT (TRC20): { $rate ->
        [none] по рыночному курсу
       *[other] сейчас { AMOUNT($rate) } TRX
    }

    <code>{ $address }</code>
deposit-changed = ⚠️ <b>Адрес пополнения изменился.</b> Раньше я показывал другой: <code>{ $former }</code>. Не ожидали? Прежде чем отправлять деньги, спросите сервис.
deposit-unreadable = Сервис прислал неверный адрес пополнения. Пока не пополняйте, попробуйте позже.
deposit-history = <b>Пополнения</b>
