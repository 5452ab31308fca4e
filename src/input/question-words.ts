const CUSTOMERS = ['customer', 'client', 'buyer'];
const CUSTOMERS_RU = [
  { who: 'клиент', whose: 'клиента', whom: 'клиенту' },
  { who: 'покупатель', whose: 'покупателя', whom: 'покупателю' },
];

/**
 * Words of questions about orders and payments, by what they ask about: energy, a payment, the latest operation, money that is
 * missing, a part payment, what is left to pay, an invoice, a customer's energy, the status of an invoice, or its end.
 */
export const QUESTION_WORDS = {
  energy: [
    ...['where is my energy', 'where s my energy', 'where is the energy', 'where energy', 'no energy'],
    ...['my energy', 'energy status', 'order status', 'status'],
    ...['где энергия', 'где моя энергия', 'где же энергия', 'энергии нет', 'нет энергии', 'статус'],
    // Complaints, which would otherwise name what there is to buy.
    ...['my order', 'where is my order', 'not received', 'not arrived', 'not delivered', 'still nothing'],
    ...['didn t arrive', 'didn t come', 'didn t get', 'did not arrive', 'did not come', 'did not get'],
    ...['hasn t arrived', 'haven t received', 'haven t got', 'have not received', 'didn t receive'],
    ...['never arrived', 'never came', 'nothing came', 'nothing arrived', 'nothing received'],
    ...['мой заказ', 'где заказ', 'где мой заказ', 'не пришла', 'не пришло', 'не дошла', 'не поступила'],
    ...['не получил', 'не получила', 'не приходит', 'не доставлена', 'ничего не пришло', 'ещё не пришла'],
    ...['did it arrive', 'has it arrived', 'it arrived', 'did it come', 'has it come', 'did i get it'],
    ...['did i receive it', 'did i get the energy', 'energy arrive', 'energy arrived', 'is it there'],
    ...['пришло', 'пришла', 'пришло ли', 'пришла ли', 'уже пришло', 'уже пришла', 'дошло', 'дошла'],
    ...['дошло ли', 'дошла ли', 'уже дошло', 'уже дошла', 'энергия пришла', 'энергия дошла', 'доставлено'],
    ...['пришла энергия', 'дошла энергия', 'пришла ли энергия', 'дошла ли энергия', 'доставлена'],
  ],
  paid: [
    ...[
      'paid',
      'i paid',
      'i have paid',
      'i ve paid',
      'already paid',
      'just paid',
      'payment sent',
      'i sent it',
    ],
    ...[
      'оплатил',
      'оплатила',
      'оплачено',
      'заплатил',
      'заплатила',
      'я оплатил',
      'я оплатила',
      'деньги отправил',
    ],
    ...['get my money', 'got my money', 'receive my money', 'received my money', 'see my money'],
    ...['my payment', 'payment received', 'payment arrive', 'payment arrived', 'money arrived'],
    ...['деньги дошли', 'дошли деньги', 'деньги пришли', 'пришли деньги', 'оплата дошла', 'оплата пришла'],
    ...['получили деньги', 'получили оплату', 'получили платёж', 'получили платеж', 'оплата прошла'],
    ...['моя оплата', 'мою оплату', 'мой платёж', 'мой платеж', 'платёж прошёл', 'платеж прошел'],
  ],
  status: [
    ...['invoice paid', 'invoice is paid', 'invoice been paid', 'is the invoice paid', 'is it paid'],
    ...['has it been paid', 'invoice status', 'status of invoice', 'status of the invoice', 'check invoice'],
    ...['check the invoice', 'check my invoice', 'счёт оплачен', 'счет оплачен', 'оплачен ли счёт'],
    ...['оплачен ли счет', 'статус счёта', 'статус счета', 'проверь счёт', 'проверь счет', 'он оплачен'],
  ],
  latest: [
    ...['what s going on', 'what is going on', 'whats going on', 'what s happening', 'what is happening'],
    ...['что происходит', 'что там', 'как там мой заказ', 'what now', 'now what', 'what next'],
    ...['что дальше', 'что теперь', 'дальше что'],
    ...['did it work', 'has it worked', 'did it go through', 'did that work', 'is it done', 'is it bought'],
    ...['did i buy it', 'did i buy', 'was it bought', 'получилось', 'сработало', 'прошло', 'всё прошло'],
    ...['все прошло', 'покупка прошла', 'прошла покупка', 'я купил', 'я купила', 'куплено'],
  ],
  money: [
    ...['where is my money', 'where s my money', 'where is the money', 'where are my funds'],
    ...['where is my trx', 'my money is gone', 'money is gone', 'money disappeared', 'lost my money'],
    ...['где деньги', 'где мои деньги', 'где мои трх', 'где мои trx', 'деньги пропали'],
    ...['пропали деньги', 'куда делись деньги', 'куда пропали деньги'],
  ],
  part: [
    ...[
      'sent too little',
      'i sent too little',
      'paid too little',
      'i paid too little',
      'underpaid',
      'i underpaid',
    ],
    ...['sent part', 'i sent part', 'sent a part', 'i sent a part', 'sent only part', 'i sent only part'],
    ...['only sent part', 'paid part', 'i paid part', 'paid a part', 'paid only part', 'only paid part'],
    ...['sent less', 'i sent less', 'paid less', 'i paid less', 'sent half', 'i sent half', 'sent only half'],
    ...['wrong amount', 'the wrong amount', 'paid the wrong amount', 'sent the wrong amount'],
    ...['отправил часть', 'отправила часть', 'отправил только часть', 'отправила только часть'],
    ...['оплатил часть', 'оплатила часть', 'оплатил только часть', 'оплатила только часть'],
    ...['заплатил часть', 'заплатила часть', 'отправил меньше', 'отправила меньше', 'заплатил меньше'],
    ...['заплатила меньше', 'отправил мало', 'отправила мало', 'отправил слишком мало', 'недоплатил'],
    ...[
      'недоплатила',
      'я недоплатил',
      'я недоплатила',
      'не ту сумму',
      'неправильную сумму',
      'неверную сумму',
    ],
  ],
  left: [
    ...['how much is left', 'how much s left', 'how much left', 'what is left', 'what s left', 'left to pay'],
    ...[
      'how much remains',
      'how much is missing',
      'сколько осталось',
      'осталось доплатить',
      'сколько доплатить',
    ],
    ...['сколько ещё доплатить', 'сколько еще доплатить', 'осталось заплатить', 'осталось оплатить'],
  ],
  invoice: [
    ...['where is my invoice', 'where s my invoice', 'where is the invoice', 'where s the invoice'],
    ...['where invoice', 'where my invoice', 'no invoice', 'where are my invoices'],
    ...['где счёт', 'где счет', 'где мой счёт', 'где мой счет', 'где же счёт', 'где же счет'],
    ...['счёта нет', 'счета нет', 'нет счёта', 'нет счета', 'где мои счета', 'счёт не пришёл'],
    ...['не пришёл счёт', 'не пришел счет', 'счет не пришел'],
  ],
  customer: [
    ...CUSTOMERS.flatMap((who) => [
      ...[`${who} s energy`, `my ${who} s energy`, `${who} energy`, `${who} s order`, `my ${who} s order`],
      ...[`${who} get`, `${who} got`, `${who} receive`, `${who} received`, `${who} didn t get`],
      ...[`${who} didn t receive`, `${who} did not get`, `${who} hasn t received`, `${who} hasn t got`],
    ]),
    ...CUSTOMERS_RU.flatMap(({ who, whose, whom }) => [
      ...[`энергия ${whose}`, `энергия моего ${whose}`, `где энергия моего ${whose}`, `энергия у ${whose}`],
      ...[`заказ ${whose}`, `заказ моего ${whose}`, `где заказ моего ${whose}`, `${who} получил`],
      ...[`${who} не получил`, `${whom} не пришла`, `${whom} пришла`, `${whom} пришла энергия`],
      ...[`${whom} не пришла энергия`, `${whose} нет энергии`, `${whom} дошла`, `${whom} не дошла`],
    ]),
  ],
  unwanted: [
    ...['cancel invoice', 'cancel the invoice', 'cancel my invoice', 'cancel this invoice'],
    ...['delete invoice', 'delete the invoice', 'delete my invoice', 'delete this invoice'],
    ...['отмени счёт', 'отмени счет', 'отмените счёт', 'отмените счет', 'отменить счёт', 'отменить счет'],
    ...['отмена счёта', 'отмена счета', 'отмени мой счёт', 'отмени этот счёт', 'отменить мой счёт'],
    ...['отменить этот счёт', 'удали счёт', 'удали счет', 'удалить счёт', 'удалить счет'],
  ],
} as const satisfies Record<string, readonly string[]>;
