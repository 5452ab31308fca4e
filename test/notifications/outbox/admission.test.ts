import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MUTABLE_KINDS } from '../../../src/accounts/notification-settings.ts';
import { LANGUAGES, paragraphs } from '../../../src/i18n/texts.ts';
import { defineFeatureNotification } from '../../../src/notifications/kinds.ts';
import type { NewNotification } from '../../../src/notifications/outbox.ts';
import { createSeal } from '../../../src/platform/encryption.ts';
import { keyRotations } from '../../../src/stored-data.ts';
import type { Sent } from '../../../src/telegram/sender.ts';
import { withMenuButton } from '../../../src/views/view.ts';
import { expectWithinLimits } from '../../i18n/telegram-limits.ts';
import { OFFLINE, profileOf, rejected } from '../../operations/rental-stand-in.ts';
import { signedRecords } from '../../support/records.ts';
import { storedKeys } from '../../support/stored-keys.ts';
import { keysTagged } from '../../support/tagged.ts';
import { TEXTS } from '../../support/texts.ts';
import {
  ACCOUNT,
  ADMIN,
  BLOCKED,
  deposit,
  event,
  FAILED,
  LATER,
  OTHER,
  type OutboxSetup,
  openOutbox,
  settled,
  systemAlert,
  UNCLEAR,
  USER,
  withdrawn,
} from './outbox-setup.ts';

const HOUR = 3_600_000;
const SENT = { kind: 'sent', messageId: 1 } as const;

const ONE_OF_EACH = {
  deposits: deposit(1),
  withdrawals: {
    ...{ kind: 'withdrawal', id: '1:pending', chat: USER, account: ACCOUNT },
    data: { status: 'pending', to: 'T1', trx: '1', fee: '1' },
  },
  'smart-mode': {
    ...{ kind: 'smart-mode', id: '1', chat: USER, account: ACCOUNT },
    data: { type: 'smart_mode.transfer', fields: {} },
  },
  'low-balance': {
    ...{ kind: 'low-balance', id: '1', chat: USER, account: ACCOUNT },
    data: { balance: '1', threshold: '2' },
  },
  hook: { kind: 'webhook-status', id: '1', chat: USER, account: ACCOUNT, data: { why: 'elsewhere' } },
  other: event('some.event'),
} satisfies Record<string, NewNotification>;

test.each(Object.entries(ONE_OF_EACH))(
  'does not notify a user who muted %s, but of everything else',
  async (what, muted) => {
    const setup = await openOutbox();
    const mutable = MUTABLE_KINDS.find((one) => one === what) ?? 'orders';
    await setup.notificationSettings.setMuted(USER, mutable, true);
    for (const notification of Object.values(ONE_OF_EACH)) await setup.add(notification);
    await setup.add({ ...muted, chat: OTHER });
    await setup.pass(20_000);
    expect(setup.sentTo(USER)).toHaveLength(5);
    expect(setup.sentTo(OTHER)).toHaveLength(1);
    await setup.notificationSettings.setMuted(USER, mutable, false);
    await setup.add(muted);
    await setup.pass(20_000);
    expect(setup.sentTo(USER)).toHaveLength(5);
  },
);

test('notifies of a possible theft even if everything is muted', async () => {
  const setup = await openOutbox();
  for (const one of MUTABLE_KINDS) await setup.notificationSettings.setMuted(USER, one, true);
  await setup.add(withdrawn(5));
  await settled();
  expect(setup.sentTo(USER)).toHaveLength(1);
});

/** Adds a deposit while Telegram delays the chat, and runs `happens` before the deposit can be sent. */
async function between(happens: (setup: Awaited<ReturnType<typeof openOutbox>>) => unknown) {
  const setup = await openOutbox();
  setup.says(USER, LATER(5_000));
  await setup.add(withdrawn(1));
  await settled();
  await setup.add(deposit(2));
  await happens(setup);
  setup.answer.mockResolvedValue(SENT);
  await setup.pass(20_000);
  return setup;
}

