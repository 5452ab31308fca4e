import { randomBytes } from 'node:crypto';
import type { InlineKeyboardMarkup } from 'grammy/types';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Feature, FeatureButton } from '../../src/bot/feature.ts';
import { commandsOf, createButtonTokens } from '../../src/bot/router.ts';
import type { Broadcast } from '../../src/broadcasts/store.ts';
import { FEATURES } from '../../src/features/features.ts';
import { MINUTE_MS } from '../../src/platform/clock.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { callbackData, readCallbackData, replyBelow, withToken } from '../../src/views/callback-data.ts';
import { START, USER } from '../operations/operations-setup.ts';
import {
  ACCOUNT,
  ADDRESS,
  API_KEY,
  accepted,
  changingCalls,
  OFFLINE,
  profileOf,
  subscription,
} from '../operations/rental-stand-in.ts';
import { eventually } from '../support/eventually.ts';
import { recordWrites } from '../support/recorded-writes.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { OPERATOR_ACCOUNT, OTHER_ADDRESS, openChat, sell } from './chat.ts';
import { BROADCAST, broadcast } from './mocked-broadcasts.ts';

const OTHER_USER = 7_000_000_001;
const THIRD_ADDRESS = 'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig';
const YEAR_MS = 365 * 24 * 3600_000;

const ROLES = ['guest', 'holder', 'merchant', 'admin'] as const;
type Role = (typeof ROLES)[number];
const LINKED: readonly Role[] = ['holder', 'merchant', 'admin'];
const ADMIN: readonly Role[] = ['admin'];

/** Opens a chat as a user with this role, on a storage whose writes are recorded. */
async function openAs(role: Role) {
  // The flood guard resets its counters by an interval.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let now = () => START;
  const { storage, take } = recordWrites(createMemoryStorage({ now: () => now() }));
  const begin = vi.fn(async () => {});
  const chat = await openChat('en', {
    storage,
    linked: role !== 'guest',
    userErasure: { request: begin, hasStarted: async () => false, wasConfirmedSince: async () => false },
    admins: new Set(role === 'admin' ? [USER] : []),
  });
  const { setup, deps, users, links, casting } = chat;
  now = () => setup.clock.now;
  setup.rental.subscriptions.mockResolvedValue(accepted([subscription()]));
  setup.rental.invoice.mockResolvedValue(OFFLINE);
  setup.rental.configureWebhook.mockImplementation(async (_key, { url }) =>
    accepted({ url, active: url !== '', secret: 'a-secret-of-the-service', created_at: undefined }),
  );
  if (role === 'merchant') await links.setMerchant(USER, true);
  for (const address of [OTHER_ADDRESS, ADDRESS]) await deps.addressBook.remember(USER, address);
  await users.recordActivity(OTHER_USER, 'en', undefined);
  await chat.write('/start');

  const requests = () =>
    Object.values(rental.withPriority()).reduce((sum, { mock }) => sum + mock.calls.length, 0);
  const { broadcasts } = casting;
  const { rental } = setup;
  const elsewhere = [
    ...[begin, broadcasts.start, broadcasts.pause, broadcasts.resume, broadcasts.stop],
    ...changingCalls(rental),
  ];
  const changesElsewhere = () => elsewhere.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  /** Returns the keys and chat fields that an update wrote, and counts its requests and its changes outside of the storage. */
  async function effectsOf(update: () => Promise<unknown>) {
    take();
    const before = { calls: chat.calls.length, requests: requests(), elsewhere: changesElsewhere() };
    vi.advanceTimersByTime(5_000);
    await update();
    return {
      written: take(),
      calls: chat.calls.slice(before.calls).map(({ method }) => method),
      requests: requests() - before.requests,
      elsewhere: changesElsewhere() - before.elsewhere,
    };
  }
  return { ...chat, effectsOf };
}
type Chat = Awaited<ReturnType<typeof openAs>>;

