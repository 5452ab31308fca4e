## Предоплаченные пакеты переводов
button-packages = 📦 Пакеты
command-packages = Пакеты переводов и цены
packages-title = <b>📦 Пакеты переводов</b>
packages-tier = • { $count } { $size ->
        [one] перевод
        [few] перевода
       *[other] переводов
    }: <b>{ AMOUNT($price) } TRX</b>, по { AMOUNT($each) } TRX
packages-none = Размеры сейчас недоступны.
packages-single = Один перевод: <b>{ AMOUNT($price) } TRX</b>
packages-bw = BW Guarantee: { AMOUNT($fee) } TRX за перевод
packages-buying = Пакеты продаются только в сервисе. Купленных здесь не видно.
button-packages-custom = 🧮 Другой размер
button-packages-site = 🌐 Открыть сервис
packages-ask = Сколько переводов? Пришлите число от { $min } до { $max }.
problem-packages = Пришлите целое число от { $min } до { $max }, например { $example }.
packages-size = <b>📦 { $count } { $size ->
        [one] перевод
        [few] перевода
       *[other] переводов
    }</b>
packages-exact = Цена: <b>{ AMOUNT($price) } TRX</b>
packages-about = Около <b>{ AMOUNT($price) } TRX</b>, если считать по { AMOUNT($each) } TRX, как в пакете на { $count }
packages-cheaper = 💡 Пакет на { $count } не дороже: { AMOUNT($price) } TRX
packages-most = По одному: { AMOUNT($price) } TRX (по { AMOUNT($each) } TRX)
packages-fees = С BW Guarantee: +{ AMOUNT($price) } TRX (по { AMOUNT($each) } TRX)
packages-not-said = Цену этого размера сервис назовёт при покупке.