test.each([
  ['unlinked the account', (setup) => setup.links.unlink(USER)],
  [
    'linked another account',
    (setup) => setup.links.link(USER, ACCOUNT + 1, 'a-key-of-another-account', 'en'),
  ],
  [
    'has a key that now opens another account',
    (setup) => {
      setup.clock.now += 10 * 60_000;
      setup.profile.mockResolvedValue(profileOf('1.00', ACCOUNT + 1));
    },
  ],
] satisfies [string, Parameters<typeof between>[0]][])(
  'drops a notification silently if its user %s before it was sent',
  async (_, happens) => {
    const setup = await between(happens);
    expect(setup.sentTo(USER)).toEqual([]);
    expect(setup.lines()).toEqual([]);
    expect(await setup.storage.index.last(`notifications-of-chat:{${USER}}`, 9)).toEqual([]);
  },
);

test('drops notifications silently after the user’s key was refused for fifteen minutes', async () => {
  const setup = await openOutbox();
  setup.profile.mockResolvedValue(rejected(401, 'HTTP_401'));
  await setup.add(deposit(2));
  await setup.pass(14 * 60_000);
  expect(await setup.storage.index.last(`notifications-of-chat:{${USER}}`, 9)).toHaveLength(1);
  await setup.pass(3 * 60_000);
  expect(await setup.storage.index.last(`notifications-of-chat:{${USER}}`, 9)).toEqual([]);
  expect([setup.asked, setup.lines()]).toEqual([[], []]);
});

test('sends notifications after the service refused the key temporarily', async () => {
  const setup = await openOutbox();
  setup.profile.mockResolvedValue(rejected(401, 'HTTP_401'));
  await setup.add(deposit(2));
  await setup.pass(20_000);
  expect(setup.sentTo(USER)).toEqual([]);
  setup.profile.mockResolvedValue(profileOf('100.00'));
  await setup.pass(60_000);
  expect(setup.sentTo(USER)).toHaveLength(1);
});

test('delays only account notifications while the key’s account is unknown', async () => {
  const setup = await openOutbox();
  await setup.links.link(ADMIN, ACCOUNT, 'the-key-of-an-admin', 'en');
  setup.profile.mockResolvedValue(OFFLINE);
  for (const trx of [1, 2]) await setup.add(deposit(trx, ADMIN));
  await setup.add(event('some.event', ADMIN));
  await setup.add(systemAlert());
  await setup.pass(HOUR);
  expect(setup.sentTo(ADMIN)).toHaveLength(1);
  expect(setup.profile.mock.calls.length).toBeLessThan(300);
  setup.profile.mockResolvedValue(profileOf('1.00'));
  await setup.pass(20_000);
  expect(setup.sentTo(ADMIN)).toHaveLength(3);
  expect(setup.sentTo(ADMIN)[1]).toMatch(/1\.00 TRX[\s\S]*2\.00 TRX/);
});

test('notifies of a possible theft while the key’s account is unknown', async () => {
  const setup = await openOutbox();
  setup.profile.mockResolvedValue(OFFLINE);
  await setup.add(withdrawn(5));
  await setup.pass(5_000);
  expect(setup.sentTo(USER)).toHaveLength(1);
});

test('notifies of a new withdrawal address while the key’s account is unknown', async () => {
  const setup = await openOutbox();
  setup.profile.mockResolvedValue(OFFLINE);
  const address = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
  await setup.add({
    ...{ kind: 'address', id: 'announced:A:1', chat: USER, account: ACCOUNT },
    data: { what: 'announced', id: 'A', address, trx: '12.50', from: setup.clock.now },
  });
  await settled();
  expect(setup.sentTo(USER).join()).toContain(address);
});

test('drops system alerts for users who are no longer admins', async () => {
  const setup = await openOutbox();
  await setup.add({ ...systemAlert(), chat: USER });
  await setup.pass(5_000);
  expect(setup.asked).toEqual([]);
});

