import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createRecurringWork, RECURRING_WORK } from '../../src/platform/recurring-work.ts';
import { type Storage, StorageUnavailable } from '../../src/platform/storage.ts';
import { recordingLog } from '../support/log-lines.ts';

const MINUTE = 60_000;

/** Waits by the fake timers. */
const delay = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Opens a process with recurring work on a storage that it may share with others. */
function openReplica(
  storage: Pick<Storage, 'index'> & Partial<Pick<Storage, 'now'>> = createMemoryStorage(),
) {
  const { log, lines } = recordingLog();
  const work = createRecurringWork({ storage: { now: Date.now, ...storage }, log });
  onTestFinished(() => work.stop());
  return { storage, work, lines };
}

/** Creates work that lasts until the test ends it, and counts its starts. */
function lastingWork() {
  const ends: (() => void)[] = [];
  const run = vi.fn(() => new Promise<void>((resolve) => void ends.push(resolve)));
  return { run, end: () => ends.shift()?.() };
}

/** Returns due queues that fail while the connection is down. */
function withOutages({ index }: Pick<Storage, 'index'>, connection: { isUp: boolean }) {
  const orReject = async <T>(call: () => Promise<T>): Promise<T> => {
    if (!connection.isUp) throw new StorageUnavailable('no connection');
    return call();
  };
  const takeDue: typeof index.takeDue = (...given) => orReject(() => index.takeDue(...given));
  const scheduleIn: typeof index.scheduleIn = (...given) => orReject(() => index.scheduleIn(...given));
  return { index: { ...index, takeDue, scheduleIn } };
}

