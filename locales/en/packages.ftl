## Prepaid bundles of transfers
button-packages = 📦 Packages
command-packages = Bundles of transfers and their prices
packages-title = <b>📦 Packages of transfers</b>
packages-tier = • { $count } { $size ->
        [one] transfer
       *[other] transfers
    }: <b>{ $price } TRX</b>, { $each } TRX each
packages-none = The service lists no sizes right now.
packages-single = One transfer by itself: <b>{ $price } TRX</b>
packages-bw = Bandwidth guarantee: { $fee } TRX for each transfer
packages-buying = Packages are sold by the rental service itself{ $site ->
        [yes] {""}
       *[no] , with your account there
    }: none can be bought here, nor can I see those you have.
button-packages-custom = 🧮 Another size
button-packages-site = 🌐 Rental service
packages-ask = How many transfers? Write a whole number from { $min } to { $max }.
problem-packages = Write a whole number of transfers from { $min } to { $max }, like { $example }.
packages-size = <b>📦 { $count } { $size ->
        [one] transfer
       *[other] transfers
    }</b>
packages-exact = Price of this size: <b>{ $price } TRX</b>
packages-about = About <b>{ $price } TRX</b>, if each costs { $each } TRX as in the package of { $count }
packages-cheaper = 💡 The package of { $count } costs no more: { $price } TRX
packages-most = One by one: { $price } TRX ({ $each } TRX each)
packages-fees = Bandwidth guarantee, if wanted: { $price } TRX ({ $each } TRX each)
packages-not-said = The service lists no price of this size: it names it as you buy.
