import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import type { Decision } from '../../src/operations/confirm.ts';
import { createContinuityWatch } from '../../src/operations/continuity.ts';
import type { OperationRequest } from '../../src/operations/kinds/kind.ts';
import { type ClaimedOperation, isClaimed, type Operation } from '../../src/operations/operation.ts';
import { createOperationFinder } from '../../src/operations/operations.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import type { Committed } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { createSignal } from '../support/signal.ts';
import { CARD, ENERGY, openOn, setUpOperations } from './operations-setup.ts';
import { ACCOUNT, orderOf } from './rental-stand-in.ts';

const SETTINGS = ['--appendfsync', 'always', '--repl-diskless-sync-delay', '0'];

/** Cards of five users, by what has happened to them when Redis fails. */
const CARDS = ['open', 'bought', 'being claimed', 'claimed', 'sent'] as const;
type Card = (typeof CARDS)[number];

/** Redis servers of one test. */
interface Servers {
  server: RedisServer;
  replica?: RedisServer;
  putBack?: () => Promise<void>;
  /** Adds what to do at the end of the test. */
  atEnd(work: () => unknown): void;
}

type Step = (servers: Servers) => Promise<unknown>;

/** Failure of Redis. What it loses was written after one of the first three steps. */
interface Failure {
  /** Before anything is stored. */
  whenEmpty?: Step;
  /** When all cards are open. */
  whenOpen?: Step;
  /** When one card has been bought. */
  beforeClaims?: Step;
  fail: Step;
  loses: keyof typeof EXPECTED;
}

/**
 * Results of a tap on each card after Redis lost something, and the cause of the new epoch. A result is `void`, `none`
 * (the card's record is gone), or the operation's state. `running`: a process has kept running. `ended`: none has.
 */
const EXPECTED = {
  nothing: {
    running: ['void', 'done', 'void', 'done', 'done', 'restarted'],
    ended: ['void', 'done', 'void', 'unknown', 'unknown', 'unproved'],
  },
  claims: {
    running: ['void', 'done', 'void', 'refused', 'done', 'lost'],
    ended: ['void', 'done', 'void', 'void', 'void', 'unproved'],
  },
  'claims and a purchase': {
    running: ['void', 'void', 'void', 'refused', 'done', 'lost'],
    ended: ['void', 'void', 'void', 'void', 'void', 'unproved'],
  },
  everything: {
    running: ['none', 'none', 'none', 'refused', 'done', 'lost'],
    ended: ['none', 'none', 'none', 'none', 'none', 'new'],
  },
} as const;

async function withRedis<T>({ url }: RedisServer, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  return work(redis).finally(() => redis.disconnect());
}

const copy: Step = async (servers) => {
  servers.putBack = await servers.server.copyData();
};

const restart: Step = async ({ server, putBack }) => {
  await server.kill();
  await putBack?.();
  await server.restart();
};

/** Waits until the replica has acknowledged all writes up to now. */
const acknowledged: Step = ({ server }) =>
  withRedis(server, (redis) =>
    eventually(async () => {
      await redis.set('replicated', 'yes');
      expect(await redis.wait(1, 1_000)).toBe(1);
    }),
  );

const follow: Step = async (servers) => {
  // Acknowledges without waiting for its disk, so that a busy machine is fast enough.
  const replica = await startRedis();
  servers.atEnd(replica.stop);
  servers.replica = replica;
  await withRedis(replica, (redis) => redis.replicaof('127.0.0.1', new URL(servers.server.url).port));
  await acknowledged(servers);
};

/** Cuts the replica off from its master, so that it lacks all later writes. */
const cutOff: Step = async (servers) => {
  await acknowledged(servers);
  if (servers.replica) await withRedis(servers.replica, (redis) => redis.replicaof('127.0.0.1', '1'));
};

/** Kills the master. The replica becomes the master and takes over its port. */
const failOver: Step = async ({ server, replica }) => {
  await server.kill();
  if (replica === undefined) return;
  await withRedis(replica, async (redis) => {
    await redis.replicaof('NO', 'ONE');
    await redis.config('SET', 'port', new URL(server.url).port);
  });
};

