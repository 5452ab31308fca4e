import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { defineCheck, type Found, type Measurement } from '../../src/health/check.ts';
import type { AnyCheck, HealthDeps } from '../../src/health/checks.ts';
import { createHealth } from '../../src/health/health.ts';
import { HEALTH } from '../../src/health/reports.ts';
import type { HealthAlert } from '../../src/notifications/kinds.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/platform/clock.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createRecurringWork } from '../../src/platform/recurring-work.ts';
import { type Storage, StorageUnavailable } from '../../src/platform/storage.ts';
import { describeProblem } from '../../src/views/health-problem.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { TEXTS } from '../support/texts.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const FULL = { problem: 'redis-full', values: { advice: 'Raise maxmemory' } } as const;
const PENDING = { problem: 'updates-pending', values: { count: 170 } } as const;
const MISSING = { problem: 'webhook-missing', values: { expected: 'https://bot.example' } } as const;

/** Opens replicas with one check of each scope, whose results a test sets. */
function open({ ownEveryMs = 2 * SECOND_MS, isUnready = true, ownName = 'own', texts = TEXTS } = {}) {
  const state = { now: undefined as undefined, isUp: true };
  const storage = createMemoryStorage({ now: Date.now });
  const unlessDown =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      if (!state.isUp) throw new StorageUnavailable('no connection');
      return call(...args);
    };
  const failing: Storage = {
    ...storage,
    ...{ get: unlessDown(storage.get), add: unlessDown(storage.add), replace: unlessDown(storage.replace) },
  };
  const results: { own: Measurement; shared: Found | undefined; repairs: Measurement } = {
    own: undefined,
    shared: undefined,
    repairs: undefined,
  };
  const problems = {
    'redis-full': 'error',
    'updates-pending': 'warning',
    'webhook-missing': 'error',
  } as const;
  type Known = keyof typeof problems;
  const measured = vi.fn(async () => results.shared as Found<Known> | undefined);
  const repair = vi.fn(async () => {});
  const checks: readonly AnyCheck[] = [
    defineCheck({
      ...{ name: ownName, everyMs: ownEveryMs, scope: 'replica', problems },
      ...(isUnready && { unready: true }),
      measure: async () => results.own as Measurement<Known>,
    }),
    defineCheck({
      ...{ name: 'shared', everyMs: MINUTE_MS, scope: 'installation', problems },
      ...{ measure: measured, repair },
    }),
    defineCheck({
      ...{ name: 'repairs', everyMs: 60 * MINUTE_MS, scope: 'installation', certain: true, problems },
      measure: async () => results.repairs as Measurement<Known>,
    }),
  ];
  const alerts = new Map<string, HealthAlert>();
  const unstored: string[] = [];
  const notifyAdmins = vi.fn(async (alert: HealthAlert) => {
    if (!state.isUp) throw new StorageUnavailable('no connection');
    alerts.set(alert.id, alert);
  });

  async function startReplica() {
    const { log, lines } = recordingLog();
    const recurringWork = createRecurringWork({ storage: failing, log });
    const health = createHealth({
      ...{ checks, recurringWork, notifyAdmins, log, texts, now: Date.now },
      notifyUnstored: async ({ is, problem }) => unstored.push(`${is} ${problem}`),
      records: signedRecords(failing),
      checkDeps: {} as HealthDeps,
    });
    await health.start();
    recurringWork.start();
    const stop = async () => {
      await Promise.all([health.stop(), recurringWork.stop()]);
    };
    onTestFinished(stop);
    return {
      ...health,
      stopChecks: health.stop,
      stop,
      /** Level and message of the log lines about checks. */
      logged: () =>
        lines().flatMap(({ level, check, msg, advice = '' }) =>
          check ? [`${level} ${check}: ${msg} ${advice}`.trim()] : [],
        ),
    };
  }

  return {
    records: signedRecords(storage),
    state,
    results,
    measured,
    repair,
    startReplica,
    unstored,
    alerts: () => [...alerts.values()],
    alerted: () => [...alerts.values()].map(({ is, problem }) => `${is} ${problem}`),
  };
}

const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('measures a check of the installation on one replica, and shows its problem on all', async () => {
  const { results, measured, startReplica, alerted } = open();
  const [one, other] = [await startReplica(), await startReplica()];
  await wait(10_000);
  measured.mockClear();
  await wait(3 * MINUTE_MS);
  expect(measured.mock.calls.length).toBe(3);
  results.shared = PENDING;
  await wait(MINUTE_MS + 20_000);
  for (const { problems, readiness } of [one, other]) {
    expect(await problems()).toMatchObject([{ check: 'shared', ...PENDING, severity: 'warning' }]);
    expect(readiness()).toEqual({ isReady: true, failing: { shared: 'warning' } });
  }
  const text = 'warn shared: 170 updates of users are waiting at Telegram. Check that the bot';
  expect([...one.logged(), ...other.logged()]).toEqual([expect.stringContaining(text)]);
  expect(alerted()).toEqual(['begun updates-pending']);
  results.shared = undefined;
  await wait(MINUTE_MS + 20_000);
  expect(await one.problems()).toEqual([]);
  expect(alerted()).toEqual(['begun updates-pending', 'over updates-pending']);
});

