import { createHmac, randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { HEALTH } from '../../src/health/reports.ts';
import { deriveKeys } from '../../src/platform/encryption.ts';
import { RECURRING_WORK } from '../../src/platform/recurring-work.ts';
import { UNREADABLE_RECORDS } from '../../src/platform/unreadable-records.ts';
import { eventually } from '../support/eventually.ts';
import { journey as it } from '../support/journey.ts';
import { tapUpdate } from '../support/person.ts';
import { createManualWork } from '../support/put-back.ts';
import { redisUrl } from '../support/redis.ts';
import { type Stored, storedIn } from '../support/secrets.ts';
import { dataOf, linkAccount, linkWithEvents, toCard } from '../support/steps.ts';
import { textUpdate } from '../support/updates.ts';
import { ADMIN, GUEST, HOLDER, inWorld, TOKEN } from '../support/world.ts';

async function post(url: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: 'POST', body, headers });
  return { status: response.status, body: await response.text() };
}

it('rejects updates with a secret derived from the bot token', async (person, world) => {
  await linkAccount(person);
  const card = await toCard(person);
  await world.settled();
  const tap = tapUpdate({ chat: HOLDER, message_id: card.message_id, data: dataOf(card, 'Confirm') });
  const guesses = [
    TOKEN,
    createHmac('sha256', TOKEN).update('/updates/telegram').digest('hex'),
    createHmac('sha256', TOKEN).update('').digest('base64url'),
    ...deriveKeys([Buffer.from(TOKEN)], 'telegram-webhook').map((key) => key.toString('base64url')),
  ];
  for (const guess of guesses) {
    const headers = { 'x-telegram-bot-api-secret-token': guess };
    const answer = await post(`${world.origin}/updates/telegram`, JSON.stringify(tap), headers);
    expect(answer).toEqual({ status: 401, body: '' });
  }
  await person.tapToShow('Cancel', card, 'Cancelled. Nothing was charged');
  expect(world.countRequests('POST /energy/buy')).toBe(0);
});

it('accepts updates with the previous secret during a key rotation', async (_person, world) => {
  const [current] = world.config.secretKeys;
  await world.restart({ secretKeys: [randomBytes(32), ...(current ? [current] : [])] });
  const [, former] = deriveKeys(world.config.secretKeys, 'telegram-webhook');
  const headers = { 'x-telegram-bot-api-secret-token': former?.toString('base64url') ?? '' };
  const update = JSON.stringify(textUpdate(1, GUEST));
  expect(await post(`${world.origin}/updates/telegram`, update, headers)).toMatchObject({ status: 200 });
});

const ASKED = Date.now();
/** ID of an operation or an invoice that doesn't exist. */
const UNKNOWN = 'AB12CD34';
/** Due queues of work that changes something, with the recurring work that starts it. */
const QUEUES = {
  'operations:due': 'reconcile-operations',
  'invoice-card-updates': 'invoices-card-updates',
  'erasures:due': 'erasures',
};

/** Makes references due in every queue, runs the work, and waits until it has ended. */
async function runWith(url: string, members: readonly string[], work: ReturnType<typeof createManualWork>) {
  const redis = new Redis(url);
  for (const queue of Object.keys(QUEUES)) for (const member of members) await redis.zadd(queue, '0', member);
  await work.runAll((name) => Object.values(QUEUES).includes(name));
  await eventually(async () => {
    for (const queue of Object.keys(QUEUES))
      expect(await redis.zrange(queue, '0', '-1')).not.toEqual(
        expect.arrayContaining([expect.stringMatching(members.join('|'))]),
      );
  });
  redis.disconnect();
}

/** Matches the count of checks in the continuity record. */
const CHECKS = /(?<="count":")\d+/g;

const CHANGING = new Set<string>([RECURRING_WORK.keys, UNREADABLE_RECORDS.keys, HEALTH.keys]);

/**
 * Returns all stored entries without what changes by itself: the queues, the schedule of recurring work, the number of
 * continuity checks, the findings of health checks, the list of records that can't be read, and keys that expire within a minute, such as leases.
 */
async function records(url: string): Promise<Stored[]> {
  const redis = new Redis(url);
  const stored = (await storedIn(url)).filter(({ key }) => !(key in QUEUES) && !CHANGING.has(key));
  const ttls = await Promise.all(stored.map(({ key }) => redis.pttl(key)));
  redis.disconnect();
  const lasting = stored.filter((_, at) => ttls[at] === -1 || (ttls[at] ?? 0) > 60_000);
  return lasting
    .map(({ key, value }) => ({ key, value: value.replace(CHECKS, 'count') }))
    .toSorted((one, other) => one.key.localeCompare(other.key));
}

test('due work without a signed record changes nothing and makes no request', async () => {
  const url = await redisUrl();
  // Other recurring work doesn't run, so every change comes from forged references.
  const work = createManualWork();
  const { recurringWork } = work;
  // At an admin's /start, the check of admins is measured.
  const config = { adminIds: new Set<number>() };
  await inWorld({ redisUrl: url, appOptions: { recurringWork }, config }, async (world) => {
    const person = await linkWithEvents(world.person(HOLDER));
    await toCard(person);
    for (const chat of [ADMIN, GUEST]) {
      await world.person(chat).sayAndRead('/start', 'Energy and bandwidth');
    }
    await world.settled();
    const redis = new Redis(url);
    const forged = { user: HOLDER, askedAt: ASKED, update: 7, at: ASKED, language: 'en' };
    const unsigned = JSON.stringify({ ...forged, confirmedAt: ASKED, step: 'confirmed' });
    await redis.set(`erasure:{${HOLDER}}`, unsigned);
    await redis.set(`erasure:{${ADMIN}}`, `s1.${'A'.repeat(43)}.${unsigned}`);
    for (const kind of ['operation', 'invoice']) {
      const own = await redis.keys(`operation:{${HOLDER}}:*`);
      // Signed, but for another key.
      await redis.set(`${kind}:{${HOLDER}}:${UNKNOWN}`, (await redis.get(own[0] ?? '')) ?? '');
    }
    redis.disconnect();
    const before = await records(url);
    const [calls, asked] = [await world.control('GET', '/telegram/calls'), [...world.requestLog]];

    const members = [HOLDER, GUEST, ADMIN].flatMap((user) => [`${user}/${UNKNOWN}`, `${user}/${ASKED}`]);
    await runWith(url, members, work);

    expect(await records(url)).toEqual(before);
    expect(await world.control('GET', '/telegram/calls')).toEqual(calls);
    expect(world.requestLog).toEqual(asked);
  });
});