/** Returns the callback data of all buttons ever shown in the chat, latest last. */
function shownData({ calls }: Chat): string[] {
  return calls.flatMap(({ payload }) => {
    const { inline_keyboard: rows = [] } = (payload.reply_markup ?? {}) as Partial<InlineKeyboardMarkup>;
    return rows.flat().flatMap((one) => ('callback_data' in one ? [one.callback_data] : []));
  });
}

async function announce({ setup }: Chat) {
  const announcement = { user: USER, account: ACCOUNT, address: OTHER_ADDRESS, trx: '5.00' };
  const made = await setup.addressAnnouncements.draft(announcement);
  if (made) await setup.addressAnnouncements.add(made);
  return made?.id;
}

/** Texts and taps that lead to a button, or `sent` if it is on a message sent outside of updates. */
type Path = readonly string[] | { sent: string };

interface Shown {
  /** The roles that have the button. */
  roles: readonly Role[];
  path(chat: Chat): Promise<Path>;
}

/** Declares a button that these inputs lead to, after `prepare`. */
const shown = (roles: readonly Role[], path: Path, prepare?: (chat: Chat) => Promise<unknown>): Shown => ({
  roles,
  async path(chat) {
    await prepare?.(chat);
    return path;
  },
});
const linked = (...inputs: string[]) => shown(LINKED, inputs);
const admin = (...inputs: string[]) => shown(ADMIN, inputs);

/** Returns the ways to changing buttons that an example of stored data leads to. */
async function waysByExample(): Promise<Record<string, Shown>> {
  const ways = FEATURES.map(async ({ stores: { example } = {} }, at) => {
    if (example === undefined) return [];
    const chat = await openChat('en');
    await chat.input(...example);
    const data = chat.data();
    return namesOf(chat.features.slice(at, at + 1), isChanging)
      .filter((name) => data.some((one) => one === name || one.startsWith(`${name}:`)))
      .map((name) => [name, linked(...example)] as const);
  });
  return Object.fromEntries((await Promise.all(ways)).flat());
}

const activateReports =
  (account: number) =>
  ({ webhookSubscriptions }: Chat) =>
    webhookSubscriptions.activate('a-hook', account, 'a-secret');
const putBroadcast = (state: Broadcast['state']) => async (chat: Chat) =>
  chat.casting.put(broadcast({ state }));

