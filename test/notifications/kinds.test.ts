import { describe, expect, test, vi } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { createRouter } from '../../src/bot/router.ts';
import { FEATURES } from '../../src/features/features.ts';
import { LANGUAGES, withoutTags } from '../../src/i18n/texts.ts';
import {
  createNotificationKinds,
  displayableFields,
  type NotificationContent,
  type NotificationKind,
  type Unpaid,
} from '../../src/notifications/kinds.ts';
import { compose } from '../../src/notifications/outbox-message.ts';
import { createKinds } from '../../src/operations/kinds/kind.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { KINDS as KINDS_OF_OPERATIONS } from '../../src/operations/operations.ts';
import { openChat } from '../features/chat.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { operationIn } from '../operations/cards.ts';
import { BANDWIDTH, ENERGY, START, USER } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, HASH } from '../operations/rental-stand-in.ts';
import { TEXTS } from '../support/texts.ts';

const announced = {
  find: vi.fn(async () => undefined),
  getStatus: vi.fn(async () => ({ kind: 'none' }) as never),
  addMessage: vi.fn(),
  addNotice: vi.fn(),
};
const links = { find: async () => undefined };
const findOperation = vi.fn(async (): Promise<Operation | undefined> => undefined);
const openKinds = (supportUrl: string | undefined) =>
  createNotificationKinds({
    ...{ addressAnnouncements: announced, links, supportUrl },
    kinds: createKinds(KINDS_OF_OPERATIONS),
    findOperation,
    now: () => START + 3_000_000,
  });
const kinds = openKinds('https://support.example/');

type Told<Kind extends NotificationContent['kind']> = Extract<NotificationContent, { kind: Kind }>['data'];

/** Renders several notifications of one kind as the single message that is sent. */
function said<Kind extends NotificationContent['kind']>(
  kind: Kind,
  told: Told<Kind>[],
  language: (typeof LANGUAGES)[number] = 'en',
  unpaid?: Unpaid,
) {
  const of = kinds.find(kind);
  if (of === undefined) throw new Error(`there is no kind ${kind}`);
  const data = told.map((one) => of.data.parse(JSON.parse(JSON.stringify(one))));
  return of.view(TEXTS.in(language), data, { chat: USER, account: ACCOUNT, unpaid });
}

const transfer = { address: ADDRESS, energy_amount: '65000', fee_trx: '0.10' };