describe('recurring work', () => {
  it('runs at its start and then at its interval, until it is stopped', async () => {
    const { index } = createMemoryStorage();
    // The response arrives after the work that was scheduled has already run.
    const scheduleIn: typeof index.scheduleIn = async (...given) => {
      await index.scheduleIn(...given);
      await delay(20);
    };
    const { work } = openReplica({ index: { ...index, scheduleIn } });
    const startedAt = Date.now();
    const runs: number[] = [];
    work.every('sweep', 3_000, async () => void runs.push(Date.now() - startedAt));
    const poll = vi.fn(() => delay(400));
    work.every('poll', 1_000, poll);
    work.start();
    await vi.advanceTimersByTimeAsync(9_100);
    expect(runs).toEqual([0, 3_000, 6_000, 9_000]);
    expect(poll).toHaveBeenCalledTimes(10);
    const stopping = work.stop();
    await vi.advanceTimersByTimeAsync(MINUTE);
    await stopping;
    expect(runs).toHaveLength(4);
  });

  it('runs more often than once a second if its interval is shorter', async () => {
    const { work } = openReplica();
    const run = vi.fn(async () => {});
    work.every('sweep', 20, run);
    work.start();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(run.mock.calls.length).toBeGreaterThan(45);
  });

  it('runs again after an error, which is logged', async () => {
    const { work, lines } = openReplica();
    const run = vi.fn(() => Promise.reject(new Error('no connection')));
    work.every('sweep', 1_000, run);
    work.start();
    await vi.advanceTimersByTimeAsync(3_100);
    expect(run).toHaveBeenCalledTimes(4);
    expect(lines()[0]).toMatchObject({ level: 'warn', job: 'sweep', msg: 'recurring work failed' });
    expect(lines()).toHaveLength(1);
  });

  it('repeats a failed run within a minute, however long its interval is', async () => {
    const { work } = openReplica();
    const run = vi.fn(async () => {}).mockRejectedValueOnce(new Error('no connection'));
    work.every('sweep', 60 * MINUTE, run);
    work.start();
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(run).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(59 * MINUTE);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('runs on one replica at a time, however long it takes, without delaying other work', async () => {
    const { storage, work } = openReplica();
    const other = openReplica(storage).work;
    const slow = lastingWork();
    const quick = vi.fn(async () => {});
    for (const replica of [work, other]) {
      replica.every('slow', 1_000, slow.run);
      replica.every('quick', 300, quick);
      replica.start();
      // The other replica looks for due work first after eight seconds, the time of a lease.
      await vi.advanceTimersByTimeAsync(200);
    }
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(slow.run).toHaveBeenCalledOnce();
    expect(quick.mock.calls.length).toBeGreaterThanOrEqual(195);
    expect(quick.mock.calls.length).toBeLessThanOrEqual(305);
    slow.end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(slow.run).toHaveBeenCalledTimes(2);
    slow.end();
  });

  it('never runs concurrently in a process that can not renew its lease', async () => {
    const { index } = createMemoryStorage();
    const scheduleIn = () => Promise.reject(new StorageUnavailable('no connection'));
    const { work } = openReplica({ index: { ...index, scheduleIn } });
    const slow = lastingWork();
    work.every('slow', 1_000, slow.run);
    work.start();
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(slow.run).toHaveBeenCalledOnce();
    slow.end();
  });

  it('asks a storage that does not respond only once', async () => {
    const { index } = createMemoryStorage();
    const pending = lastingWork();
    const takeDue = vi.fn<typeof index.takeDue>(async () => {
      await pending.run();
      return [];
    });
    const { work } = openReplica({ index: { ...index, takeDue } });
    work.start();
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(takeDue).toHaveBeenCalledOnce();
    pending.end();
  });

  it('waits for its interval although another replica starts', async () => {
    const { storage, work } = openReplica();
    const run = vi.fn(async () => {});
    work.every('sweep', MINUTE, run);
    work.start();
    await vi.advanceTimersByTimeAsync(10_000);
    const later = openReplica(storage).work;
    later.every('sweep', MINUTE, run);
    later.start();
    await vi.advanceTimersByTimeAsync(40_000);
    expect(run).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(10_500);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('runs on another replica within nine seconds after its process died', async () => {
    const storage = createMemoryStorage();
    const { index } = storage;
    const never = () => new Promise<never>(() => {});
    // A dead process neither renews its lease nor takes more work.
    const takeDue = vi.fn<typeof index.takeDue>(never).mockImplementationOnce(index.takeDue);
    const { log } = recordingLog();
    const dead = createRecurringWork({
      storage: { index: { ...index, takeDue, scheduleIn: never }, now: Date.now },
      log,
    });
    const [died, living] = [lastingWork(), vi.fn(async () => {})];
    dead.every('sweep', MINUTE, died.run);
    dead.start();
    await vi.advanceTimersByTimeAsync(100);
    expect(died.run).toHaveBeenCalledOnce();
    const { work } = openReplica(storage);
    work.every('sweep', MINUTE, living);
    work.start();
    await vi.advanceTimersByTimeAsync(7_000);
    expect(living).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(living).toHaveBeenCalledOnce();
  });

  it.each<[string, (storage: Pick<Storage, 'index'>) => Promise<void>]>([
    ['lost', ({ index }) => index.remove(RECURRING_WORK.keys, 'sweep')],
    [
      'postponed by a clock set back',
      ({ index }) => index.scheduleIn(RECURRING_WORK.keys, 'sweep', 60 * MINUTE),
    ],
  ])('runs again within 20 seconds after its schedule was %s', async (_, spoil) => {
    const { storage, work } = openReplica();
    const run = vi.fn(async () => {});
    work.every('sweep', 2_000, run);
    work.start();
    await vi.advanceTimersByTimeAsync(1_000);
    await spoil(storage);
    const before = run.mock.calls.length;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(run.mock.calls.length).toBeGreaterThan(before);
  });

  it('runs within nine seconds after the clock of the storage was set back', async () => {
    let setBackMs = 0;
    const { work } = openReplica(createMemoryStorage({ now: () => Date.now() - setBackMs }));
    const run = vi.fn(async () => {});
    work.every('sweep', 3_000, run);
    work.start();
    await vi.advanceTimersByTimeAsync(11_000);
    for (const jumpMs of [20_000, 90_000, 3600_000]) {
      setBackMs += jumpMs;
      run.mockClear();
      await vi.advanceTimersByTimeAsync(9_500);
      expect(run).toHaveBeenCalled();
    }
  });

  it('leaves work that only another version knows to replicas of that version', async () => {
    const { storage, work } = openReplica();
    work.every('old', 1_000, async () => {});
    const newer = openReplica(storage).work;
    const run = vi.fn(async () => {});
    newer.every('new', 1_000, run);
    work.start();
    newer.start();
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(run.mock.calls.length).toBeGreaterThan(2);
    await newer.stop();
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(await storage.index.last(RECURRING_WORK.keys, 10)).toEqual(['old']);
  });

  it('runs even if work that only another version knows cannot be removed', async () => {
    const { index } = createMemoryStorage();
    const remove = vi.fn<typeof index.remove>(() => Promise.reject(new StorageUnavailable('no connection')));
    const { work, lines } = openReplica({ index: { ...index, remove } });
    await index.scheduleIn(RECURRING_WORK.keys, 'new', 0);
    const run = vi.fn(async () => {});
    work.every('old', 1_000, run);
    work.start();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(remove.mock.calls.length).toBeGreaterThan(1);
    expect(run).toHaveBeenCalledTimes(11);
    expect(lines()).toMatchObject([{ level: 'warn', msg: 'recurring work was not started' }]);
  });

  it('runs again after an outage of the storage, and logs a failure every ten seconds', async () => {
    const { index } = createMemoryStorage();
    let isReachable = true;
    const takeDue: typeof index.takeDue = async (...given) => {
      if (!isReachable) throw new StorageUnavailable('no connection');
      return index.takeDue(...given);
    };
    const { work, lines } = openReplica({ index: { ...index, takeDue } });
    const run = vi.fn(async () => {});
    work.every('sweep', 1_000, run);
    work.start();
    await vi.advanceTimersByTimeAsync(2_000);
    isReachable = false;
    await vi.advanceTimersByTimeAsync(30_000);
    const before = run.mock.calls.length;
    expect(lines()).toHaveLength(3);
    expect(lines()[0]).toMatchObject({ level: 'warn', msg: 'recurring work was not started' });
    isReachable = true;
    await vi.advanceTimersByTimeAsync(1_500);
    expect(run.mock.calls.length).toBeGreaterThan(before);
  });

  it('does not run work that another replica took over while this one could not reach the storage', async () => {
    const storage = createMemoryStorage();
    const connection = { isUp: true };
    const { work } = openReplica(withOutages(storage, connection));
    const other = openReplica(storage).work;
    const [own, taken] = [lastingWork(), lastingWork()];
    work.every('sweep', 3_000, own.run);
    other.every('sweep', 3_000, taken.run);
    work.start();
    await vi.advanceTimersByTimeAsync(100);
    connection.isUp = false;
    other.start();
    await vi.advanceTimersByTimeAsync(12_000);
    expect([own.run.mock.calls.length, taken.run.mock.calls.length]).toEqual([1, 1]);
    connection.isUp = true;
    // The storage accepts the next renewal, but the lease has expired.
    await vi.advanceTimersByTimeAsync(3_000);
    own.end();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(own.run).toHaveBeenCalledOnce();
    taken.end();
  });

  it('leaves work to the replica that took it over before its own connection delivered the work', async () => {
    const storage = createMemoryStorage();
    const { index } = storage;
    const takeDue = vi.fn<typeof index.takeDue>(index.takeDue).mockImplementationOnce(async (...given) => {
      const due = await index.takeDue(...given);
      await delay(9_000);
      return due;
    });
    const { work } = openReplica({ index: { ...index, takeDue } });
    const other = openReplica(storage).work;
    const [own, taken] = [vi.fn(async () => {}), lastingWork()];
    work.every('sweep', 1_000, own);
    other.every('sweep', 1_000, taken.run);
    work.start();
    await vi.advanceTimersByTimeAsync(100);
    other.start();
    await vi.advanceTimersByTimeAsync(20_000);
    const runs = [own.mock.calls.length, taken.run.mock.calls.length];
    taken.end();
    expect(runs).toEqual([1, 1]);
  });

  it('runs on each replica at its interval, never concurrently with itself, whatever the storage does', async () => {
    const connection = { isUp: false };
    const storage = withOutages(createMemoryStorage(), connection);
    const replicas = [openReplica(storage), openReplica(storage)];
    const polls = replicas.map(({ work }) => {
      const poll = vi.fn(async () => {
        await delay(700);
        throw new Error('no polls');
      });
      work.onEachReplica('polls', 500, poll);
      work.start();
      return poll;
    });
    await vi.advanceTimersByTimeAsync(4_600);
    for (const poll of polls) expect(poll).toHaveBeenCalledTimes(5);
    const stopped = Promise.all(replicas.map(({ work }) => work.stop()));
    await vi.advanceTimersByTimeAsync(3_000);
    await stopped;
    for (const poll of polls) expect(poll).toHaveBeenCalledTimes(5);
    expect(replicas[0]?.lines()).toContainEqual(expect.objectContaining({ job: 'polls', level: 'warn' }));
  });

  it('is waited for by `stop`', async () => {
    const { work } = openReplica();
    const slow = lastingWork();
    work.every('slow', 1_000, slow.run);
    work.start();
    await vi.advanceTimersByTimeAsync(0);
    let isStopped = false;
    const stopping = work.stop().then(() => {
      isStopped = true;
    });
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(isStopped).toBe(false);
    slow.end();
    await stopping;
    expect(slow.run).toHaveBeenCalledOnce();
  });
});