describe('an address that is ready for withdrawals', () => {
  const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
  const TEN_MINUTES = 10 * 60_000;

  /** Announces one address for two users. Runs `happens` while the offer to the first user is delayed. */
  async function offered(happens: (setup: OutboxSetup, ids: { mine: string; others: string }) => unknown) {
    const setup = await openOutbox();
    const announce = async (user: number) => {
      const made = await setup.addressAnnouncements.draft({
        user,
        account: ACCOUNT,
        address: ADDRESS,
        trx: '5.00',
      });
      if (made) await setup.addressAnnouncements.add(made);
      return made?.id ?? '';
    };
    const ids = { mine: await announce(USER), others: await announce(OTHER) };
    setup.clock.now += TEN_MINUTES;
    setup.says(USER, LATER(5_000));
    await setup.add({
      ...{ kind: 'address', id: `offered:${ids.mine}`, chat: USER, account: ACCOUNT },
      data: { what: 'offered', id: ids.mine, address: ADDRESS, trx: '12.50', from: 0 },
    });
    await settled();
    await happens(setup, ids);
    setup.answer.mockResolvedValue(SENT);
    await setup.pass(20_000);
    return setup;
  }

  test('is offered', async () => {
    const { sentTo } = await offered(() => undefined);
    expect(sentTo(USER)).toHaveLength(1);
  });

  test('is not offered after it was removed, by this user or another one', async () => {
    const mine = await offered((setup, ids) => setup.addressAnnouncements.cancel(ACCOUNT, ids.mine, USER));
    expect(mine.sentTo(USER)).toEqual([]);
    const others = await offered((setup, ids) =>
      setup.addressAnnouncements.cancel(ACCOUNT, ids.others, USER),
    );
    expect(others.sentTo(USER)).toEqual([]);
  });

  test('is not offered after the user began to withdraw to it', async () => {
    const { sentTo } = await offered(async (setup) => {
      expect(
        await setup.addressAnnouncements.reserve({ user: USER, account: ACCOUNT, address: ADDRESS }),
      ).toBe('usable');
    });
    expect(sentTo(USER)).toEqual([]);
  });

  test('is not offered under an announcement that its user has given up and made anew', async () => {
    const { sentTo } = await offered(async ({ addressAnnouncements, clock }, { mine }) => {
      await addressAnnouncements.abandon(ACCOUNT, USER, mine);
      const withdrawal = { user: USER, account: ACCOUNT, address: ADDRESS };
      const anew = await addressAnnouncements.draft({ ...withdrawal, trx: '5.00' });
      if (anew) await addressAnnouncements.add(anew);
      clock.now += TEN_MINUTES;
      expect(await addressAnnouncements.getStatus(withdrawal)).toEqual({ kind: 'usable' });
    });
    expect(sentTo(USER)).toEqual([]);
  });
});

test('renews the signatures of waiting notifications during key rotation', () => {
  const prefixes = keyRotations(createSeal([Buffer.alloc(32, 7)])).map(({ prefix }) => prefix);
  expect(prefixes).toContain('notification:');
});

/** Adds a notification, then changes its stored record as an attacker with write access could. */
async function forged(content: (present: string) => string, from = deposit(1)) {
  const setup = await openOutbox();
  setup.says(USER, LATER(5_000));
  await setup.add(from);
  await settled();
  const [name = ''] = await setup.storage.index.last(`notifications-of-chat:{${USER}}`, 1);
  const key = `notification:{${USER}}:${name}`;
  await setup.storage.set(key, content((await setup.storage.get(key)) ?? ''));
  setup.answer.mockResolvedValue(SENT);
  return { ...setup, key };
}

test('ignores notifications with an invalid signature and sends the others', async () => {
  const setup = await forged((present) => present.replace('"amount":"1"', '"amount":"1000000"'));
  await setup.add(deposit(2));
  await setup.pass(20_000);
  expect(setup.sentTo(USER)).toHaveLength(1);
  expect(setup.sentTo(USER).join()).not.toMatch(/1,?000,?000|<b>1\.00 TRX/);
  await setup.add(deposit(1));
  await setup.pass(20_000);
  expect(setup.sentTo(USER).at(-1)).toContain('<b>1.00 TRX');
});