/** One example of each kind, and one for each variant of its text. */
const ORDINARY: { [Kind in NotificationContent['kind']]: Told<Kind>[] } = {
  deposit: [
    ...['pending', 'confirmed', 'expired'].flatMap((status) => [
      { status, amount: '12.5', currency: 'TRX', trx: '12.5', txHash: HASH },
      { status, amount: '10', currency: 'USDT', trx: '33.1' },
      { status },
    ]),
  ],
  withdrawal: ['pending', 'completed', 'failed'].map((status) => ({
    ...{ status, to: ADDRESS, trx: '12.50', fee: '1.00', txHash: HASH },
  })),
  'invoice-expired': [
    {
      ...{ id: 'ABCD1234', number: 51, energy: 130_000, hours: 1 },
      ...{ address: ADDRESS, paymentAddress: ADDRESS, card: 40 },
    },
    {
      id: 'ABCD1235',
      number: 52,
      energy: 130_000,
      hours: 1,
      address: ADDRESS,
      note: 'Anna <4>',
      paymentAddress: ADDRESS,
      card: 41,
    },
  ],
  'holder-withdrawal': [{ address: ADDRESS, trx: '12.50' }],
  'holder-linked': [{}],
  address: (['announced', 'blocked', 'expired', 'offered'] as const).map((what) => ({
    ...{ what, id: 'ABCD1234', address: ADDRESS, trx: '12.50', from: Date.parse('2025-06-01T12:00:00Z') },
  })),
  broadcast: [
    { state: 'replayed' as const },
    ...(['done', 'stopped', 'missed'] as const).map((state) => ({ state, ms: 3_600_000 })),
    { state: 'paused' as const },
  ].map((one) => ({
    ...{ id: 'b1', total: 100_000, ...one },
    counts: { sent: 99_990, blocked: 1, deactivated: 2, unreachable: 3, failed: 4, unknown: 0, skipped: 0 },
  })),
  contradiction: [
    { fact: 'amount' as const, ordered: '65000' },
    ...(['address', 'hours', 'price', 'status'] as const).map((fact) => ({
      ...{ fact, ordered: ADDRESS, reported: ADDRESS },
    })),
  ].flatMap((difference) =>
    ['energy', 'bandwidth', 'withdrawal', 'invoice'].map((namespace) => ({
      ...{ account: namespace === 'invoice' ? 0 : ACCOUNT, namespace, difference },
      ...{ order: Number.MAX_SAFE_INTEGER, operation: 'ABCD1234' },
    })),
  ),
  health: (
    [
      ['begun', 'error'],
      ['begun', 'warning'],
      ['over', 'error'],
    ] as const
  ).flatMap(([is, severity]) =>
    (['webhook-replaced', 'outcomes-unknown'] as const).map((problem) => ({
      ...{ check: 'one', is, severity, problem, ms: 180_000 },
      values: {
        ...{ url: 'https://other.example/<b>', expected: 'https://bot.example/updates/telegram' },
        ...{ count: 2, minutes: 7, operation: 'ABCD1234' },
      },
    })),
  ),
  'system-alert': [
    ...(['continuity-unproved', 'guests-full'] as const).map((key) => ({ key })),
    ...(['on', 'off'] as const).map((turn) => ({ key: `maintenance-notice-${turn}` as const, admin: 504 })),
  ],
  operator: [
    { what: 'linked', by: USER },
    { what: 'unlinked', by: USER },
    { what: 'cap', by: USER, trx: '100.00' },
    { what: 'alert', by: USER, trx: '50.00' },
    { what: 'alert', by: USER },
    ...(['low', 'restored'] as const).map((what) => ({ what, balance: '1.20', threshold: '50.00' })),
    { what: 'key', by: USER, at: Date.parse('2025-06-01T12:00:00Z') },
    ...(['done', 'partial', 'failed', 'refused', 'unknown', 'likely', 'closed'] as const).map((outcome) => ({
      ...{ what: 'used' as const, by: USER, id: 'ABCD1234', request: ENERGY, outcome, trx: '2.32' },
    })),
    { what: 'used', by: USER, id: 'ABCD1234', request: ENERGY, outcome: 'done' },
    {
      ...{ what: 'used', by: USER, id: 'ABCD1234', request: ENERGY, outcome: 'done' },
      ...{ trx: '2.32', isEstimate: true },
    },
  ],
  'unreadable-record': (['operation', 'invoice', 'link'] as const).map((what) => ({ what, id: 'ABCD1234' })),
  'low-balance': [
    { balance: '1.20', threshold: '5.00' },
    { balance: '1.20', threshold: '5.00', smartMode: 2 },
  ],
  'rental-ends': [{ request: ENERGY }, { request: BANDWIDTH }, { request: ENERGY, delivered: 32_500 }].map(
    (one) => {
      const [ending, staying] = [
        { id: 'ABCD1234', order: 7, ...one },
        { id: 'EFGH5678', ...one },
      ];
      return {
        ...{ id: 'ABCD1234', request: one.request, until: START, receipt: 7, ending: [ending, ending] },
        staying: one.request === BANDWIDTH ? [] : Array(4).fill({ ...staying, until: START }),
      };
    },
  ),
  'smart-mode': [
    { type: 'smart_mode.transfer', fields: transfer },
    { type: 'smart_mode.paused', fields: { reason: 'no balance' } },
  ],
  'smart-mode-paused': [{ address: ADDRESS, balance: '0.50' }],
  'webhook-status': [{ why: 'elsewhere' }, { why: 'unreached' }, { why: 'off' }],
  event: [{ type: 'package.expired', fields: { name: 'Big one', id: '7' } }],
};
const KINDS = Object.keys(ORDINARY) as NotificationContent['kind'][];
/** Kinds that users can mute. Notifications about money are never among them. */
const MUTABLE = KINDS.filter((kind) => kinds.find(kind)?.mutable && !kinds.find(kind)?.isMoney);