const FAILURES: Readonly<Record<string, Failure>> = {
  'restarted with everything': { fail: restart, loses: 'nothing' },
  'rolled back to a snapshot': { whenOpen: copy, fail: restart, loses: 'claims and a purchase' },
  'restarted without the last second': { beforeClaims: copy, fail: restart, loses: 'claims' },
  emptied: { whenEmpty: copy, fail: restart, loses: 'everything' },
  flushed: { fail: ({ server }) => withRedis(server, (redis) => redis.flushall()), loses: 'everything' },
  'failed over to a replica with everything': {
    whenEmpty: follow,
    fail: async (servers) => {
      await acknowledged(servers);
      await failOver(servers);
    },
    loses: 'nothing',
  },
  'failed over to a replica that lagged': {
    whenEmpty: follow,
    beforeClaims: cutOff,
    fail: failOver,
    loses: 'claims',
  },
};

/** Which processes of the bot check Redis after its failure, in order. The first process made all claims. */
const PROCESSES = {
  'the process keeps running': ['first'],
  'a new process checks before the one that keeps running': ['new', 'first'],
  'the process has ended': ['new'],
} as const;

/** Amounts of energy tell the requests of the cards apart. */
const amountOf = (card: Card) => 65_000 + CARDS.indexOf(card);

const requestOf = (card: Card): OperationRequest & Record<string, unknown> => ({
  ...ENERGY,
  energy_amount: amountOf(card),
});

/** Opens a Redis server, a card for each of five users, and functions to open processes of the bot. */
function openCards(servers: Servers) {
  const { server, atEnd } = servers;
  const { rental, clock, replica, show, kinds } = setUpOperations();
  const requests: Card[] = [];
  const slow = createSignal();
  atEnd(slow.raise);
  rental.buyEnergy.mockImplementation(async (_, { energy_amount }) => {
    const card = CARDS.find((name) => amountOf(name) === energy_amount) ?? 'open';
    requests.push(card);
    if (card === 'sent') await slow.raised;
    return orderOf({ energy_amount, order_id: energy_amount });
  });
  let updates = 100;

  function openProcess() {
    const storage = createRedisStorage({ url: server.url, log: silentLog() });
    atEnd(storage.close);
    const continuity = createContinuityWatch({ storage, report: async () => {}, log: silentLog() });
    const heartbeatPace = { beatMs: 50, silentMs: 500 };
    const operations = replica(storage, undefined, { continuity, heartbeatPace });
    const { decisions, drafts, sendQueue } = operations;
    const confirm = (card: Operation) => decisions.confirm(card, CARD, openOn(card));
    /** Commits a claim as the update of its tap does. */
    async function commit({ user }: Operation, { claim }: Pick<Claim, 'claim'>): Promise<Committed> {
      updates += 1;
      const update = { chat: user, update: updates, token: `${updates}` };
      await storage.chats.begin({ ...update, leaseMs: 60_000 });
      const committed = await storage.chats.commit({ ...update, changes: { claim } });
      await storage.chats.release(update);
      return committed;
    }
    return {
      ...{ storage, continuity, operations, confirm, commit },
      find: createOperationFinder({ storage, records: signedRecords(storage), kinds }).find,
      draft: (card: Card) =>
        drafts.draft({
          ...{
            update: 1,
            user: 600 + CARDS.indexOf(card),
            account: ACCOUNT,
            language: 'en',
            estimate: '2.32',
          },
          request: requestOf(card),
        }),
      /** Confirms a card and waits until its purchase has ended. Returns why it wasn't claimed. */
      async buy(card: Operation): Promise<string> {
        const decision = await confirm(card);
        if (decision.kind !== 'claim') return decision.kind;
        const committed = await commit(card, decision);
        if (committed === 'committed' && isClaimed(decision.claimed))
          await sendQueue.enqueueClaim(decision.claimed);
        return committed;
      },
    };
  }
  /** Returns the last state that the user of a card was shown. */
  const shown = (card: Operation) =>
    show.mock.calls.findLast(([operation]) => operation.id === card.id)?.[0].state;
  return { requests, slow, clock, shown, openProcess };
}

type Claim = Extract<Decision<ClaimedOperation>, { kind: 'claim' }>;

const claimOf = (decision: Decision): Claim => {
  if (decision.kind !== 'claim') throw new Error(`unexpected decision: ${decision.kind}`);
  return decision as Claim;
};