test('ignores a signed notification that was copied from another chat', async () => {
  const setup = await openOutbox();
  setup.says(OTHER, LATER(5_000));
  await setup.add(deposit(1, OTHER));
  await settled();
  const [name = ''] = await setup.storage.index.last(`notifications-of-chat:{${OTHER}}`, 1);
  await setup.storage.set(
    `notification:{${USER}}:${name}`,
    (await setup.storage.get(`notification:{${OTHER}}:${name}`)) ?? '',
  );
  await setup.storage.index.put(`notifications-of-chat:{${USER}}`, name, 0);
  await setup.storage.index.scheduleIn('outbox:money', String(USER), 0);
  await setup.pass(20_000);
  expect(setup.sentTo(USER)).toEqual([]);
});

test.each([
  ['kind from a newer version', { kind: 'of-tomorrow' }],
  ['content from a newer version', { data: { status: 7 } }],
])('drops a notification with a %s and sends the next one', async (_, changed) => {
  const setup = await forged((present) => present);
  const record = await setup.records.get(setup.key);
  await signedRecords(setup.storage).set(
    setup.key,
    JSON.stringify({ ...JSON.parse(record?.content ?? ''), ...changed }),
  );
  await setup.add(deposit(2));
  await setup.pass(20_000);
  expect(setup.sentTo(USER)).toEqual([expect.stringContaining('<b>2.00 TRX')]);
  expect(await setup.storage.index.last(`notifications-of-chat:{${USER}}`, 9)).toEqual([]);
});

test('distinguishes notifications by ids of any characters and length', async () => {
  const setup = await openOutbox();
  const ids = ['x'.repeat(5_000), `${'x'.repeat(5_000)}y`, '🙂 / {} \n', 'a/b', '', '__proto__'];
  for (const id of [...ids, ...ids]) await setup.add({ ...event('some.event'), id } as NewNotification);
  await setup.pass(20_000);
  expect(
    setup
      .sentTo(USER)
      .join('')
      .match(/some\.event/g),
  ).toHaveLength(ids.length);
  for (const key of await storedKeys(setup.storage, 'notification:')) expect(key.length).toBeLessThan(200);
});

const forget = async (setup: OutboxSetup) =>
  setup.outbox.eraseChat(USER, await keysTagged(setup.storage, USER));

/** Returns the remaining keys and index members that contain the user's chat. */
async function left({ storage }: OutboxSetup): Promise<string[]> {
  const keys = (await keysTagged(storage, USER)).filter((key) => /notification/.test(key));
  const indexes = await Promise.all(
    ['outbox:money', 'outbox:other', 'outbox:in-delivery', 'outbox:quarantined', 'outbox:unclear'].map(
      (name) => storage.index.upTo(name, Number.MAX_VALUE, 100),
    ),
  );
  return [...keys, ...indexes.flat().filter((member) => member.split('/')[0] === String(USER))];
}

const cases: [string, Sent][] = [
  ['was sent', { kind: 'sent', messageId: 1 }],
  ['may have been sent', UNCLEAR],
  ['waits for Telegram', LATER(60_000)],
  ['waits for a user who blocked the bot', BLOCKED],
];
test.each(cases)('forgets a notification that %s, and keeps those of other chats', async (_, sent) => {
  const setup = await openOutbox();
  setup.says(USER, sent);
  for (const chat of [USER, OTHER]) for (const trx of [1, 2]) await setup.add(withdrawn(trx, chat));
  await setup.add(event('of the other', OTHER));
  await settled();
  await forget(setup);
  expect((await left(setup)).filter((key) => !/batching|paused|blocked/.test(key))).toEqual([]);
  setup.says(USER, { kind: 'sent', messageId: 1 });
  const asked = setup.asked.length;
  await setup.pass(120_000);
  expect(setup.asked.slice(asked).filter(({ chat }) => chat === USER)).toEqual([]);
  expect(setup.sentTo(OTHER)).toHaveLength(3);
});

