import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { tagOf } from '../../src/platform/storage.ts';
import { amongOthers, goOn, settle } from '../support/forgetting.ts';
import type { Person } from '../support/person.ts';
import { redisUrl } from '../support/redis.ts';
import { type Stored, storedIn } from '../support/secrets.ts';
import { dataOf } from '../support/steps.ts';
import { traces } from '../support/traces.ts';
import { ADDRESS, HOLDER, inWorld, MERCHANT } from '../support/world.ts';

const TEST_MS = 120_000;

/** Sections of the copy for each kind of key with the user's ID in its tag. All other kinds are in `other`. */
const OWN: Record<string, string> = {
  chat: 'session',
  conversation: 'openQuestion',
  user: 'person',
  link: 'link',
  addresses: 'addresses',
  'notification-settings': 'notices',
  notification: 'notifications',
  'notifications-of-chat': 'notifications',
  'unclear-notifications': 'notifications',
  operation: 'operations',
  'operations-of-user': 'operations',
  invoice: 'invoices',
  'invoices-of-user': 'invoices',
};

/** Sections of the copy for other keys. A section contains the content of the key, or the record that it points to. */
const ELSEWHERE: Record<string, string> = {
  users: 'person',
  'holders-of-account': 'link',
  'address-announcements': 'withdrawnTo',
  'address-announcements-due': 'withdrawnTo',
  'admin-action': 'adminActs',
  'admin-log': 'adminActs',
  operations: 'operations',
  order: 'operations',
  'order-report': 'operations',
  unresolved: 'operations',
  'sent-of-account': 'operations',
  'unresolved-of-account': 'operations',
  withdrawn: 'operations',
  'invoice-polls-regular': 'invoices',
  'invoice-polls-priority': 'invoices',
  'invoice-card-updates': 'invoices',
  'invoice-number': 'invoices',
  share: 'invoices',
  outbox: 'notifications',
  'rate-limit': 'other',
};

/** Kinds of other keys that the file's caption names as missing: a position in a broadcast, and data of other users. */
const LEFT_OUT = ['broadcast-audience', 'invoice', 'notification'];

/** Returns the Redis entries that contain this user's ID, except job queues and keys that expire within a minute. */
async function namesOf(user: number, url: string): Promise<Stored[]> {
  const redis = new Redis(url);
  const found = traces(await storedIn(url), [String(user)]).filter(({ key }) => tagOf(key) !== 'rental-bot');
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
  const { message_id = 0 } = await person.say('/privacy');
  const offered = await person.readsBelow({ message_id }, 'What I keep about you');
  await meanwhile();
  await person.tapData(offered.message_id, dataOf(offered, 'A copy of it'));
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
      await guest.tap('Link account');
      await guest.reads('Waiting for your key');
      await guest.say('wrong-key-0001');
      await guest.reads("doesn't accept this key");
      await guest.say('/invoice');
      await guest.say(ADDRESS);
      await guest.tap('1');
      await guest.tap('1 hour');
      await guest.reads('Check before you confirm');
      await guest.tap('Confirm');
      await guest.reads('Pay ');

      const seen = new Set<string>();
      for (const [user, one] of [
        [HOLDER, person],
        [MERCHANT, guest],
      ] as const) {
        let stored: Stored[] = [];
        const copy = await copyOf(one, async () => {
          const { message_id = 0 } = await one.say(user === HOLDER ? '/buy' : '/prices');
          await one.readsBelow({ message_id }, user === HOLDER ? 'Which address' : 'TRX');
          await world.settled();
          stored = await namesOf(user, url);
        });
        expect(missingIn(copy, stored, user)).toEqual([]);
        for (const { key } of stored) seen.add(key.split(':')[0] ?? '');
      }
      for (const kind of [
        'conversation',
        'notification',
        'report-offer',
        'refused-keys',
        'rate-limit',
        'attempt',
      ])
        expect(seen).toContain(kind);
    });
  },
  TEST_MS,
);
