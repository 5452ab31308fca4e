import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { redisUrl } from '../support/redis.ts';
import { type Stored, storedIn } from '../support/secrets.ts';
import { linkWithEvents, toCard } from '../support/steps.ts';
import { ADMIN, GUEST, HOLDER, inWorld } from '../support/world.ts';

const PREFIX = '{rental-bot}';
const ASKED = Date.now();
/** ID of an operation or an invoice that doesn't exist. */
const UNKNOWN = 'AB12CD34';
/** Prevents recurring work during the test, so that every change comes from a job. */
const pace = { reconcileMs: 3_600_000 };

/** Returns well-formed job data, and data in the format before jobs were references. */
function forgedFor(user: number): unknown[] {
  const wish = { user, askedAt: ASKED, update: 7, at: ASKED, language: 'en', linkedAt: ASKED };
  const told = { user, askedAt: ASKED, language: 'en' };
  return [
    { user, id: UNKNOWN },
    { user, id: String(ASKED) },
    ...[wish, told, JSON.stringify(wish), JSON.stringify(told), JSON.stringify({ user, id: UNKNOWN })],
  ];
}

/** Adds jobs to every queue of the running app and waits until all have run. Returns the queue names. */
async function addToEveryQueue(url: string, jobs: readonly unknown[]): Promise<string[]> {
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const names = (await connection.keys(`${PREFIX}:*:meta`)).map((key) => key.split(':')[1] ?? '').toSorted();
  for (const name of names) {
    const queue = new Queue(name, { connection, prefix: PREFIX });
    for (const data of jobs) await queue.add(name, data);
    await eventually(async () => {
      const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed', 'prioritized');
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(0);
    });
    await queue.close();
  }
  connection.disconnect();
  return names;
}

/** Returns all stored entries, except the queues and keys that expire within a minute, such as leases. */
async function records(url: string): Promise<Stored[]> {
  const redis = new Redis(url);
  const stored = (await storedIn(url)).filter(({ key }) => !key.startsWith(PREFIX));
  const ttls = await Promise.all(stored.map(({ key }) => redis.pttl(key)));
  redis.disconnect();
  const lasting = stored.filter((_, at) => ttls[at] === -1 || (ttls[at] ?? 0) > 60_000);
  return lasting.toSorted((one, other) => one.key.localeCompare(other.key));
}

test('a job without a signed record changes nothing and makes no request', async () => {
  const url = await redisUrl();
  await inWorld({ redisUrl: url, appOptions: { pace } }, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    await toCard(person);
    for (const chat of [ADMIN, GUEST]) {
      await world.person(chat).say('/start');
      await world.person(chat).reads('Energy and bandwidth');
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
    const [calls, asked] = [await world.control('GET', '/telegram/calls'), [...world.allAsked]];

    const queues = await addToEveryQueue(url, [HOLDER, GUEST, ADMIN].flatMap(forgedFor));

    expect(queues).toEqual(
      expect.arrayContaining(['erase-user', 'invoice-card-update', 'advance-operation']),
    );
    expect(await records(url)).toEqual(before);
    expect(await world.control('GET', '/telegram/calls')).toEqual(calls);
    expect(world.allAsked).toEqual(asked);
  });
});
