/** Arguments of the frameworks' methods that send or edit a message. */
export type Message = [text: string, options: Options];

interface Options {
  parse_mode: 'HTML';
  link_preview_options: { is_disabled: true };
  reply_markup: { inline_keyboard: Button[][] };
}

interface Button {
  text: string;
  callback_data: string;
  style?: 'primary' | 'success';
}

/** A purchase, as far as its user has described it. */
export interface Draft {
  address: string;
  energy: number;
  hours: number;
}

/** Data that the card shows in addition to the draft. */
export interface Offer {
  /** Short text by which the user can refer to the purchase. */
  reference: string;
  balanceTrx: number;
  /** Price in sun of one unit of energy. */
  priceSun: number;
}

/** Changes of a draft by the data of their button. */
export const OPTIONS: Record<string, Partial<Draft>> = {
  'option=energy65000': { energy: 65_000 },
  'option=energy131000': { energy: 131_000 },
  'option=hours1': { hours: 1 },
  'option=hours24': { hours: 24 },
};
/** Data of the button that confirms a purchase. */
export const CONFIRM = /^operation:confirm:/;
/** Data of the button that cancels a purchase. */
export const CANCEL = 'answer=cancel';
export const ADDRESS_FORMAT = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;

const SUN_PER_TRX = 1_000_000;
const amounts = new Intl.NumberFormat('en');
const prices = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const button = (text: string, callback_data: string): Button => ({ text, callback_data });
const option = (isChosen: boolean, text: string, value: string): Button =>
  button(isChosen ? `• ${text}` : text, `option=${value}`);
const openMenu = button('☰ Menu', 'menu:open');
const navigation = (topic: string): Button[] => [
  button('‹ Back', 'answer=back'),
  button('✕ Cancel', CANCEL),
  button('?', `help:at-question:${topic}`),
];

function message(text: string, inline_keyboard: Button[][]): Message {
  return [
    text,
    { parse_mode: 'HTML', link_preview_options: { is_disabled: true }, reply_markup: { inline_keyboard } },
  ];
}

export const menu = (account: number): Message =>
  message(`<b>Energy and bandwidth on TRON</b>\n\nAccount ${account} · key …0000`, [
    [{ ...button('⚡ Buy energy', 'energy:open'), style: 'primary' }],
    [button('📶 Buy bandwidth', 'bandwidth:open'), button('🚀 Activate address', 'activation:open')],
    [button('🔁 Smart Mode', 'smart-mode:open'), button('🕘 History', 'history:open')],
    [button('🧾 Invoices', 'invoices:open'), button('💰 Balance', 'menu:balance')],
    [button('⋯ More', 'menu:more')],
  ]);

export const more = (): Message =>
  message('<b>More</b>', [
    [button('👤 Account', 'account:open'), button('🔔 Notifications', 'notifications:open')],
    [button('📒 Addresses', 'addresses:open'), button('⚙️ Settings', 'settings:open')],
    [button('❓ Help', 'help:open')],
    [openMenu],
  ]);

export const askAddress = (): Message =>
  message('<b>⚡</b> Which address will <i>send</i> USDT? Paste it.', [navigation('energy')]);

export function card(draft: Draft, { reference, balanceTrx, priceSun }: Offer): Message {
  return message(
    `<b>Review and confirm</b>\n${described(draft)}\n\n⚠️ <b>This is the USDT contract, not a wallet.</b> What goes there is usually lost.\n\nEnough for a USDT transfer to a wallet with USDT (one without needs 131,000).\n\nPrice: about <b>${prices.format(priceTrx(draft.energy, priceSun))} TRX</b>\nBalance: ${prices.format(balanceTrx)} TRX\n\n<i>A purchase can't be undone or moved to another address.</i>\n<i>Valid for 5 min</i>`,
    [
      [
        option(draft.energy === 65_000, '65,000 · recipient has USDT', 'energy65000'),
        option(draft.energy === 131_000, '131,000 · recipient has no USDT', 'energy131000'),
      ],
      [option(draft.hours === 1, '1 hour', 'hours1'), option(draft.hours === 24, '24 hours', 'hours24')],
      [{ ...button('✅ Confirm', `operation:confirm:${reference}`), style: 'success' }],
      [
        button('Other amount', `operation:back:${reference}_amount`),
        button('⋯ More actions', `operation:more:${reference}`),
      ],
      [button('‹ Back', 'answer=back'), button('✕ Cancel', CANCEL)],
    ],
  );
}

export const buying = (draft: Draft): Message => message(`⏳ <b>Buying…</b>\n${described(draft)}`, []);

export function bought(
  draft: Draft,
  { reference, balanceTrx }: Offer,
  order: { order_id: number; price_trx: string; status: string },
  now: number,
): Message {
  const expires = now + draft.hours * 3_600_000;
  const unix = Math.floor(expires / 1_000);
  const time = new Date(expires).toISOString().slice('2026-01-01T'.length, '2026-01-01T00:00'.length);
  const charged = Number(order.price_trx);
  return message(
    `✅ <b>Bought</b>\n${described(draft)}\n\nOrder <b>${order.order_id}</b>\nCharged: <b>${prices.format(charged)} TRX</b>\nStatus: <b>${order.status}</b>. Usually delivered within a minute.\n⏱ Use it before <tg-time unix="${unix}" format="t">${time} UTC</tg-time>.\nBalance left: ${prices.format(balanceTrx - charged)} TRX\n\n🔎 <a href="https://tronscan.org/#/address/${draft.address}">View address</a>`,
    [
      [button('⏱ Remind me before it ends', `operation:remind:${reference}~a1b_x9gmTnw4nGCoAwQP`)],
      [button('Buy again', 'energy:open'), openMenu],
    ],
  );
}

const described = ({ address, energy, hours }: Draft) =>
  `⚡ ${amounts.format(energy)} energy · ${hours} h\nEnergy for (the sender): <code>${address}</code>`;

const priceTrx = (energy: number, priceSun = Number.NaN) => (energy * priceSun) / SUN_PER_TRX;