test('forgets a quarantined notification', async () => {
  const setup = await openOutbox();
  setup.says(USER, FAILED);
  await setup.add(withdrawn(1));
  await setup.pass(180_000);
  expect(await left(setup)).toContain(`${USER}/holder-withdrawal:${ACCOUNT}:1`);
  await forget(setup);
  expect((await left(setup)).filter((key) => !/batching|paused|blocked/.test(key))).toEqual([]);
  setup.says(USER, { kind: 'sent', messageId: 1 });
  await setup.pass(1_200_000);
  expect(setup.sentTo(USER)).toEqual([]);
});

test('waits for a delivery in progress and forgets its result too', async () => {
  const setup = await openOutbox();
  let answer = (_sent: Sent) => {};
  setup.answer.mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  await setup.add(deposit(1));
  await settled();
  const forgetting = forget(setup);
  await settled();
  expect(await left(setup)).not.toEqual([]);
  answer({ kind: 'sent', messageId: 1 });
  await forgetting;
  expect((await left(setup)).filter((key) => !/batching|paused|blocked/.test(key))).toEqual([]);
});

/** Made-up kind of a made-up feature. */
const PACKAGES_CHANGED = defineFeatureNotification({
  name: 'packages-changed',
  data: z.object({ price: z.string() }),
  isMoney: false,
  mutable: 'other',
  view: (words, all) =>
    withMenuButton(words, paragraphs(...all.map(({ price }) => `Ten transfers cost ${price} TRX`))),
  samples: [{ price: '0.35' }],
});

async function openWithFeature() {
  const setup = await openOutbox();
  const outbox = setup.replica(setup.storage, { featureKinds: [PACKAGES_CHANGED] });
  return { ...setup, outbox, pass: (ms: number) => setup.pass(ms, [outbox]) };
}

test('sends a notification of a kind that a feature declares', async () => {
  const { outbox, sentTo } = await openWithFeature();
  await outbox.notify(PACKAGES_CHANGED, { user: USER, id: 'changed:1', data: { price: '0.31' } });
  await settled();
  expect(sentTo(USER)).toEqual(['Ten transfers cost 0.31 TRX']);
});

test('rejects a notification of a kind that no feature lists', async () => {
  const { outbox } = await openOutbox();
  const notification = { user: USER, id: 'changed:1', data: { price: '0.31' } };
  await expect(outbox.notify(PACKAGES_CHANGED, notification)).rejects.toThrow('packages-changed');
});

test('rejects two kinds with the same name', async () => {
  const { replica, storage } = await openOutbox();
  const duplicate = defineFeatureNotification({ ...PACKAGES_CHANGED, name: 'deposit' });
  expect(() => replica(storage, { featureKinds: [duplicate] })).toThrow('the same name');
});

test.each(LANGUAGES)('renders its samples within message limits in %s', (language) => {
  for (const sample of PACKAGES_CHANGED.samples) {
    const data = PACKAGES_CHANGED.data.parse(JSON.parse(JSON.stringify(sample)));
    expectWithinLimits(PACKAGES_CHANGED.view(TEXTS.in(language), [data], { chat: USER, account: undefined }));
  }
});

test('sends an admin who had blocked the bot only the end of a problem that is over', async () => {
  const setup = await openOutbox();
  setup.says(ADMIN, BLOCKED);
  const alert = (check: string, is: 'begun' | 'over', ms: number) =>
    setup.add({
      ...{ kind: 'health', id: `${check}:${is}`, chat: ADMIN },
      data: { check, is, ms, problem: 'redis-slow', severity: 'warning', values: { ms: check } },
    });
  await alert('one', 'begun', 10_000);
  await alert('another', 'begun', 10_000);
  await alert('one', 'over', 180_000);
  await setup.pass(5_000);
  setup.says(ADMIN, SENT);
  await setup.outbox.onUserReturned(ADMIN);
  await setup.pass(10_000);
  expect(setup.sentTo(ADMIN)).toEqual([
    expect.stringMatching(/^⚠️ .*another ms/),
    expect.stringMatching(/^✅ <b>A problem is over<.b> after 3.min\.\nIt was: .*one ms/),
  ]);
});