/** Ways to the buttons that change something. A button where its feature's `stores.example` ends needs no entry. */
const SHOWN: Readonly<Record<string, Shown>> = {
  ...(await waysByExample()),
  'settings:sell': linked('/settings'),
  'settings:news': shown(ROLES, ['/settings']),
  'settings:hours': shown(ROLES, ['/settings']),
  'settings:language': shown(ROLES, ['/settings']),
  'notifications:mute': linked('/notifications'),
  'notifications:unmute': linked('/notifications', 'notifications:mute:orders'),
  'account:unlink-yes': linked('/account', 'account:unlink'),
  'reports:on': linked('reports:open'),
  'reports:off-yes': shown(LINKED, ['/account', 'reports:off:account'], activateReports(ACCOUNT)),
  'reports:operator-on': admin('reports:operator'),
  'reports:operator-off-yes': shown(
    ADMIN,
    ['reports:operator-off:events'],
    activateReports(OPERATOR_ACCOUNT),
  ),
  'announced:block': {
    roles: LINKED,
    path: async (chat) => [callbackData('announced', 'ask-block', await announce(chat))],
  },
  'announced:cancel': {
    roles: LINKED,
    path: async (chat) => ({ sent: callbackData('announced', 'cancel', await announce(chat)) }),
  },
  'announced:card': {
    roles: LINKED,
    async path(chat) {
      const id = await announce(chat);
      chat.setup.clock.now += 10 * MINUTE_MS;
      return { sent: replyBelow(callbackData('announced', 'card', id)) };
    },
  },
  'announcements:off': shown(ROLES, { sent: '+announcements:off' }),
  'announcements:on': shown(ROLES, ['announcements:off']),
  'forget:yes': shown(ROLES, ['/forget']),
  'state:turn-on': admin('/state', 'state:ask-on'),
  'state:turn-off': shown(ADMIN, ['/state', 'state:ask-off'], ({ deps }) => deps.maintenance.turnOn(USER)),
  'people:copy': admin(`people:one:${OTHER_USER}`),
  'people:erase-yes': admin(`people:one:${OTHER_USER}`, `people:erase:${OTHER_USER}`),
  'people:ban-yes': admin(`people:one:${OTHER_USER}`, `people:ban:${OTHER_USER}`),
  'people:unban': shown(ADMIN, [`people:one:${OTHER_USER}`], ({ users }) =>
    users.setBanned(OTHER_USER, true),
  ),
  'operator:link': shown(ADMIN, ['/operator'], ({ links }) => links.unlink(USER)),
  'operator:replace': admin('/operator', 'operator:link'),
  'link:replace': shown(LINKED, ['/link', 'a-key-of-another-account'], async ({ setup }) => {
    const { value } = profileOf('5.00');
    setup.rental.profile.mockResolvedValue(accepted({ ...value, id: ACCOUNT + 1 }));
  }),
  'unresolved:ask': {
    roles: ADMIN,
    async path({ setup }) {
      const { user, id } = await setup.lost();
      return [`unresolved:one:${user}_${id}`];
    },
  },
  'unresolved:decide': {
    roles: ADMIN,
    async path({ setup }) {
      const { user, id } = await setup.lost();
      await setup.pass(9_000);
      return [`unresolved:went:${user}_${id}`, 'seen on the chain'];
    },
  },
  'broadcast:new': admin('/broadcast'),
  'broadcast:pause': shown(ADMIN, ['/broadcast'], putBroadcast('sending')),
  'broadcast:resume': shown(ADMIN, { sent: `broadcast:resume:${BROADCAST}` }, putBroadcast('paused')),
  'broadcast:stop-yes': shown(ADMIN, [`broadcast:stop:${BROADCAST}`], putBroadcast('sending')),
  'invoice:share': {
    roles: ROLES,
    async path(chat) {
      const made = await sell(chat);
      await chat.invoices.shares.revoke(made);
      return [`invoice:show:${made.id}`];
    },
  },
  'invoice:revoke': { roles: ROLES, path: async (chat) => [`invoice:show:${(await sell(chat)).id}`] },
  'operation:checked': {
    roles: LINKED,
    path: async ({ setup }) => ({ sent: `operation:checked:${(await setup.lost()).id}` }),
  },
  'operation:sell': {
    roles: LINKED,
    path: async (chat) => ({ sent: `operation:sell:${(await sell(chat)).id}` }),
  },
  'operation:remind': {
    roles: LINKED,
    path: async ({ setup }) => ({ sent: `operation:remind:${(await setup.executed()).id}` }),
  },
  'operation:unremind': {
    roles: LINKED,
    async path({ deps, setup }) {
      await deps.notificationSettings.setMuted(USER, 'rentals', false);
      return { sent: `operation:unremind:${(await setup.executed()).id}` };
    },
  },
  'operation:remind-off': {
    roles: LINKED,
    async path({ deps }) {
      await deps.notificationSettings.setMuted(USER, 'rentals', false);
      return { sent: 'operation:remind-off' };
    },
  },
  'addresses:prefer': linked(`addresses:one:${ADDRESS}`),
  'addresses:prefer-none': shown(LINKED, [`addresses:one:${ADDRESS}`], ({ deps }) =>
    deps.addressBook.setDefault(USER, ADDRESS),
  ),
  'addresses:remove-yes': linked(`addresses:remove:${ADDRESS}`),
  'smart-mode:pause': linked('/smart'),
  'smart-mode:resume': shown(LINKED, ['/smart'], async ({ setup }) =>
    setup.rental.subscriptions.mockResolvedValue(accepted([subscription({ status: 'paused' })])),
  ),
};

/** Buttons that change something and that no message has: only words name them. */
const NAMED: readonly string[] = ['settings:english', 'settings:russian'];

