import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createSeal } from '../../src/platform/encryption.ts';
import { createSignedRecords } from '../../src/platform/records.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import { tagOf } from '../../src/platform/storage.ts';
import { createUserKeys } from '../../src/platform/user-keys.ts';
import { allStoredData, keyRotations } from '../../src/stored-data.ts';
import { compose, toEverybody } from '../support/broadcasting.ts';
import { amongOthers, goOn, settle } from '../support/forgetting.ts';
import { recordingLog, silentLog } from '../support/log-lines.ts';
import { findButton, type Person } from '../support/person.ts';
import { redisUrl } from '../support/redis.ts';
import { type Stored, storedIn } from '../support/secrets.ts';
import {
  buyEnergy,
  codeNow,
  dataOf,
  linkAccount,
  linkWithEvents,
  toCard,
  toCode,
  toHeldCard,
  toHold,
} from '../support/steps.ts';
import { traces } from '../support/traces.ts';
import { ADDRESS, ADMIN, GUEST, HOLDER, inWorld, MERCHANT } from '../support/world.ts';

const ROW = /^\| (`[^|]+`) \| [^|]+ \| ([^|]+) \|$/gm;

/** Returns the first part of each documented key, and whether these keys expire. */
function documented(): Map<string, boolean> {
  const text = readFileSync('docs/stored-data.md', 'utf8');
  return new Map(
    [...text.matchAll(ROW)].flatMap(([, names = '', expiry = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => [
        name.split(':')[0] ?? '',
        !expiry.startsWith('none: '),
      ]),
    ),
  );
}

test('every stored key is documented, and has an expiry or a reason for none', async () => {
  const url = await redisUrl();
  await inWorld({ redisUrl: url, config: { rentalApiKey: 'operator-key' } }, async (world) => {
    const person = await linkWithEvents(world.person(HOLDER));
    await person.ask('/deposit', 'Send TRX');
    await person.say('/notifications');
    await person.tap('🔔 Deposits');
    await person.until('that deposits are muted', (shown) => findButton(shown, '🔕 Deposits'));
    const cancelled = await toCard(person);
    await person.tapToShow('Cancel', cancelled, 'Cancelled');
    await buyEnergy(person, 'Bought');
    await person.tap('Remind me before it ends');
    const left = await toCard(person);
    await person.sayAndRead('/buy', 'Which address', left);
    const other = await linkAccount(world.person(ADMIN), 'totp-key');
    const withdrawing = await toCode(other);
    await world.fault('POST /account/withdrawal', 'cut-before');
    await other.say(codeNow());
    await other.shows(withdrawing, 'Result unknown');
    const third = await linkAccount(world.person(GUEST));
    await toHold(third);
    await world.advance(600);
    await toHeldCard(third);
    await third.tapAndRead('Confirm', 'Withdrawal accepted');
    await toHold(third, ADDRESS);
    // The list has what was searched for once.
    await other.shows(withdrawing, "There's no sign of it so far");
    await other.sayAndRead('/unresolved', 'Oldest first');
    await other.tapAndRead('1', 'Evidence');
    await other.tap('Check again');
    await other.tapAndRead("Didn't go through", 'Why?');
    await other.sayAndRead('asked the service', 'Review your decision');
    await other.sayAndRead('/operations', 'Result unknown now: 1');
    const guest = world.person(MERCHANT);
    await guest.say('/settings');
    await guest.tap('English');
    await guest.say('/invoice');
    await guest.sayAndRead(ADDRESS, 'Review and confirm');
    await guest.tapAndRead('Create invoice', 'Pay ');
    await guest.say('operator-key');
    await other.reads("sent the operator's API key");
    await other.say('/operator');
    await other.tap('Daily limit');
    await other.tapAndRead('100 TRX', 'of 100.00 TRX');
    await other.tapAndRead('Link it', 'Replace the linked account?');
    await other.tapAndRead('Yes, link', 'Operator account linked');
    await buyEnergy(other, 'Bought');
    await compose(other, 'Prices fall on Monday');
    await toEverybody(other);
    await world.telegramFault('copyMessage', 'rate-limit', { retry_after: 600 });
    await other.tapAndRead('Send to', 'Slowed down by Telegram');
    await other.tapAndRead('Pause', 'Broadcast: paused');
    await other.say('/broadcast');
    await other.tapAndRead('New broadcast', 'Send or forward the message');
    await world.settled();

    const { log, lines } = recordingLog();
    const storage = createRedisStorage({ url, log });
    const records = createSignedRecords({ storage, keys: [randomBytes(32)], log: silentLog() });
    await createUserKeys({ storage, records, data: allStoredData(), log }).check(
      async () => undefined,
      false,
    );
    await storage.close();
    expect(lines(), 'these keys were in no list of their user').toEqual([]);

    const redis = new Redis(url);
    const keys = await redis.keys('*');
    const lasting = await Promise.all(
      keys.map(async (key) => [key, (await redis.pttl(key)) === -1] as const),
    );
    const strings = await Promise.all(
      keys.map(async (key) => [key, await redis.get(key).catch(() => '')] as const),
    );
    await redis.quit();
    const renewed = keyRotations(createSeal([randomBytes(32)])).map(({ prefix }) => prefix);
    const signed = strings.filter(([, text]) => text?.startsWith('s1.')).map(([key]) => key);
    expect(signed.length).toBeGreaterThan(5);
    // A signed key that a rotation of `SECRET_KEY` doesn't renew would be lost with the older key.
    expect(signed.filter((key) => !renewed.some((prefix) => key.startsWith(prefix)))).toEqual([]);
    const known = documented();
    expect(keys.filter((key) => !known.has(key.split(':')[0] ?? ''))).toEqual([]);
    const forEver = lasting.filter(([key, lasts]) => lasts && known.get(key.split(':')[0] ?? ''));
    expect(forEver.map(([key]) => key)).toEqual([]);
    const seen = new Set(keys.map((key) => key.split(':')[0]));
    for (const name of [
      'chat',
      'conversation',
      'operation',
      'addresses',
      'last-price',
      'link',
      'notification-settings',
      'webhook-token',
      'order',
      'operations-of-user',
      'target-lock',
      'cooldown',
      'address-announcements',
      'address-announcements-due',
      'withdrawn',
      'invoice',
      'invoice-card-updates',
      'share',
      'rate-limit',
      'keys-of-user',
      'unresolved',
      'operation-figures',
      'proposal',
      'admin-log',
      'user',
      'users',
      'broadcast',
      'broadcast-draft',
      'broadcast-audience',
      'broadcast-active',
      'broadcast-progress-messages',
    ]) {
      expect(seen).toContain(name);
    }
  });
});

const TEST_MS = 300_000;

/** Sections of the copy for each kind of key with the user's ID in its tag. All other kinds are in `other`. */
const OWN: Record<string, string> = {
  chat: 'session',
  conversation: 'openQuestion',
  user: 'person',
  link: 'link',
  addresses: 'addresses',
  'announcing-accounts': 'withdrawnTo',
  'notification-settings': 'notices',
  notification: 'notifications',
  'notifications-of-chat': 'notifications',
  'unclear-notifications': 'notifications',
  operation: 'operations',
  'operations-of-user': 'operations',
  invoice: 'invoices',
  'invoices-of-user': 'invoices',
  'opened-invoices': 'openedInvoices',
};

/** Sections of the copy for other keys. A section contains the content of the key, or the record that it points to. */
const ELSEWHERE: Record<string, string> = {
  users: 'person',
  'holders-of-account': 'link',
  'address-announcements': 'withdrawnTo',
  'address-announcements-due': 'withdrawnTo',
  'address-announcements-ending': 'withdrawnTo',
  'admin-action': 'adminActs',
  'admin-log': 'adminActs',
  operations: 'operations',
  order: 'operations',
  'order-report': 'operations',
  'rental-reminders': 'operations',
  unresolved: 'operations',
  'sent-of-account': 'operations',
  'unresolved-of-account': 'operations',
  withdrawn: 'operations',
  'invoice-polls': 'invoices',
  'invoice-card-updates': 'invoices',
  'invoice-number': 'invoices',
  share: 'invoices',
  outbox: 'notifications',
  'rate-limit': 'other',
};

/** Kinds of other keys that the file's caption names as missing: a position in a broadcast, and data of other users. */
const LEFT_OUT = ['broadcast-audience', 'invoice', 'notification'];

/** Returns the Redis entries that contain this user's ID, except lists of keys, and keys that expire within a minute. */
async function namesOf(user: number, url: string): Promise<Stored[]> {
  const redis = new Redis(url);
  const found = traces(await storedIn(url), [String(user)]).filter(
    ({ key }) => !key.startsWith('keys-of-user:'),
  );
  const ttls = await Promise.all(found.map(({ key }) => redis.pttl(key)));
  redis.disconnect();
  return found.filter((_, at) => ttls[at] === -1 || (ttls[at] ?? 0) > 60_000);
}

interface Copy extends Record<string, unknown> {
  other: Record<string, Record<string, unknown>>;
}

/** Returns the keys that contain the user's ID but are missing in the copy. */
function missingIn(copy: Copy, stored: readonly Stored[], user: number): string[] {
  const isIn = (section: string | undefined) => {
    const value = section === undefined ? undefined : copy[section];
    return value !== undefined && Object.keys(value as object).length > 0;
  };
  return stored
    .map(({ key }) => key)
    .filter((key) => {
      const [kind = '', ...name] = key.replace(`{${user}}`, '').split(':').filter(Boolean);
      if (tagOf(key) !== String(user)) return !LEFT_OUT.includes(kind) && !isIn(ELSEWHERE[kind]);
      if (OWN[kind] !== undefined) return !isIn(OWN[kind]);
      return !Object.hasOwn(copy.other[kind] ?? {}, name.join(':') || 'value');
    });
}

/** Sends /privacy, calls the given function, and then requests the copy in the first message. Returns the copy. */
async function copyOf(person: Person, meanwhile: () => Promise<unknown>): Promise<Copy> {
  const offered = await person.ask('/privacy', 'What I keep about you');
  await meanwhile();
  await person.tapData(offered.message_id, dataOf(offered, 'Get a copy'));
  const file = await person.until('the copy', (shown) => shown.find(({ document }) => document));
  return JSON.parse(await person.download(file));
}

test(
  'the /privacy copy contains each kind of Redis record with the user’s ID',
  async () => {
    const url = await redisUrl();
    await inWorld({ redisUrl: url, config: { rentalApiKey: 'operator-key' } }, async (world) => {
      const [person, guest] = [world.person(HOLDER), world.person(MERCHANT)];
      for (const part of [settle, goOn, amongOthers]) {
        await part(world);
        await world.settled();
        // Starts again, so that no flood limit applies to all parts together.
        await world.restart();
      }
      await guest.say('/settings');
      await guest.tap('English');
      await guest.say('/start');
      await guest.tapAndRead('Link account', 'Send your API key');
      await guest.sayAndRead('wrong-key-0001', "doesn't accept this key");
      await guest.say('/invoice');
      await guest.sayAndRead(ADDRESS, 'Review and confirm');
      await guest.tapAndRead('Create invoice', 'Pay ');

      const seen = new Set<string>();
      for (const [user, one] of [
        [HOLDER, person],
        [MERCHANT, guest],
      ] as const) {
        let stored: Stored[] = [];
        const copy = await copyOf(one, async () => {
          await one.ask(user === HOLDER ? '/buy' : '/prices', user === HOLDER ? 'Which address' : 'TRX');
          await world.settled();
          stored = await namesOf(user, url);
        });
        expect(missingIn(copy, stored, user)).toEqual([]);
        for (const { key } of stored) seen.add(key.split(':')[0] ?? '');
      }
      for (const kind of ['conversation', 'notification', 'refused-keys', 'rate-limit', 'attempt'])
        expect(seen).toContain(kind);
    });
  },
  TEST_MS,
);
