import { afterEach, beforeEach, describe, expect, onTestFinished, vi } from 'vitest';
import { type Claim, createSendQueue, type Execute } from '../../src/operations/execute.ts';
import type { OperationRef } from '../../src/operations/operation.ts';
import { createHeartbeat } from '../../src/operations/recovery.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { StorageUnavailable } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';
import { recordingLog, silentLog } from '../support/log-lines.ts';
import { createSignal } from '../support/signal.ts';
import { failing, SHOWN, setUpOperations, test } from './operations-setup.ts';
import { ACCOUNT } from './rental-stand-in.ts';

vi.mock('node:timers/promises', () => import('./promised-timers.ts'));

/** Opens a queue whose requests hang until the test ends them. */
function openQueue() {
  const setup = setUpOperations();
  const begun: string[] = [];
  const interrupted: string[] = [];
  const ends = new Map<string, () => void>();
  const execute = {
    run: vi.fn<Execute['run']>(async ({ claimed: { operation } }: Claim) => {
      begun.push(operation.id);
      await new Promise<void>((resolve) => ends.set(operation.id, resolve));
    }),
    interrupt: vi.fn<Execute['interrupt']>(async ({ operation }) => void interrupted.push(operation.id)),
  };
  const notify = vi.fn(async () => undefined);
  const heartbeat = createHeartbeat({ storage: setup.storage, log: silentLog() });
  const queue = createSendQueue({ heartbeat, now: () => setup.clock.now, log: silentLog() }, notify, execute);
  async function claimed(count: number, account = ACCOUNT): Promise<Claim['claimed'][]> {
    const claims: Claim['claimed'][] = [];
    while (claims.length < count) claims.push(await setup.stored(await setup.claimed({ account })));
    return claims;
  }
  const idOf = (claim: Claim['claimed'] | undefined) => claim?.operation.id ?? '';
  return {
    ...{ setup, queue, execute, notify, heartbeat, begun, interrupted, claimed, idOf },
    end: (claim: Claim['claimed'] | undefined) => ends.get(idOf(claim))?.(),
  };
}

describe('send queue', () => {
  test('sends five claims of an account at once and the others in order', async () => {
    const { queue, begun, claimed, end, idOf } = openQueue();
    const claims = await claimed(8);
    const ids = claims.map(idOf);
    for (const claim of claims) void queue.enqueueClaim(claim);
    await eventually(() => expect(begun).toEqual(ids.slice(0, 5)));
    end(claims[2]);
    await eventually(() => expect(begun).toEqual(ids.slice(0, 6)));
    end(claims[5]);
    await eventually(() => expect(begun).toEqual(ids.slice(0, 7)));
    end(claims[0]);
    await eventually(() => expect(begun).toEqual(ids));
  });

  test('does not delay the claims of other accounts', async () => {
    const { queue, begun, claimed, idOf } = openQueue();
    for (const claim of await claimed(6)) void queue.enqueueClaim(claim);
    const [other] = await claimed(1, ACCOUNT + 1);
    if (other) void queue.enqueueClaim(other);
    await eventually(() => expect(begun).toContain(idOf(other)));
    expect(begun).toHaveLength(6);
  });

  test('sends 200 claims of different accounts at once', async () => {
    const { queue, begun, claimed, end, idOf } = openQueue();
    const claims: Claim['claimed'][] = [];
    for (let account = 0; account < 201; account += 1) claims.push(...(await claimed(1, ACCOUNT + account)));
    for (const claim of claims) void queue.enqueueClaim(claim);
    await eventually(() => expect(begun).toHaveLength(200));
    end(claims[7]);
    await eventually(() => expect(begun).toContain(idOf(claims[200])));
  });

  test('shows waiting claims as under way and keeps their heartbeats', async () => {
    const { queue, heartbeat, notify, claimed } = openQueue();
    const claims = await claimed(6);
    for (const claim of claims) void queue.enqueueClaim(claim);
    await eventually(async () => {
      for (const { operation } of claims) expect(await heartbeat.isAlive(operation)).toBe(true);
    });
    expect(notify).toHaveBeenCalledTimes(6);
  });

  test.for(['ends', 'is interrupted'])('a code waits for the cooldown until that %s', async (how) => {
    const { setup, queue, begun, interrupted, claimed, end, idOf, heartbeat } = openQueue();
    const [claim] = await claimed(1);
    if (claim === undefined) throw new Error('claim not found');
    claim.operation.confirmableFrom = setup.clock.now + 20_000;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const added = queue.enqueueClaim(claim, { digits: '123456', sentAt: setup.clock.now });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(begun).toEqual([]);
    expect(await heartbeat.isAlive(claim.operation)).toBe(true);
    if (how === 'ends') await vi.advanceTimersByTimeAsync(1_000);
    else await queue.close();
    await eventually(() => expect([...begun, ...interrupted]).toEqual([idOf(claim)]));
    expect(begun).toHaveLength(how === 'ends' ? 1 : 0);
    end(claim);
    await added;
  });

  test('executes a claim once, however often it is added', async () => {
    const { queue, begun, claimed, end, idOf } = openQueue();
    const [claim] = await claimed(1);
    if (claim === undefined) throw new Error('claim not found');
    const added = [queue.enqueueClaim(claim), queue.enqueueClaim(claim)];
    await eventually(() => expect(begun).toEqual([idOf(claim)]));
    expect(queue.holds(claim.operation)).toBe(true);
    end(claim);
    await Promise.all(added);
    expect(queue.holds(claim.operation)).toBe(false);
  });

  test('continues with the next claim after one that failed', async () => {
    const { queue, begun, execute, claimed, idOf } = openQueue();
    const claims = await claimed(6);
    execute.run.mockRejectedValueOnce(new Error('the storage is away'));
    for (const claim of claims) void queue.enqueueClaim(claim);
    await eventually(() => expect(begun).toContain(idOf(claims[5])));
  });

  test('refuses waiting claims when it closes, and waits for requests under way', async () => {
    const { queue, begun, interrupted, claimed, end, idOf } = openQueue();
    const claims = await claimed(7);
    for (const claim of claims) void queue.enqueueClaim(claim);
    await eventually(() => expect(begun).toHaveLength(5));
    let isClosed = false;
    const closed = queue.close().then(() => {
      isClosed = true;
    });
    await eventually(() => expect(interrupted).toEqual(claims.slice(5).map(idOf)));
    expect(isClosed).toBe(false);
    for (const claim of claims) end(claim);
    await closed;
    expect(begun).toHaveLength(5);
  });

  test('refuses a claim that is added after it closed', async () => {
    const { queue, begun, interrupted, claimed, idOf } = openQueue();
    const [claim] = await claimed(1);
    await queue.close();
    if (claim) await queue.enqueueClaim(claim);
    expect({ begun, interrupted }).toEqual({ begun: [], interrupted: [idOf(claim)] });
  });
});