/** Buttons that change something without a token, each with the restriction that its handler enforces instead. */
const WITHOUT_TOKEN: Readonly<Record<string, string>> = {
  'operation:confirm': 'claims only the open draft, on the message that the session names as its card',
  'operation:cancel':
    'cancels only the open draft on that message, or a draft awaiting its code on its recorded card',
  'operation:back': 'cancels like Cancel',
  'operation:more': 'cancels like Cancel',
  'operation:option': 'replaces only the open draft on that message',
  'operation:refresh': 'replaces only the open draft on that message',
};

function namesOf(features: readonly Feature[], is: (button: FeatureButton) => boolean): string[] {
  return features.flatMap(({ name, buttons = {} }) =>
    Object.entries(buttons).flatMap(([button, declared]) => (is(declared) ? [`${name}:${button}`] : [])),
  );
}
const isChanging = (button: FeatureButton) => typeof button === 'object' && 'changes' in button;
const isDeciding = (button: FeatureButton) => typeof button === 'object' && 'decides' in button;

/** Makes the bot show the button. Returns its callback data. */
async function show(chat: Chat, name: string): Promise<string> {
  const path = (await SHOWN[name]?.path(chat)) ?? [];
  if ('sent' in path) return chat.sentData(path.sent);
  for (const step of path) {
    vi.advanceTimersByTime(5_000);
    await (/^\+?[a-z-]+:/.test(step) ? chat.tapShown(step) : chat.write(step));
  }
  const isIt = (data: string) => data.startsWith(`${name}:`) || data.startsWith(`${name}~`);
  return shownData(chat).findLast(isIt) ?? expect.fail(`${name} isn't shown by ${path}`);
}

const EXPIRED = { written: [], calls: ['answerCallbackQuery'], requests: 0, elsewhere: 0 };

test('SHOWN, NAMED and WITHOUT_TOKEN list every button that changes something', async () => {
  const { features } = await openAs('admin');
  const missing = (names: readonly string[], list: object, duty: string) =>
    names.filter((name) => !(name in list)).map((name) => `${name}: ${duty}`);
  const [changing, deciding] = [namesOf(features, isChanging), namesOf(features, isDeciding)];
  expect(changing).toEqual(expect.arrayContaining([...NAMED]));
  expect([
    ...missing(
      changing.filter((name) => !NAMED.includes(name)),
      SHOWN,
      'add inputs that lead to it to SHOWN, or end `stores.example` where it is shown',
    ),
    ...missing(deciding, WITHOUT_TOKEN, 'add what its handler checks instead of a token to WITHOUT_TOKEN'),
    ...Object.keys({ ...SHOWN, ...WITHOUT_TOKEN })
      .filter((name) => ![...changing, ...deciding].includes(name))
      .map((name) => `${name}: remove it from SHOWN or WITHOUT_TOKEN, because it changes nothing`),
  ]).toEqual([]);
});