test('does not report a problem of the installation that is gone at a second look', async () => {
  const { measured, repair, startReplica, alerted } = open();
  const { logged, problems } = await startReplica();
  await wait(10_000);
  measured.mockResolvedValueOnce(MISSING);
  await wait(2 * MINUTE_MS);
  expect([logged(), alerted(), await problems(), repair.mock.calls]).toEqual([[], [], [], []]);
});

test('repairs a problem that lasts, and only logs it', async () => {
  const { results, repair, startReplica, alerted } = open();
  const { logged } = await startReplica();
  await wait(10_000);
  results.shared = MISSING;
  repair.mockImplementation(async () => {
    results.shared = undefined;
  });
  await wait(2 * MINUTE_MS);
  expect(repair).toHaveBeenCalledTimes(1);
  expect(logged()).toEqual([
    'warn shared: Repaired: Telegram has no webhook for this bot, so no updates arrive.',
  ]);
  expect(alerted()).toEqual([]);
});

test('measures at once after a repair what a repair can cause', async () => {
  const { results, repair, startReplica } = open();
  const { problems } = await startReplica();
  await wait(10_000);
  results.shared = MISSING;
  repair.mockImplementation(async () => {
    results.shared = undefined;
    results.repairs = PENDING;
  });
  while (repair.mock.calls.length === 0) await wait(1_000);
  expect(await problems()).toMatchObject([{ check: 'repairs', ...PENDING }]);
});

test.each([true, false])('goes on after a text that fails (unready: %s)', async (isUnready) => {
  const words = TEXTS.in('en');
  const plain = vi.fn(words.plain).mockImplementation(() => {
    throw new Error('no such text');
  });
  const texts = { in: () => ({ ...words, plain }) };
  const { results, startReplica, alerted } = open({ isUnready, texts });
  results.own = FULL;
  const { problems, logged } = await startReplica();
  await wait(10_000);
  expect(await problems()).toMatchObject([FULL]);
  plain.mockImplementation(words.plain);
  await wait(10_000);
  expect(alerted()).toEqual(['begun redis-full']);
  results.own = undefined;
  await wait(10_000);
  expect(await problems()).toEqual([]);
  expect(logged()).toEqual([
    'warn own: a health check failed',
    expect.stringMatching('^info own: No longer'),
  ]);
});

test('describes the problem of a version whose texts need other values', () => {
  const [words, problem] = [TEXTS.in('en'), 'updates-pending' as const];
  expect(describeProblem(words, { problem, values: {} })).toEqual({
    finding: "The health check updates-pending couldn't be measured: Unknown variable: $count.",
    advice: 'Read the log, and restart the bot if this stays.',
  });
});

test('takes only the replica with an error out of service, and shows that elsewhere', async () => {
  const { results, startReplica, alerted } = open();
  const one = await startReplica();
  results.own = FULL;
  const broken = await startReplica();
  results.own = undefined;
  expect(broken.readiness()).toEqual({ isReady: false, failing: { own: 'error' } });
  expect(one.readiness()).toEqual({ isReady: true, failing: {} });
  expect(await one.problems()).toMatchObject([{ check: 'own', ...FULL, replica: expect.any(String) }]);
  await wait(3_000);
  expect(broken.readiness().isReady).toBe(true);
  // The problem was shorter than ten seconds.
  await wait(MINUTE_MS);
  expect(alerted()).toEqual([]);
});

test('alerts of an outage of the storage when it is over', async () => {
  const { state, results, startReplica, alerted } = open();
  const { readiness, logged } = await startReplica();
  await wait(1_000);
  Object.assign(state, { isUp: false });
  results.own = FULL;
  await wait(MINUTE_MS);
  expect(readiness().isReady).toBe(false);
  Object.assign(state, { isUp: true });
  results.own = undefined;
  await wait(3_000);
  expect(readiness().isReady).toBe(true);
  await wait(MINUTE_MS);
  expect(alerted()).toEqual(['over redis-full']);
  expect(logged().map((line) => line.slice(0, 30))).toEqual([
    'error own: Redis refuses write',
    'info own: No longer: Redis ref',
  ]);
});