/**
 * Plays a failure. Returns what became of each card, the requests, and the cause of the last epoch; `undefined` if the
 * replica acknowledged a step to *sent* too late, so that nothing was sent.
 */
async function play(servers: Servers, failure: Failure, order: readonly ('first' | 'new')[]) {
  const { requests, slow, clock, shown, openProcess } = openCards(servers);
  const first = openProcess();
  const { epoch } = await eventually(() => first.continuity.check());
  const cards = {} as Record<Card, Operation>;
  for (const card of CARDS) cards[card] = await first.draft(card);
  await failure.whenOpen?.(servers);
  expect(await first.buy(cards.bought)).toBe('committed');
  if (shown(cards.bought) === 'refused') return undefined;
  await failure.beforeClaims?.(servers);
  await first.continuity.check();
  const claimed = claimOf(await first.confirm(cards.claimed));
  expect(await first.commit(cards.claimed, claimed)).toBe('committed');
  const sent = first.buy(cards.sent);
  await eventually(() => expect(requests.includes('sent') || shown(cards.sent) === 'refused').toBe(true));
  if (!requests.includes('sent')) return undefined;
  const beingClaimed = claimOf(await first.confirm(cards['being claimed']));

  await failure.fail(servers);
  const keepsRunning = order.includes('first');
  if (keepsRunning) {
    // Before any check: the commit itself finds that the server is another one.
    const committed = await eventually(() => first.commit(cards['being claimed'], beingClaimed));
    expect(committed).toBe('conflict');
  } else await first.storage.close();
  const processes = order.map((name) => (name === 'first' ? first : openProcess()));
  for (const { continuity } of processes)
    expect((await eventually(() => continuity.check())).epoch).not.toBe(epoch);
  const { cause } = await (processes[0] ?? first).continuity.check();

  if (keepsRunning) {
    slow.raise();
    await Promise.all([sent, first.operations.sendQueue.enqueueClaim(claimed.claimed)]);
  }
  // The reconciler takes over what has no process any more.
  clock.now += 15_000;
  await eventually(async () => {
    for (const { operations, find } of processes)
      for (const card of [cards.claimed, cards.sent]) {
        await operations.reconciler.advance(card);
        expect(['claimed', 'sent']).not.toContain((await find(card))?.state);
      }
  });
  const results = [];
  for (const { buy, find } of processes) {
    const taps: string[] = [];
    for (const card of Object.values(cards)) {
      const tap = await buy(card);
      const { state = '' } = (await find(card)) ?? {};
      taps.push(tap === 'decided' ? state : tap);
      if (tap === 'decided') expect(shown(card)).toBe(state);
    }
    results.push([...taps, cause]);
  }
  return { results, requests: requests.toSorted() };
}

/** Plays a failure on a new Redis server, again if a replica is too slow because the machine is busy. */
async function playOnServers(failure: Failure, order: readonly ('first' | 'new')[]) {
  for (let tries = 0; tries < 10; tries += 1) {
    const played = await withServers(failure, order);
    if (played) return played;
  }
  throw new Error('a replica never acknowledges in time');
}

async function withServers(failure: Failure, order: readonly ('first' | 'new')[]) {
  const ends: (() => unknown)[] = [];
  const atEnd = (work: () => unknown) => void ends.push(work);
  try {
    const server = await startRedis(SETTINGS);
    atEnd(server.stop);
    const servers: Servers = { server, atEnd };
    await failure.whenEmpty?.(servers);
    return await play(servers, failure, order);
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

describe.each(Object.entries(FAILURES))('Redis %s', (_name, failure) => {
  test.concurrent.each(Object.entries(PROCESSES))('while %s: no card buys twice', async (_, order) => {
    const { results, requests } = await playOnServers(failure, order);
    const isRunning = order.some((name) => name === 'first');
    const expected = EXPECTED[failure.loses][isRunning ? 'running' : 'ended'];
    for (const result of results) expect(result).toEqual(expected);
    const isSent = isRunning && failure.loses === 'nothing';
    expect(requests).toEqual(isSent ? ['bought', 'claimed', 'sent'] : ['bought', 'sent']);
  });
});