describe.each(ROLES)('a button that changes something, tapped by a %s', (role) => {
  const names = Object.keys(SHOWN).filter((name) => SHOWN[name]?.roles.includes(role));

  test.each(names)('works once, and only with its own token: %s', async (name) => {
    const chat = await openAs(role);
    const data = await show(chat, name);
    expect(data).toMatch(/~[\w-]{20}$/);
    expect(data.length).toBeLessThanOrEqual(64);
    const bare = data.replace(/~[\w-]{20}$/, '');
    const { argument = '' } = readCallbackData(bare) ?? {};
    const tokenOf = (sent: string) => readCallbackData(sent)?.token ?? expect.fail(`${sent} has no token`);
    const sentTo = (to: number, by = chat.buttonTokens) => chat.sentData(bare, { to, by });
    const { clock } = chat.setup;
    clock.now -= YEAR_MS;
    const old = await sentTo(USER);
    clock.now += YEAR_MS;
    const used = await sentTo(USER);
    await chat.buttonTokens.redeem({ chat: USER, update: 1, data: used });
    const strange = createButtonTokens([randomBytes(32)], {
      storage: chat.setup.storage,
      features: () => chat.features,
      now: () => clock.now,
    });
    const forged: [string, string][] = [
      ['no token', bare],
      ['a made-up token', withToken(bare, 'A'.repeat(20))],
      ['the token of another chat', withToken(bare, tokenOf(await sentTo(USER + 1)))],
      ['the token of another bot', withToken(bare, tokenOf(await sentTo(USER, strange)))],
      ['the token of another argument', withToken(bare, tokenOf(await chat.sentData(`${name}:another`)))],
      ['an expired token', old],
      ['a used token', used],
    ];
    // Tokens are checked in the same way for each role, and an admin has all buttons.
    const others = role === 'admin' ? Object.keys(SHOWN).filter((one) => one !== name) : [];
    for (const other of others) {
      const theirs = await chat.sentData(argument === '' ? other : `${other}:${argument}`);
      // With a long name, this argument leaves no space for a token.
      const { token } = readCallbackData(theirs) ?? {};
      if (token) forged.push([`the token of ${other}`, withToken(bare, token)]);
    }
    for (const [what, given] of forged) {
      for (const carried of [true, false]) {
        const effects = await chat.effectsOf(() => chat.forge(given, { carried }));
        expect(effects, `${what}: ${given}`).toEqual(EXPIRED);
        expect(chat.toast()).toBe(chat.words.plain('toast-button-expired'));
      }
    }

    const genuine = await chat.effectsOf(() => chat.forge(data, { carried: true }));
    expect(chat.toast()).not.toBe(chat.words.plain('toast-button-expired'));
    const changed = genuine.written.filter((key) => !key.startsWith('button-used:'));
    expect(changed.length + genuine.elsewhere).toBeGreaterThan(0);
    await chat.write('/help');
    // Invoice cards are updated in the background.
    await eventually(async () =>
      expect(await storedKeys(chat.setup.storage, 'updating-invoice-cards:')).toEqual([]),
    );
    expect(await chat.effectsOf(() => chat.forge(data, { carried: true }))).toEqual(EXPIRED);
  });

  test('does nothing if the role does not have it', async () => {
    const chat = await openAs(role);
    for (const name of Object.keys(SHOWN).filter((one) => !names.includes(one))) {
      for (const data of [name, `${name}:${USER}`, `+${name}`])
        expect(await chat.effectsOf(() => chat.forge(data, { carried: true })), data).toEqual(EXPIRED);
    }
  });
});