test('alerts of each outage of the storage without it, but at most once in fifteen minutes', async () => {
  const { state, results, startReplica, unstored } = open({ ownName: 'storage' });
  await startReplica();
  async function breakDown(ms: number) {
    state.isUp = false;
    results.own = FULL;
    await wait(ms);
    results.own = undefined;
    state.isUp = true;
    await wait(MINUTE_MS);
  }
  await breakDown(20 * MINUTE_MS);
  await breakDown(MINUTE_MS);
  expect(unstored).toEqual(['begun redis-full']);
  await wait(15 * MINUTE_MS);
  await breakDown(MINUTE_MS);
  expect(unstored).toEqual(['begun redis-full', 'begun redis-full']);
});

test('alerts at most once in fifteen minutes of a problem that comes again and again, but soon of another one', async () => {
  const { results, startReplica, alerted } = open();
  await startReplica();
  for (let minute = 0; minute < 20; minute += 1) {
    results.own = minute % 2 === 0 ? PENDING : undefined;
    await wait(MINUTE_MS);
  }
  const pair = ['begun updates-pending', 'over updates-pending'];
  expect(alerted()).toEqual([...pair, ...pair]);
  results.own = FULL;
  await wait(MINUTE_MS);
  expect(alerted().slice(4)).toEqual(['begun redis-full']);
  results.own = { problem: 'webhook-missing', values: { expected: 'https://bot.example' } };
  await wait(2 * MINUTE_MS);
  expect(alerted().slice(5)).toEqual(['begun webhook-missing']);
});

test('names at the end all problems of a check that it has alerted of, and how long they lasted together', async () => {
  const { results, startReplica, alerts } = open();
  await startReplica();
  for (const problem of [PENDING, FULL, MISSING, undefined]) {
    results.own = problem;
    await wait(2 * MINUTE_MS);
  }
  expect(alerts().map(({ is, problem }) => `${is} ${problem}`)).toEqual([
    'begun updates-pending',
    'begun redis-full',
    'begun webhook-missing',
    'over webhook-missing',
  ]);
  const over = alerts().at(-1);
  expect(over).toMatchObject({ earlier: [FULL, PENDING] });
  expect(over?.ms).toBeGreaterThan(5 * MINUTE_MS);
  results.own = FULL;
  await wait(20 * MINUTE_MS);
  results.own = undefined;
  await wait(MINUTE_MS);
  expect(alerts().at(-1)).not.toHaveProperty('earlier');
});

test.each([true, false])(
  'alerts of a problem once, also after a restart (unready: %s)',
  async (isUnready) => {
    const { results, startReplica, alerted } = open({ isUnready });
    results.own = FULL;
    const first = await startReplica();
    await wait(20_000);
    await first.stop();
    await startReplica();
    await wait(20 * MINUTE_MS);
    expect(alerted()).toEqual(['begun redis-full']);
  },
);

test('does not report the problem of a stopped process as over before another one has measured it', async () => {
  const { results, startReplica, alerted } = open();
  results.own = FULL;
  const first = await startReplica();
  await wait(20_000);
  await first.stopChecks();
  await wait(20_000);
  await first.stop();
  results.own = 'unmeasured';
  await startReplica();
  await wait(20 * MINUTE_MS);
  expect(alerted()).toEqual(['begun redis-full']);
  results.own = undefined;
  await wait(10_000);
  expect(alerted()).toEqual(['begun redis-full', 'over redis-full']);
});

describe('a problem of the installation that an earlier process found', () => {
  test.each([
    ['was alerted', 2 * MINUTE_MS, ['begun updates-pending', 'over updates-pending']],
    ['was not alerted', 8_000, []],
  ])('and that %s is neither shown nor alerted until it is measured', async (_, ms, expected) => {
    const { results, measured, startReplica, alerted } = open();
    results.shared = PENDING;
    const first = await startReplica();
    await wait(ms);
    await first.stop();
    const before = alerted();
    await wait(30 * MINUTE_MS);
    measured.mockResolvedValue('unmeasured' as never);
    const { problems, readiness } = await startReplica();
    await wait(5 * MINUTE_MS);
    expect([await problems(), readiness().failing, alerted()]).toEqual([[], {}, before]);
    measured.mockResolvedValue(undefined);
    await wait(10_000);
    expect(alerted()).toEqual(expected);
  });

  test('lasts without another alert if the first measurement finds it again', async () => {
    const { results, startReplica, alerted } = open();
    results.shared = PENDING;
    const first = await startReplica();
    await wait(2 * MINUTE_MS);
    const [{ since } = {}] = await first.problems();
    await first.stop();
    await wait(30 * MINUTE_MS);
    const { problems } = await startReplica();
    await wait(0);
    expect(await problems()).toMatchObject([{ ...PENDING, since }]);
    await wait(5 * MINUTE_MS);
    expect(alerted()).toEqual(['begun updates-pending']);
  });

  test('stays with the replica that measured it while another one starts and cannot measure', async () => {
    const { results, measured, startReplica, alerted } = open();
    results.shared = PENDING;
    const one = await startReplica();
    await wait(2 * MINUTE_MS);
    measured.mockResolvedValueOnce('unmeasured' as never);
    const other = await startReplica();
    await wait(3_000);
    expect([await one.problems(), await other.problems()]).toMatchObject([[PENDING], []]);
    await wait(5_000);
    expect(await other.problems()).toMatchObject([PENDING]);
    await wait(5 * MINUTE_MS);
    expect(alerted()).toEqual(['begun updates-pending']);
    results.shared = undefined;
    await wait(2 * MINUTE_MS);
    expect([await one.problems(), await other.problems()]).toEqual([[], []]);
    expect(alerted()).toEqual(['begun updates-pending', 'over updates-pending']);
  });
});

