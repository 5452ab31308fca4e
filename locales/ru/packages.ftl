## Предоплаченные пакеты переводов
button-packages = 📦 Пакеты
command-packages = Пакеты переводов и цены
packages-title = <b>📦 Пакеты переводов</b>
packages-tier = • { $count } { $size ->
        [one] перевод
        [few] перевода
       *[other] переводов
    }: <b>{ $price } TRX</b>, по { $each } TRX
packages-none = Размеры сейчас недоступны.
packages-single = Один перевод: <b>{ $price } TRX</b>
packages-bw = BW Guarantee: { $fee } TRX за перевод
packages-buying = Пакеты продаются { $site ->
        [yes] только в сервисе
       *[no] только в вашем аккаунте в сервисе
    }. Купленных здесь не видно.
button-packages-custom = 🧮 Другой размер
button-packages-site = 🌐 Открыть сервис
packages-ask = Сколько переводов? Пришлите число от { $min } до { $max }.
problem-packages = Пришлите целое число от { $min } до { $max }, например { $example }.
packages-size = <b>📦 { $count } { $size ->
        [one] перевод
        [few] перевода
       *[other] переводов
    }</b>
packages-exact = Цена: <b>{ $price } TRX</b>
packages-about = Около <b>{ $price } TRX</b>, если считать по { $each } TRX, как в пакете на { $count }
packages-cheaper = 💡 Пакет на { $count } не дороже: { $price } TRX
packages-most = По одному: { $price } TRX (по { $each } TRX)
packages-fees = С BW Guarantee: +{ $price } TRX (по { $each } TRX)
packages-not-said = Цену этого размера сервис назовёт при покупке.