/** Opens a chat with data for most buttons. `outside`: buttons that no screen of this chat leads to. */
async function openFurnished(role: Role) {
  const chat = await openAs(role);
  const { setup, webhookSubscriptions, deps, links, casting } = chat;
  const sold = await sell(chat);
  // A guest may have bought with an account that was unlinked since.
  if (role === 'guest') await links.link(USER, ACCOUNT, API_KEY, 'en');
  const bought = await setup.claimed();
  await setup.advance(bought);
  const lost = await setup.lost();
  await setup.pass(9_000);
  if (role === 'guest') await links.unlink(USER);
  await webhookSubscriptions.activate('a-hook', ACCOUNT, 'a-secret');
  await deps.adminLog.add(USER, 'maintenance-on');
  casting.put(broadcast());
  const card = (button: string, of = bought.id) => callbackData('operation', button, of);
  const announced = await announce(chat);
  const outside = [
    callbackData('announced', 'ask-block', announced),
    callbackData('announced', 'keep', announced),
    ...['about', 'safe', 'wrong'].map((topic) => `help:${topic}`),
    'questions:arrival',
    'questions:status',
    'history:money',
    'history:spent',
    'questions:energy',
    'questions:latest',
    'questions:invoice',
    'questions:money',
    'questions:part',
    'questions:left',
    'questions:customer',
    'questions:unwanted',
    'help:twice',
    'announced:waiting',
    `announced:again:${ADDRESS}`,
    'movements:older:1',
    'invoices:sold',
    'invoices:delivered',
    'settings:customers',
    'help:support',
    'history:found:1_ABCD1234',
    card('menu'),
    card('again'),
    card('show', lost.id),
    `addresses:card:${lost.id}`,
    '+help:topic:unknown',
    'help:page:10',
    'help:payment',
    'help:failed',
    'help:burned',
    'questions:paid',
    'invoices:unpaid',
    'invoices:expired',
    'invoices:find',
    'reports:later',
    'link:keep',
    'reports:operator-later',
    'broadcast:continue',
    `broadcast:show:${BROADCAST}`,
    `invoice:again:${sold.id}`,
    `invoice:another:${sold.id}`,
    `invoice:look:${chat.invoices.shares.tokenOf(sold)}`,
    `invoice:opened:${chat.invoices.shares.tokenOf(sold)}`,
    `unresolved:leave:${USER}_${lost.id}`,
    'packages:of:25',
    'prices:chart',
    'help:return',
    'menu:continue',
    'invoices:older:all',
    'invoices:only:paid',
    'history:kind:energy',
    'history:older:all',
    'admin-log:older:made-up',
    'link:cancel',
    'settings:selling',
    'settings:stop-selling',
    `energy:to:${ADDRESS}`,
    'reports:open',
    'reports:operator-off:events',
    'addresses:page:6',
    `addresses:more:${ADDRESS}`,
    `addresses:order:${OTHER_ADDRESS}`,
    `addresses:save:${THIRD_ADDRESS}`,
    'webhook-log:one:1',
    'state:ask-off',
    `broadcast:stop:${BROADCAST}`,
    `people:one:${OTHER_USER}`,
    `people:results:a${ADDRESS}`,
    `people:older:${OTHER_USER}_${bought.id}`,
    `people:ban:${OTHER_USER}`,
  ];
  return { ...chat, outside };
}

/** Maximum number of tapped buttons per name, each with a different argument. */
const ARGUMENTS = 3;

/** Returns the names of the buttons that only show something. */
const plainNames = (features: readonly Feature[]) => [
  ...namesOf(features, (button) => typeof button === 'function'),
  ...features.flatMap(({ name, open, startWithAddress }) => [
    ...(open ? [`${name}:open`] : []),
    ...(startWithAddress ? [`${name}:to`] : []),
  ]),
];

/**
 * Taps every button that only shows something, starting from the commands, until no new one appears. Returns the names
 * of the commands and buttons, each with the kinds of keys that it wrote.
 */
async function tapAround(role: Role): Promise<Map<string, Set<string>>> {
  const chat = await openFurnished(role);
  const plain = new Set(plainNames(chat.features));
  const waiting = chat.features.flatMap((feature) => [
    ...commandsOf(feature).map(({ name }) => `/${name}`),
    ...Object.keys(feature.buttonCommands ?? {}).map((name) => `/${name}`),
  ]);
  waiting.push(...chat.outside);
  const tapped = new Map<string, string[]>();
  const written = new Map<string, Set<string>>();
  for (let data = waiting.shift(); data !== undefined; data = waiting.shift()) {
    const at = data;
    const read = readCallbackData(at);
    const name = read ? `${read.feature}:${read.button}` : at;
    const before = tapped.get(name) ?? [];
    if (read && !plain.has(name)) continue;
    if (!read && !at.startsWith('/')) continue;
    if (before.includes(at) || before.length >= ARGUMENTS) continue;
    tapped.set(name, [...before, at]);
    const effects = await chat.effectsOf(() => (read ? chat.tapShown(at) : chat.write(at)));
    expect(effects.elsewhere, at).toBe(0);
    const keys = effects.written.map((key) => key.split(':')[0] ?? '');
    written.set(name, new Set([...(written.get(name) ?? []), ...keys]));
    waiting.push(...new Set(shownData(chat)));
  }
  return written;
}

/**
 * Kinds of keys that may be written beside any update: the state of its chat, when an account is read next, and the results
 * of health checks.
 */
const ALWAYS_WRITTEN = ['chat', 'polls', 'health'];