test('names in the alert the processes that have the problem, also once it is over', async () => {
  const { results, startReplica, alerts } = open();
  results.own = FULL;
  const replicas = [(await startReplica()).replica, (await startReplica()).replica].toSorted();
  await wait(20_000);
  results.own = undefined;
  await wait(20_000);
  expect(alerts()).toMatchObject([
    { is: 'begun', replicas },
    { is: 'over', replicas },
  ]);
  expect(new Set(replicas).size).toBe(2);
});

test.each(['own', 'shared'] as const)(
  'says for how long a problem lasted until it was measured as over (%s)',
  async (which) => {
    const { results, startReplica, alerts } = open();
    results[which] = FULL;
    const { logged, problems } = await startReplica();
    await wait(2 * MINUTE_MS);
    const [{ since = 0 } = {}] = await problems();
    results[which] = undefined;
    while (logged().length === 1) await wait(100);
    const ms = Date.now() - since;
    await wait(5_000);
    const [, { ms: told = 0 } = {}] = alerts();
    expect(Math.abs(told - ms)).toBeLessThanOrEqual(100);
  },
);

test('keeps a problem of a replica that is measured once an hour, and soon shows it to one that starts', async () => {
  const { results, startReplica, alerted } = open({ ownEveryMs: 60 * MINUTE_MS });
  results.own = FULL;
  const one = await startReplica();
  await wait(MINUTE_MS);
  results.own = undefined;
  const other = await startReplica();
  await wait(16_000);
  for (const { problems } of [one, other]) expect(await problems()).toMatchObject([FULL]);
  await wait(20 * MINUTE_MS);
  for (const { problems } of [one, other]) expect(await problems()).toMatchObject([FULL]);
  expect(alerted()).toEqual(['begun redis-full']);
});

test('forgets the problem of a process that was killed: after three minutes, and at the next start at once', async () => {
  const { records, startReplica, alerted } = open();
  const { problems, readiness } = await startReplica();
  await wait(10_000);
  const now = Date.now();
  const report = { ...FULL, severity: 'error', since: now - MINUTE_MS, at: now } as const;
  await records.store(HEALTH).set({}, { reports: { own: { 'killed/1a2b': report } }, alerts: {} });
  await wait(10_000);
  expect(await problems()).toMatchObject([{ ...FULL, replica: 'killed/1a2b' }]);
  expect(readiness()).toEqual({ isReady: true, failing: {} });
  const started = await startReplica();
  await wait(2 * MINUTE_MS);
  expect(await started.problems()).toEqual([]);
  expect(alerted()).toEqual(['begun redis-full']);
  await wait(MINUTE_MS);
  expect(await problems()).toEqual([]);
  expect(alerted()).toEqual(['begun redis-full', 'over redis-full']);
});

test('keeps a problem while another one prevents its measurement', async () => {
  const { results, measured, startReplica, alerted } = open();
  const { problems } = await startReplica();
  await wait(10_000);
  results.shared = PENDING;
  await wait(2 * MINUTE_MS);
  measured.mockRejectedValue(new StorageUnavailable('no connection'));
  await wait(10 * MINUTE_MS);
  expect(await problems()).toMatchObject([PENDING]);
  expect(alerted()).toEqual(['begun updates-pending']);
});

test('treats a measurement that fails or hangs as a problem', async () => {
  const { measured, startReplica } = open();
  measured.mockRejectedValue(new Error('no <way>'));
  const { problems } = await startReplica();
  await wait(20_000);
  const failed = {
    problem: 'check-failed',
    severity: 'warning',
    values: { check: 'shared', why: 'no <way>' },
  };
  expect(await problems()).toMatchObject([failed]);
  measured.mockImplementation(() => new Promise(() => {}));
  await wait(3 * MINUTE_MS);
  expect(await problems()).toMatchObject([{ values: { why: 'no result within 15 seconds' } }]);
});