describe('a claim', () => {
  test('waits while the storage is unavailable and is sent afterwards', async ({ setup }) => {
    let isAway = true;
    const storage = failing(setup.storage, ({ method }) => {
      if (isAway && method === 'replaceAndAdd') throw new StorageUnavailable('away');
      return false;
    });
    const own = setup.replica(storage);
    const operation = await setup.claimed();
    const execution = setup.executeClaim(operation, own);
    await eventually(() => expect(setup.rental.profile.mock.calls.length).toBeGreaterThan(1));
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    isAway = false;
    await execution;
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(await setup.read(operation)).toMatchObject({ state: 'done' });
  });

  test('is sent once although the response to its sent mark was lost', async ({ setup }) => {
    let lost = 0;
    const storage = {
      ...setup.storage,
      replaceAndAdd: async (...given: Parameters<typeof setup.storage.replaceAndAdd>) => {
        const done = await setup.storage.replaceAndAdd(...given);
        if (lost++ === 0) throw new StorageUnavailable('the reply was lost');
        return done;
      },
    };
    const operation = await setup.claimed();
    await setup.executeClaim(operation, setup.replica(storage));
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(await setup.read(operation)).toMatchObject({ state: 'done' });
  });
});

test('delayed receipts do not block further claims of the account', async ({ setup }) => {
  setup.show.mockImplementation(async ({ state }) =>
    state === 'done' ? new Promise<never>(() => undefined) : SHOWN,
  );
  const own = setup.replica();
  for (let n = 0; n < 6; n++) void setup.executeClaim(await setup.claimed(), own);
  await eventually(() => expect(setup.rental.buyEnergy).toHaveBeenCalledTimes(6));
});

test('shows an orphan as unknown while requests hang', async ({ setup }) => {
  const orphan = await setup.orphaned();
  const hanging = setup.rental.profile.mockClear().mockImplementation(() => new Promise(() => undefined));
  const claims: OperationRef[] = [];
  for (let n = 0; n < 30; n++) claims.push(await setup.claimed({ account: ACCOUNT + n }));
  const own = setup.replica();
  for (const claim of claims) void setup.executeClaim(claim, own);
  await eventually(() => expect(hanging).toHaveBeenCalledTimes(30));
  setup.clock.now += 9_000;
  await own.reconciler.run();
  await eventually(() => expect(setup.shown()).toContain('unknown'));
  expect(await setup.read(orphan)).toMatchObject({ state: 'unknown' });
});

const PACE = { beatMs: 2_000, silentMs: 8_000 };

/** Opens attempts that last until the test ends them, on a storage that can fail. */
function openAttempts() {
  let away = false;
  const storage = failing(createMemoryStorage(), () => away);
  const { log, lines } = recordingLog();
  const heartbeat = createHeartbeat({ storage, log }, PACE);
  const { raised: ended, raise: end } = createSignal();
  return {
    heartbeat,
    lines,
    end,
    begin: (id: string) => void heartbeat.during({ user: 1, id }, () => ended),
    leave: () => {
      away = true;
    },
  };
}

describe('heartbeats', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('show an attempt as alive until eight seconds after the last one', async () => {
    const { heartbeat, begin, end } = openAttempts();
    begin('A');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await heartbeat.isAlive({ user: 1, id: 'A' })).toBe(true);
    end();
    await vi.advanceTimersByTimeAsync(7_999);
    expect(await heartbeat.isAlive({ user: 1, id: 'A' })).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(await heartbeat.isAlive({ user: 1, id: 'A' })).toBe(false);
    expect(await heartbeat.isAlive({ user: 1, id: 'B' })).toBe(false);
  });

  test('log one line if many of them fail', async () => {
    const { begin, end, leave, lines } = openAttempts();
    for (let n = 0; n < 100; n++) begin(String(n));
    await vi.advanceTimersByTimeAsync(0);
    leave();
    await vi.advanceTimersByTimeAsync(8_000);
    expect(lines()).toEqual([expect.objectContaining({ msg: 'a heartbeat was missed' })]);
    end();
  });
});