/** Kinds of keys that showing an invoice may write. */
const INVOICE_POLL = [
  'invoice',
  'invoice-polls',
  'invoice-polled-accounts',
  'polling-invoice',
  'rate-limit',
  'invoice-card-updates',
  'updating-invoice-cards',
];

/**
 * Kinds of keys that a command or a button may write although it only shows something: drafts (without effect before
 * *Confirm*), the message that shows an invoice, the time of its next check, and the number of requested copies.
 */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  // A new question cancels the card that was open.
  ...Object.fromEntries(
    [
      'energy:to',
      'bandwidth:to',
      'invoice:to',
      'smart-mode:to',
      'smart-mode:start',
      'smart-mode:end',
      'withdraw:open',
      'addresses:order',
      'withdraw:to',
      'addresses:save',
      'addresses:rename',
      'invoices:find',
      'settings:customers',
      'unresolved:went',
      'unresolved:failed',
    ].map((name) => [name, ['operation']]),
  ),
  'operation:again': ['operation'],
  'addresses:card': ['operation'],
  'invoice:again': ['operation'],
  'invoice:another': ['operation'],
  'activation:to': ['operation'],
  'invoice:look': INVOICE_POLL,
  'invoice:check': INVOICE_POLL,
  'invoice:show': INVOICE_POLL,
  'invoice:opened': INVOICE_POLL,
  'questions:energy': INVOICE_POLL,
  'questions:paid': INVOICE_POLL,
  'questions:latest': INVOICE_POLL,
  'questions:money': INVOICE_POLL,
  'questions:part': INVOICE_POLL,
  'questions:left': INVOICE_POLL,
  'questions:unwanted': INVOICE_POLL,
  'questions:invoice': INVOICE_POLL,
  'history:money': INVOICE_POLL,
  'history:spent': INVOICE_POLL,
  // The withdrawal is shown in another message, which changes with it.
  'announced:waiting': ['address-announcements'],
  'privacy:copy': ['rate-limit'],
  // The shown deposit address is remembered, to warn when it changes.
  ...Object.fromEntries(['/deposit', 'deposit:open'].map((name) => [name, ['deposit-address']])),
  // Prices that were read are recorded for the chart.
  ...Object.fromEntries(['/prices', 'prices:open', 'prices:chart'].map((name) => [name, ['price-history']])),
};

test('every command and every other button only shows something, for each role', async () => {
  const used = new Set<string>();
  for (const role of ROLES) {
    for (const [name, kinds] of await tapAround(role)) {
      used.add(name);
      const declared = [...ALWAYS_WRITTEN, ...(WRITTEN[name] ?? [])];
      const beside = [...kinds].filter((kind) => !declared.includes(kind));
      expect(beside, `${name} of a ${role} writes this: declare it with \`changes\``).toEqual([]);
    }
  }
  const { features } = await openAs('admin');
  const unreached = plainNames(features).filter((name) => !used.has(name));
  expect(unreached, 'no command or button leads here: add the data of one to `outside`').toEqual([]);
});

test.each(Object.entries(WITHOUT_TOKEN))(
  'a forged %s on another message does not change the card, because it %s',
  async (name) => {
    for (const role of LINKED) {
      const chat = await openAs(role);
      await chat.write(`/activate ${ADDRESS}`);
      const confirm = shownData(chat).findLast((data) => data.startsWith('operation:confirm:')) ?? '';
      const id = confirm.split(':').at(-1) ?? '';
      const [card, draft] = [chat.lastMessage(), await chat.setup.read({ user: USER, id })];
      for (const carried of [true, false]) {
        const forged = () => chat.forge(`${name}:${id}`, { message: card + 5, carried });
        const { written, elsewhere } = await chat.effectsOf(forged);
        expect(written.filter((key) => key.startsWith('operation:'))).toEqual([]);
        expect(elsewhere).toBe(0);
      }
      expect(await chat.setup.read({ user: USER, id })).toEqual(draft);
    }
  },
);