describe.each(LANGUAGES)('in %s', (language) => {
  test.each(KINDS)('renders every %s within message limits, alone and ten together', (kind) => {
    const all: readonly unknown[] = ORDINARY[kind];
    for (const one of all) {
      for (const told of [[one], Array(10).fill(one)]) {
        const view = said(kind, told as never, language);
        expectWithinLimits(view);
        expect(view.html).not.toMatch(/undefined|NaN|\{|\}|null/);
      }
    }
  });

  test.each(MUTABLE)('offers to mute a %s below it, which can be muted', (kind) => {
    for (const one of ORDINARY[kind] as unknown[]) {
      const data = said(kind, [one] as never, language).keyboard.flat();
      const leads = data.some(
        (button) => 'callback_data' in button && /notifications:open|remind-off/.test(button.callback_data),
      );
      expect(leads).toBe(true);
    }
  });

  test('renders a different text for every kind and variant', () => {
    const seen = KINDS.flatMap((kind) =>
      (ORDINARY[kind] as unknown[]).map((one) => said(kind, [one] as never, language).html),
    );
    expect(new Set(seen).size).toBe(seen.length);
  });
});

test.each([
  ...(['unknown', 'likely', 'closed', 'refused'] as const).map((outcome) => ({
    about: { outcome, isEstimate: true as const },
    prices: ['Price: about 2.32 TRX', 'Цена: около 2,32 TRX'],
  })),
  { about: { outcome: 'done' as const }, prices: ['Charged: 2.32 TRX', 'Списано: 2,32 TRX'] },
  {
    about: { outcome: 'done' as const, isEstimate: true as const },
    prices: ['Charged: ≈ 2.32 TRX, the price on the card', 'Списано: ≈ 2,32 TRX, цена с карточки'],
  },
])('says that the operator account was charged only if it is known: $about', ({ about, prices }) => {
  const used = { what: 'used' as const, by: USER, id: 'ABCD1234', request: ENERGY, trx: '2.32', ...about };
  const shown = (['en', 'ru'] as const).map((language) =>
    withoutTags(said('operator', [used], language).html).replaceAll('\u00a0', ' '),
  );
  for (const [at, price] of prices.entries()) expect(shown[at]?.split('\n')).toContain(price);
});

/** Values that a faulty or malicious service could send. */
const ODD = [
  '<b>bold</b><a href="https://evil.example">here</a>',
  '</code><script>&lt;&amp;"\'',
  '\u202egnp.exe\u2066\u2069\u200f',
  '@everybody /start https://evil.example t.me/evil',
  '{ $amount } -term { "x" }',
  `${'👩‍👩‍👧‍👦'.repeat(20)}`,
  'x'.repeat(300),
  '-1',
  '1e309',
  'NaN',
  '0',
  '',
  ' ',
  '999999999999999999999999999999999999999',
  '0.0000000000000000000000000000000000001',
];

