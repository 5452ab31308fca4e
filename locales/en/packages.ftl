## Prepaid packages of transfers
button-packages = 📦 Packages
command-packages = Transfer packages and prices
packages-title = <b>📦 Transfer packages</b>
packages-tier = • { $count } { $size ->
        [one] transfer
       *[other] transfers
    }: <b>{ AMOUNT($price) } TRX</b>, { AMOUNT($each) } TRX each
packages-none = No sizes listed right now.
packages-single = Single transfer: <b>{ AMOUNT($price) } TRX</b>
packages-bw = BW Guarantee: { AMOUNT($fee) } TRX per transfer
packages-buying = Packages are sold only at the service. Yours aren't shown here.
button-packages-custom = 🧮 Another size
button-packages-site = 🌐 Open the service
packages-ask = How many transfers? Send { $min } to { $max }.
problem-packages = Send a whole number from { $min } to { $max }, like { $example }.
packages-size = <b>📦 { $count } { $size ->
        [one] transfer
       *[other] transfers
    }</b>
packages-exact = Price: <b>{ AMOUNT($price) } TRX</b>
packages-about = About <b>{ AMOUNT($price) } TRX</b> at { AMOUNT($each) } TRX each, as for { $count }
packages-cheaper = 💡 { $count } cost no more: { AMOUNT($price) } TRX
packages-most = One by one: { AMOUNT($price) } TRX ({ AMOUNT($each) } TRX each)
packages-fees = With BW Guarantee: +{ AMOUNT($price) } TRX ({ AMOUNT($each) } TRX each)
packages-not-said = The service sets this size's price when you buy.
