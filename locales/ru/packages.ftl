## Предоплаченные пакеты переводов
button-packages = 📦 Пакеты
command-packages = Пакеты переводов и их цены
packages-title = <b>📦 Пакеты переводов</b>
packages-tier = • { $count } { $size ->
        [one] перевод
        [few] перевода
       *[other] переводов
    }: <b>{ $price } TRX</b>, по { $each } TRX за перевод
packages-none = Сервис сейчас не называет размеров.
packages-single = Один перевод отдельно: <b>{ $price } TRX</b>
packages-bw = Гарантия пропускной способности: { $fee } TRX за перевод
packages-buying = Пакеты продаёт только сам сервис аренды{ $site ->
        [yes] {""}
       *[no] , в вашем аккаунте там
    }: здесь их не купить, и купленные мне не видны.
button-packages-custom = 🧮 Другой размер
button-packages-site = 🌐 Сервис аренды
packages-ask = Сколько переводов? Напишите целое число от { $min } до { $max }.
problem-packages = Напишите целое число переводов от { $min } до { $max }, например { $example }.
packages-size = <b>📦 { $count } { $size ->
        [one] перевод
        [few] перевода
       *[other] переводов
    }</b>
packages-exact = Цена этого размера: <b>{ $price } TRX</b>
packages-about = Около <b>{ $price } TRX</b>, если каждый стоит { $each } TRX, как в пакете на { $count }
packages-cheaper = 💡 Пакет на { $count } стоит не больше: { $price } TRX
packages-most = По одному: { $price } TRX (по { $each } TRX)
packages-fees = Гарантия пропускной способности, если нужна: { $price } TRX (по { $each } TRX)
packages-not-said = Цены этого размера сервис не называет: он назовёт её при покупке.