/** Expects balanced `b`, `i` and `code` tags, no other tags, and escaped text. */
function expectEscaped(html: string): void {
  const rest = html.replace(/<\/?(b|i|code)>|<tg-time unix="\d+" format="\w+">|<\/tg-time>/g, '');
  expect(rest).not.toMatch(/[<>]/);
  expect(rest).not.toMatch(/&(?!(lt|gt|amp|quot|#\d+);)/);
  let open: string | undefined;
  for (const [, slash, tag] of html.matchAll(/<(\/?)(b|i|code)>/g)) {
    if (slash) expect(tag).toBe(open);
    else expect(open).toBeUndefined();
    open = slash ? undefined : tag;
  }
  expect(open).toBeUndefined();
}

test.each(ODD)('escapes values from the service: %j', (odd) => {
  const all = [
    said('deposit', [{ status: odd, amount: odd, currency: odd, trx: odd }]),
    said('deposit', [{ status: 'confirmed', amount: odd, currency: 'USDT', trx: odd }]),
    said('withdrawal', [{ status: odd, to: odd, trx: odd, fee: odd, txHash: odd }]),
    said('holder-withdrawal', [{ address: odd, trx: odd }]),
    said('address', [{ what: 'announced', id: 'ABCD1234', address: odd, trx: odd, from: 0 }]),
    said('low-balance', [{ balance: odd, threshold: odd }]),
    said('smart-mode', [{ type: odd, fields: { [odd]: odd } }]),
    said('smart-mode', [
      { type: 'smart_mode.transfer', fields: { ...transfer, fee_trx: odd } },
      { type: 'smart_mode.transfer', fields: { ...transfer, energy_amount: odd } },
      { type: 'smart_mode.transfer', fields: { ...transfer, address: odd } },
    ]),
    said('event', [{ type: odd, fields: { [odd]: odd } }]),
  ];
  for (const view of all) {
    expectEscaped(view.html);
    expectWithinLimits(view);
  }
});

test.each(['-1', '0', 'NaN', '1e9', '1'.repeat(17), '', 'a lot', '1,5'])(
  'omits an invalid amount of a deposit (%j)',
  (amount) => {
    const { html } = said('deposit', [{ status: 'confirmed', amount, currency: 'TRX', trx: amount }]);
    expect(html).toContain('A deposit was credited');
  },
);

const DEPOSIT = { status: 'confirmed', amount: '10', currency: 'TRX' };
const SENT_TRX = { status: 'completed', to: ADDRESS, trx: '5' };
const ANNOUNCED = { what: 'announced', id: 'ABCD1234', address: ADDRESS, trx: '12.50', from: 0 } as const;
const transferWithFee = (fee_trx: string) => ({
  type: 'smart_mode.transfer',
  fields: { ...transfer, fee_trx },
});

test.each<[string, NotificationContent['kind'], object, text: string]>([
  ['credited TRX', 'deposit', { ...DEPOSIT, currency: 'USDT', trx: '33.10' }, '<b>33.10 TRX</b> credited'],
  ['paid USDT', 'deposit', { ...DEPOSIT, currency: 'USDT', trx: '33.10' }, '<b>10.00 USDT</b> received'],
  ['no amount in an unknown currency', 'deposit', { ...DEPOSIT, currency: 'DOGE' }, 'A deposit was credited'],
  ['the transaction of a deposit', 'deposit', { ...DEPOSIT, txHash: HASH }, `transaction/${HASH}">View`],
  [
    'the transaction of a withdrawal',
    'withdrawal',
    { ...SENT_TRX, txHash: HASH },
    `transaction/${HASH}">View`,
  ],
  ['an unknown deposit status as pending', 'deposit', { ...DEPOSIT, status: 'rejected' }, 'is on its way'],
  ['no fee if the service names none', 'withdrawal', SENT_TRX, '<b>5.00 TRX</b> was sent to'],
  ['an unknown withdrawal status as pending', 'withdrawal', { ...SENT_TRX, status: 'held' }, 'is being sent'],
  ['a negative fee as an unknown event', 'smart-mode', transferWithFee('-1'), '<code>smart_mode.transfer<'],
  ['a huge fee as an unknown event', 'smart-mode', transferWithFee('9'.repeat(30)), 'smart_mode.transfer<'],
  ['the amount for a new address', 'address', ANNOUNCED, 'Withdrawal of 12.50 TRX from account'],
])('shows %s: %s', (_, kind, data, text) => {
  expect(said(kind, [data] as never).html).toContain(text);
});

test.each([
  ['4.23', /New balance: <b>3\.00 TRX<\/b>\nStill missing for ⚡ Energy: about <b>1\.23 TRX<\/b>$/],
  ['3.00', /New balance: <b>3\.00 TRX<\/b>$/],
])('names what a deposit leaves missing for the operation that waits for it: %s', (estimate, text) => {
  const unpaid = { kind: 'energy', estimate };
  expect(said('deposit', [{ ...DEPOSIT, balance: '3.00' }], 'en', unpaid).html).toMatch(text);
});

test('shows the latest balance once below several deposits', () => {
  const credited = ['1005.00', '1015.5'].map((balance) => ({ ...DEPOSIT, balance }));
  const { html } = said('deposit', [...credited, { ...DEPOSIT, status: 'pending' }]);
  expect(html).toMatch(/New balance: <b>1,015.50 TRX<\/b>$/);
  expect(html).not.toContain('1,005');
});

test('does not show the amount of a deposit in an unknown currency, nor an unknown status as credited', () => {
  expect(said('deposit', [{ ...DEPOSIT, currency: 'DOGE' }]).html).not.toMatch(/10|DOGE/);
  expect(said('deposit', [{ ...DEPOSIT, status: 'rejected' }]).html).not.toContain('credited');
});

test('an expired deposit leads to support', () => {
  const expired = { status: 'expired', currency: 'TRX', amount: '7' };
  expect(JSON.stringify(said('deposit', [expired] as never).keyboard)).toContain('https://support.example');
});

test('replies to the card of an invoice that expired, and to the receipt of a rental that ends', () => {
  const [invoice, rental] = [ORDINARY['invoice-expired'][0], { ...ORDINARY['rental-ends'][0], receipt: 41 }];
  expect(kinds.find('invoice-expired')?.replyTo?.(invoice)).toBe(40);
  expect(kinds.find('rental-ends')?.replyTo?.(rental)).toBe(41);
});

test('offers the buttons that fit each notification', () => {
  const carried = (kind: NotificationContent['kind']) =>
    Object.values(buttonsOf(said(kind, [ORDINARY[kind][0]] as never)));
  expect(carried('low-balance')).toEqual(['deposit:open', 'menu:open']);
  expect(carried('webhook-status')).toEqual(['reports:open', 'notifications:open', 'menu:open']);
  expect(carried('address')).toEqual(['announced:ask-block:ABCD1234']);
  const ofExpired = ['invoices:only:ended', 'notifications:open', 'menu:open'];
  expect(carried('invoice-expired')).toEqual(['invoice:again:ABCD1234', ...ofExpired]);
  // Several in one message: the list has the buttons of each.
  expect(Object.values(buttonsOf(said('invoice-expired', ORDINARY['invoice-expired'])))).toEqual(ofExpired);
  expect(carried('system-alert')).toEqual([]);
  expect(said('invoice-expired', ORDINARY['invoice-expired']).html).toContain('Anna &#60;4&#62;');
  expect(carried('event')).toEqual(['webhook-log:open', 'notifications:open', 'menu:open']);
  expect(carried('smart-mode')).toEqual(['notifications:open', 'menu:open']);
  for (const kind of ['deposit', 'withdrawal'] as const) expect(carried(kind)).toEqual(['menu:open']);
  const ofDeposit = (unpaid?: Unpaid) => buttonsOf(said('deposit', [DEPOSIT], 'en', unpaid));
  expect(Object.values(ofDeposit())).toEqual(['menu:balance', 'menu:open']);
  expect(ofDeposit({ kind: 'energy', estimate: undefined })).toMatchObject({
    '▶️ Continue: ⚡ Energy': 'menu:continue',
  });
});

test('each button of each notification has a handler, also if the notification is sent again', async () => {
  const { features } = await openChat('en', { admins: new Set([USER]) });
  const router = createRouter(features);
  const ofFeatures = FEATURES.flatMap(({ notifications = [] }) => notifications);
  const all = [
    ...KINDS.map((name) => ({ kind: kinds.find(name), samples: ORDINARY[name] as readonly unknown[] })),
    ...ofFeatures.map((kind) => ({ kind: kind as NotificationKind, samples: kind.samples })),
  ];
  const seen = all.flatMap(({ kind, samples }) =>
    samples.flatMap((data) => {
      if (kind === undefined) throw new Error('a kind is missing');
      const notification = { kind: kind.name, id: '1', isMoney: false, data, queuedAt: 0, failedAttempts: 0 };
      const group = { kind, pending: [{ name: '1', notification }] };
      return [[], [group]].flatMap((unclear) =>
        Object.values(buttonsOf(compose(TEXTS, group, { chat: USER, language: 'en', unclear }).view)),
      );
    }),
  );
  for (const data of [...seen, '++state:open'].filter(Boolean))
    expect([data, router.routeTap(data, { from: { id: USER } } as BotContext)?.feature.name]).toEqual([
      data,
      expect.any(String),
    ]);
  expect(seen).toEqual(expect.arrayContaining(['+state:open', '+unresolved:open']));
});

test('an alert that a problem is over quotes it as past', () => {
  const [over] = (ORDINARY.health as readonly { is: string }[]).filter(({ is }) => is === 'over');
  const texts = LANGUAGES.map(
    (language) =>
      kinds.find('health')?.view(TEXTS.in(language), [over], { chat: USER, account: undefined }).html,
  );
  expect(texts).toEqual([
    expect.stringMatching(/^✅ <b>A problem is over<\/b> after 3.min\.\nIt was: <i>“.*”<\/i>$/),
    expect.stringMatching(/^✅ <b>Неполадка прошла<\/b>: длилась 3.мин\.\nБыло так: <i>«.*»<\/i>$/),
  ]);
});

test('an alert that several problems of a check are over names each', () => {
  const alert = {
    ...{ check: 'storage', is: 'over', problem: 'redis-unreachable', severity: 'error', ms: 180_000 },
    ...{ values: { cause: 'timeout', why: '' }, earlier: [{ problem: 'redis-full', values: {} }] },
  };
  const texts = LANGUAGES.map(
    (language) =>
      kinds.find('health')?.view(TEXTS.in(language), [alert], { chat: USER, account: undefined }).html,
  );
  expect(texts).toEqual([
    expect.stringMatching(
      /^✅ <b>2 problems are over<\/b> after 3.min\.\nLast: <i>“.+”<\/i>\nBefore: <i>“.+”<\/i>$/,
    ),
    expect.stringMatching(
      /^✅ <b>Неполадки прошли<\/b>: длились 3.мин\.\nПоследняя: <i>«.+»<\/i>\nДо неё: <i>«.+»<\/i>$/,
    ),
  ]);
});

test('an alert about unknown results leads to them only while there are some', () => {
  const samples = ORDINARY.health as readonly { is: string; problem: string }[];
  for (const alert of samples) {
    const view = kinds.find('health')?.view(TEXTS.in('en'), [alert], { chat: USER, account: undefined });
    const isOpen = alert.is === 'begun' && alert.problem === 'outcomes-unknown';
    expect(Object.values(view ? buttonsOf(view) : {}).includes('unresolved:open')).toBe(isOpen);
  }
});

describe('Smart Mode deliveries', () => {
  const OTHER = 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf';
  const to = (address: string, energy_amount = '65000') => ({
    type: 'smart_mode.transfer',
    fields: { ...transfer, address, energy_amount },
  });

  test('lists deliveries by address below one headline', () => {
    const { html } = said('smart-mode', [to(ADDRESS), to(OTHER), to(ADDRESS, '131000'), to(ADDRESS)]);
    expect(html.split('\n')).toEqual([
      '🔁 <b>Smart Mode delivered energy</b>',
      '',
      `For <code>${ADDRESS}</code>`,
      '• 65,000 energy, fee 0.10 TRX ×2',
      '• 131,000 energy, fee 0.10 TRX',
      '',
      `For <code>${OTHER}</code>`,
      '• 65,000 energy, fee 0.10 TRX',
    ]);
  });

  test('lists deliveries before unknown Smart Mode events and adds their buttons', () => {
    const view = said('smart-mode', [...ORDINARY['smart-mode']]);
    expect(view.html).toMatch(/delivered energy<\/b>[\s\S]*Unknown event[\s\S]*smart_mode\.paused/);
    expect(Object.values(buttonsOf(view))).toEqual(['webhook-log:open', 'notifications:open', 'menu:open']);
  });
});

test('shows an unknown event’s type and values as code, with a hint', () => {
  const { html } = said('event', [...ORDINARY.event]);
  expect(html.split('\n')).toEqual([
    '📨 <b>Unknown event from the service</b>',
    '',
    'Type: <code>package.expired</code>',
    'name: <code>Big one</code>',
    'id: <code>7</code>',
    '',
    expect.stringMatching(
      /^Ask the service what it means\. See <i>📨 Webhook log<\/i>, .* <i>🔔 Notifications/,
    ),
  ]);
  expect(said('event', [...ORDINARY.event], 'ru').html).toContain('Неизвестное событие от сервиса');
});

describe('a notification that is no longer relevant', () => {
  const isStillRelevant = (
    kind: NotificationContent['kind'],
    data: unknown,
    account: number | undefined = ACCOUNT,
    chat = USER,
  ) => kinds.find(kind)?.isStillRelevant?.(data, { chat, account });

  test('drops an offered address that no longer exists, but keeps announced and removed ones', async () => {
    const [announcement, blocked, , offered] = ORDINARY.address;
    expect(await isStillRelevant('address', offered)).toBe(false);
    expect(await isStillRelevant('address', announcement)).toBe(true);
    expect(await isStillRelevant('address', blocked)).toBe(true);
  });

  test.each([
    ['keeps a reminder before the end', { settledBy: 'reply', settledAt: START }, true],
    ['drops a reminder after the end', { settledBy: 'reply', settledAt: START - 3_600_000 }, false],
    [
      'drops a reminder of a failed order',
      { settledBy: 'reply', settledAt: START, result: { status: 'failed' } },
      false,
    ],
  ] as const)('%s', async (_, operation, isKept) => {
    findOperation.mockResolvedValueOnce(operationIn('done', operation));
    expect(await isStillRelevant('rental-ends', ORDINARY['rental-ends'][0])).toBe(isKept);
  });

  test('drops a reminder of an operation that is missing', async () => {
    expect(await isStillRelevant('rental-ends', ORDINARY['rental-ends'][0])).toBe(false);
  });
});

test('does not know unregistered kinds', () => {
  expect(kinds.find('of-tomorrow')).toBeUndefined();
  expect(kinds.find('constructor')).toBeUndefined();
});

describe('the fields of an event', () => {
  test.each([
    ['shows plain values as they are', { a: 'text', b: 5, c: true }, { a: 'text', b: '5', c: 'true' }],
    ['omits nested and empty values', { a: { b: 1 }, c: [1], d: null, e: undefined, f: 1 }, { f: '1' }],
    ['removes invisible characters', { 'a\u202e\u0000b': 'x\n\u200by\u202ez' }, { 'a b': 'x y z' }],
    [
      'shortens long names and values',
      { ['n'.repeat(99)]: 'v'.repeat(999) },
      { [`${'n'.repeat(31)}…`]: `${'v'.repeat(63)}…` },
    ],
    ['accepts an empty object', {}, {}],
  ])('%s', (_, data, shown) => {
    expect(displayableFields(data)).toEqual(shown);
  });

  test('shows the first eight fields', () => {
    const data = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field-${at}`, at]));
    expect(Object.keys(displayableFields(data))).toEqual(Object.keys(data).slice(0, 8));
  });

  test('treats names of built-in properties like others', () => {
    const data: Record<string, unknown> = JSON.parse('{"__proto__":"x","constructor":"y"}');
    expect(displayableFields(data)).toMatchObject({ constructor: 'y' });
    expect(Object.getPrototypeOf(displayableFields(data))).toBe(Object.prototype);
  });
});

test('a reminder names the orders that end, and the rentals that stay', () => {
  const part = { id: 'ABCD1234', request: ENERGY };
  const ending = [
    { ...part, order: 7 },
    { ...part, order: 8 },
  ];
  const staying = [{ ...part, until: START + 120_000 }];
  const about = { ...part, until: START, ending, staying };
  const text = withoutTags(said('rental-ends', [about]).html);
  expect(text).toMatch(
    /65,000 energy \+ 65,000 energy expire at 12:00 UTC\n.*\nOrders 7, 8\nStill rented until/,
  );
  expect(text).toMatch(/1 Jun, 12:02 UTC: 65,000 energy$/);
  expect(said('rental-ends', [{ ...about, staying: [] }]).html).toContain('Nothing else you rented');
  const named = said('rental-ends', [{ ...about, savedName: 'Hot & cold' }]).html;
  expect(named).toContain(`<code>${ENERGY.address}</code> · Hot &#38; cold`);
});
