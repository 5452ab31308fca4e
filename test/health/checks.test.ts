import { readFileSync } from 'node:fs';
import { GrammyError, HttpError } from 'grammy';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { healthChecksTable } from '../../scripts/health-checks.ts';
import type { Check } from '../../src/health/check.ts';
import { createFirstStart } from '../../src/health/checks/first-start.ts';
import { CHECKS, type HealthDeps } from '../../src/health/checks.ts';
import { examineAll } from '../../src/health/examine.ts';
import { createHealth, measureCheck } from '../../src/health/health.ts';
import { HEALTH } from '../../src/health/reports.ts';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { createNotificationKinds, type HealthAlert } from '../../src/notifications/kinds.ts';
import { createKinds } from '../../src/operations/kinds/kind.ts';
import { KINDS } from '../../src/operations/operations.ts';
import { MINUTE_MS } from '../../src/platform/clock.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createRecurringWork } from '../../src/platform/recurring-work.ts';
import { StorageUnavailable, StorageUnfit, type StoreCondition } from '../../src/platform/storage.ts';
import type { Outcome } from '../../src/rental-api/client.ts';
import { hasStoredData } from '../../src/stored-data.ts';
import type { Fault } from '../../src/telegram/fetch.ts';
import { UnreadableResponse } from '../../src/telegram/fetch.ts';
import { describeProblem } from '../../src/views/health-problem.ts';
import { expectWithinLimits } from '../i18n/telegram-limits.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { TEXTS } from '../support/texts.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const OURS = 'https://bot.example/updates/telegram';
const THEIRS = 'https://other.example/700:a-token-of-twenty-letters/hook';
/** Webhook before PUBLIC_URL changed. */
const FORMER = 'https://former.example/updates/telegram';
const ME = {} as Awaited<ReturnType<HealthDeps['telegram']['getMe']>>;
const CONDITION: StoreCondition = {
  version: '7.0.15',
  role: 'primary',
  replicaLagsS: [0, 1],
  hasAppendOnlyFile: true,
  fsyncPolicy: 'always',
  evictionPolicy: 'noeviction',
  failedDiskWrites: [],
  clockAheadMs: 900,
  usedBytes: 10 * 1024 ** 2,
  maxBytes: 100 * 1024 ** 2,
};
const PROFILE = { kind: 'accepted', value: { id: 1000 } } as Outcome<never>;

interface Surroundings {
  condition?: Partial<StoreCondition>;
  storage?: Partial<HealthDeps['storage']>;
  telegram?: Partial<HealthDeps['telegram']>;
  webhook?: Partial<Awaited<ReturnType<HealthDeps['telegram']['getWebhookInfo']>>>;
  profile?: Outcome<unknown>;
  deps?: Partial<HealthDeps>;
}

/** Returns the use of a webhook by replicas, and what Telegram accepted last. */
const useOf = (url: string | undefined, failure?: Fault) => ({
  ...{ url: async () => url, accepted: async () => FORMER, failure: () => failure },
  isPending: () => failure !== undefined,
  ...{ foreignChange: async () => undefined, recordForeignChange: async () => {} },
});

const OLDEST = { user: 501, id: 'ABCD1234' };

/** Returns surroundings in which every check is ok, except for what a test changes. */
function surroundings({ condition, storage, telegram, webhook, profile = PROFILE, deps }: Surroundings = {}) {
  const info = { url: OURS, pending_update_count: 0, has_custom_certificate: false, ...webhook };
  const healthy: HealthDeps = {
    storage: {
      checkWritable: async () => {},
      check: async () => 'redis',
      inspect: async () => ({ ...CONDITION, ...condition }),
      ...storage,
    },
    telegram: {
      ...{ getMe: async () => ME, getWebhookInfo: async () => info },
      ...{ setWebhook: async () => true, deleteWebhook: async () => true, getChat: async () => true },
      ...telegram,
    },
    ...{ webhookUrl: OURS, webhookUse: useOf(OURS) },
    ...{ admins: new Set([504, 505]), findUser: async () => ({}) },
    pollingProblem: () => undefined,
    postWithoutSecret: async () => 401,
    service: {
      ...{ hasKey: true, hasResponded: () => false, lastAccount: async () => 1000 },
      readProfile: async () => profile as never,
    },
    clockDifferences: async () => ({ telegram: 900, service: -900 }),
    continuity: { obstacle: async () => undefined },
    canary: { read: async () => ({ is: 'open' }) },
    hasData: async () => true,
    unreadable: { summary: async () => ({ count: 0, kinds: '', isNewer: false }) },
    findOperation: async () => undefined,
    unknownOutcomes: async () => ({ count: 2, notFound: 0, oldest: OLDEST, oldestMs: 4 * MINUTE_MS }),
    readOutboxBacklog: async () => ({ chats: 2, oldestMs: 14 * MINUTE_MS }),
    overdue: async () => [
      { queue: 'invoices-poll', ms: 9 * MINUTE_MS },
      { queue: 'erasures', ms: undefined },
    ],
    givenUp: async () => ({}),
    eventLoop: { longestMs: () => 7_900, meanMs: () => 99 },
    memory: () => ({ percent: 84, maxBytes: 4096 * 1024 ** 2 }),
    firstStart: { find: async () => ({ at: Date.now(), ranBefore: false }) },
    now: Date.now,
  };
  return { ...healthy, ...deps };
}

const refusesWrites = (why: string): Surroundings => ({
  storage: { checkWritable: () => Promise.reject(new StorageUnavailable(why)) },
});
const unfit = (...why: ConstructorParameters<typeof StorageUnfit>): Partial<HealthDeps['storage']> => ({
  check: () => Promise.reject(new StorageUnfit(...why)),
});
const lacksPermissions = (): Partial<HealthDeps['storage']> => {
  const storage = unfit({ commands: ['EVAL'], keys: true });
  return { ...storage, checkWritable: async () => void (await storage.check?.()) };
};
const answers = (profile: object): Surroundings => ({ profile: profile as Outcome<unknown> });
const refusal = (error_code: number, description: string) => () =>
  Promise.reject(new GrammyError('refused', { ok: false, error_code, description }, 'getMe', {}));
const recently = () => Math.floor(Date.now() / 1_000) - 30;
const clocks = (differences: Record<'telegram' | 'service', number>): Surroundings => ({
  deps: { clockDifferences: async () => differences },
});

const failsAtStart = (fault: Fault): Surroundings => withDeps({ webhookUse: useOf(OURS, fault) });
const withDeps = (deps: Partial<HealthDeps>): Surroundings => ({ deps });
const canaryThat = (is: Awaited<ReturnType<HealthDeps['canary']['read']>>) =>
  withDeps({ canary: { read: async () => is } });
const unreadable = (isNewer: boolean) =>
  withDeps({ unreadable: { summary: async () => ({ count: 4, kinds: 'link ×1, operation ×3', isNewer }) } });
const unknown = (notFound: number) =>
  withDeps({
    unknownOutcomes: async () => ({ count: 1, notFound, oldest: OLDEST, oldestMs: 5 * MINUTE_MS }),
  });

/** Surroundings in which each problem is found. A check without a case for each of its problems fails. */
const CASES: Record<string, () => Surroundings> = {
  'redis-unreachable': () => refusesWrites('connect ECONNREFUSED 127.0.0.1:6379'),
  'redis-loading': () => refusesWrites('LOADING Redis is loading the dataset in memory'),
  'redis-read-only': () => refusesWrites("READONLY You can't write against a read only replica."),
  'redis-full': () => refusesWrites("OOM command not allowed when used memory > 'maxmemory'."),
  'redis-refuses-writes': () =>
    refusesWrites('MISCONF Errors writing to the AOF file: No space left on device.'),
  'redis-refuses-bot': () => refusesWrites('WRONGPASS invalid username-password pair'),
  'redis-unsuitable': () => ({
    storage: { ...refusesWrites('CLUSTERDOWN Hash slot not served').storage, ...unfit('cluster') },
  }),
  'redis-lacks-permissions': () => ({ storage: lacksPermissions() }),
  'redis-too-old': () => ({ condition: { version: '6.0.16' } }),
  'redis-no-append-only-file': () => ({ condition: { hasAppendOnlyFile: false } }),
  'redis-disk-failing': () => ({ condition: { failedDiskWrites: ['aof_last_write_status'] } }),
  'redis-fsync-late': () => ({ condition: { fsyncPolicy: 'everysec' } }),
  'redis-fsync-unknown': () => ({ condition: { fsyncPolicy: 'unknown' } }),
  'redis-evicts': () => ({ condition: { evictionPolicy: 'allkeys-lru' } }),
  'redis-memory-low': () => ({ condition: { usedBytes: 80 * 1024 ** 2 } }),
  'redis-memory-used-up': () => ({ condition: { usedBytes: 99 * 1024 ** 2 } }),
  'redis-is-replica': () => ({ condition: { role: 'replica' } }),
  'redis-replica-lags': () => ({ condition: { replicaLagsS: [0, 11] } }),
  'redis-slow': () => ({
    storage: { checkWritable: () => new Promise((resolve) => void setTimeout(resolve, 130)) },
  }),
  'redis-was-empty': () => ({
    deps: { firstStart: { find: async () => ({ at: Date.now() - 3_600_000, ranBefore: true }) } },
  }),
  'token-refused': () => ({ telegram: { getMe: refusal(401, 'Unauthorized') } }),
  'telegram-refuses': () => ({ telegram: { getMe: refusal(502, 'Bad Gateway') } }),
  'telegram-not-bot-api': () => ({
    telegram: {
      getMe: () => Promise.reject(new HttpError('failed', new UnreadableResponse('200 text/html'))),
    },
  }),
  'telegram-unreachable': () => ({
    telegram: { getMe: () => Promise.reject(new HttpError('failed', new Error('ENOTFOUND'))) },
  }),
  'webhook-missing': () => ({ webhook: { url: '' } }),
  'webhook-replaced': () => ({ webhook: { url: THEIRS } }),
  'webhook-beside-polling': () => ({
    webhook: { url: THEIRS },
    deps: { webhookUrl: undefined, webhookUse: useOf(undefined) },
  }),
  'webhook-former': () => ({ webhook: { url: FORMER } }),
  'webhook-refused': () => failsAtStart({ kind: 'refused', status: 400, reason: 'Bad Request: bad webhook' }),
  'webhook-not-set': () => failsAtStart({ kind: 'refused', status: 500, reason: 'Internal Server Error' }),
  'webhook-failing': () => ({
    webhook: {
      pending_update_count: 1,
      last_error_date: recently(),
      last_error_message: 'Wrong response from the webhook: 404 Not Found',
    },
  }),
  'updates-pending': () => ({ webhook: { pending_update_count: 100 } }),
  'another-poller': () => ({
    deps: { pollingProblem: () => 'another-poller', webhookUse: useOf(undefined) },
  }),
  'token-shared': () =>
    withDeps({
      webhookUse: { ...useOf(OURS), foreignChange: async () => ({ url: 'https://other.example/hook' }) },
    }),
  'replicas-use-webhook': () => ({ deps: { pollingProblem: () => 'another-poller' } }),
  'public-url-unreachable': () => ({
    deps: { postWithoutSecret: () => Promise.reject(new Error('ENOTFOUND')) },
  }),
  'public-url-elsewhere': () => ({ deps: { postWithoutSecret: async () => 404 } }),
  'admins-missing': () => withDeps({ admins: new Set() }),
  'admins-unreachable': () => ({ telegram: { getChat: refusal(400, 'Bad Request: chat not found') } }),
  'service-unreachable': () => answers({ kind: 'not-sent', reason: 'offline', message: 'ECONNREFUSED' }),
  'service-not-found': () => answers({ kind: 'unknown', reason: 'status', status: 404, message: '' }),
  'service-not-json': () => answers({ kind: 'unknown', reason: 'unreadable', status: 200, message: '' }),
  'service-web-page': () => {
    const { service } = surroundings(
      answers({ kind: 'unknown', reason: 'unreadable', status: 200, message: '' }),
    );
    return withDeps({ service: { ...service, hasResponded: () => true } });
  },
  'service-unexpected': () => answers({ kind: 'unknown', reason: 'mismatch', status: 200, message: 'id' }),
  'service-failing': () => answers({ kind: 'unknown', reason: 'status', status: 503, message: '' }),
  'operator-key-refused': () =>
    answers({ kind: 'rejected', status: 401, code: 'INVALID_API_KEY', message: '' }),
  'operator-account-changed': () => answers({ kind: 'accepted', value: { id: 1009 } }),
  'process-clock-wrong': () => clocks({ telegram: 300_000, service: 300_000 }),
  'redis-clock-wrong': () => ({ condition: { clockAheadMs: -3_600_000 } }),
  'service-clock-wrong': () => clocks({ telegram: 0, service: -40_000 }),
  'secret-key-wrong': () => canaryThat({ is: 'foreign', keyId: 'an-id_of-11c' }),
  'canary-missing': () => canaryThat({ is: 'missing' }),
  'canary-damaged': () => canaryThat({ is: 'damaged' }),
  'records-unreadable': () => unreadable(false),
  'records-newer': () => unreadable(true),
  'outcomes-unknown': () => unknown(0),
  'outcomes-not-found': () => unknown(1),
  'outbox-late': () => withDeps({ readOutboxBacklog: async () => ({ chats: 1, oldestMs: 15 * MINUTE_MS }) }),
  'queue-late': () => withDeps({ overdue: async () => [{ queue: 'erasures', ms: 10 * MINUTE_MS }] }),
  'work-given-up': () => withDeps({ givenUp: async () => ({ erasure: 1, notification: 2 }) }),
  'event-loop-stuck': () => withDeps({ eventLoop: { longestMs: () => 8_000, meanMs: () => 0 } }),
  'event-loop-slow': () => withDeps({ eventLoop: { longestMs: () => 0, meanMs: () => 100 } }),
  'memory-low': () => withDeps({ memory: () => ({ percent: 85, maxBytes: 768 * 1024 ** 2 }) }),
  'payments-data-lost': () => ({
    deps: { continuity: { obstacle: async () => ({ by: 'data-lost', why: 'lost' }) } },
  }),
  'payments-no-run-id': () => ({
    deps: { continuity: { obstacle: async () => ({ by: 'storage', why: 'INFO' }) } },
  }),
};

const checks = CHECKS as readonly Check<HealthDeps>[];
const PROBLEMS = checks.flatMap((check) =>
  Object.entries(check.problems).map(([problem, severity]) => ({ check, problem, severity })),
);

test('every problem of every check has a case here', () => {
  expect(new Set(Object.keys(CASES))).toEqual(new Set(PROBLEMS.map(({ problem }) => problem)));
});

test('the table in the documents is up to date', () => {
  const file = new URL('../../docs/operating/health-checks.md', import.meta.url);
  const isCurrent = readFileSync(file, 'utf8').includes(healthChecksTable());
  expect(isCurrent, 'run `npm run health-checks`').toBe(true);
});

test('every check is ok in healthy surroundings, and without Redis', async () => {
  const inMemory = { inspect: async () => undefined };
  for (const deps of [surroundings(), surroundings({ storage: inMemory, deps: { continuity: undefined } })])
    for (const check of CHECKS) {
      const measuring = measureCheck(check, deps);
      await vi.advanceTimersByTimeAsync(1_000);
      expect([check.name, await measuring]).toEqual([check.name, undefined]);
    }
});

const { find } = createNotificationKinds({
  ...{ kinds: createKinds(KINDS), admins: new Set([504]), supportUrl: undefined, now: Date.now },
  ...{ links: { find: vi.fn() }, findOperation: vi.fn() },
  addressAnnouncements: { getStatus: vi.fn(), find: vi.fn(), addMessage: vi.fn(), addNotice: vi.fn() },
});

/** Runs one check until its problem is reported. */
async function runCheck(check: Check<HealthDeps>, checkDeps: HealthDeps, ms = MINUTE_MS) {
  const { log, lines } = recordingLog();
  const storage = createMemoryStorage({ now: Date.now });
  const recurringWork = createRecurringWork({ storage, log });
  const alerts: HealthAlert[] = [];
  const health = createHealth({
    ...{ checks: [check], checkDeps, recurringWork, log, texts: TEXTS, now: Date.now },
    records: signedRecords(storage),
    notifyAdmins: async (alert) => alerts.some(({ id }) => id === alert.id) || alerts.push(alert),
    notifyUnstored: async () => undefined,
  });
  const started = health.start();
  recurringWork.start();
  await vi.advanceTimersByTimeAsync(ms);
  await started;
  onTestFinished(async () => {
    await Promise.all([health.stop(), recurringWork.stop()]);
  });
  const reports = signedRecords(storage).store(HEALTH).get({});
  await reports;
  return { health, alerts, lines, reports };
}

describe('the faces of a problem', () => {
  const NONE = Promise.resolve(undefined);

  test.each(PROBLEMS)('$problem is in the log, the alert, the state, /readyz and the doctor', async (row) => {
    const { check, problem, severity } = row;
    const deps = surroundings(CASES[problem]?.());
    const { health, alerts, lines, reports } = await runCheck(check, deps);
    const [found] = await health.problems();
    if (found === undefined) throw new Error('nothing was found');
    expect(found).toMatchObject({ check: check.name, problem, severity });
    const { finding, advice } = describeProblem(TEXTS.in('en'), found);
    expect(finding).not.toMatch(/undefined|700:|\{/);

    const level = severity === 'error' ? 'error' : 'warn';
    expect(lines()).toEqual([expect.objectContaining({ level, check: check.name, msg: finding, advice })]);
    expect(alerts).toMatchObject([{ is: 'begun', problem, severity }]);
    for (const language of LANGUAGES) {
      const words = TEXTS.in(language);
      const texts = describeProblem(words, found);
      for (const text of Object.values(texts)) expect(text).toMatch(/^[\p{L}\p{N}].*[^.]\.$/u);
      const view = find('health')?.view(words, alerts, { chat: 506, account: undefined });
      expect(view?.html).toContain(words.html('health-begun', { severity, ...texts }));
      if (check.scope === 'replica') expect(view?.html).toContain(health.replica);
      if (view) expectWithinLimits(view);
    }
    const isReady = !(check.unready && severity === 'error');
    expect(health.readiness()).toEqual({ isReady, failing: { [check.name]: severity } });

    const examining = examineAll(deps, TEXTS.in('en'), check.onlyRunning ? reports : NONE);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await examining).toContainEqual({ check: check.name, status: severity, finding, advice });
  });

  test.each(PROBLEMS.filter(({ check }) => check.onlyRunning))(
    '$problem of a process that has ended is unknown to the doctor',
    async ({ check, problem }) => {
      const deps = surroundings(CASES[problem]?.());
      const { health, reports } = await runCheck(check, deps);
      await health.stop();
      await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);
      const examining = examineAll(surroundings(), TEXTS.in('en'), reports);
      await vi.advanceTimersByTimeAsync(5_000);
      expect((await examining).map(({ status }) => status)).toContain('ok');
      expect((await examining).filter(({ status }) => status !== 'ok')).toEqual([]);
    },
  );
});

test('finds the admins who have blocked the bot, and says nothing while Telegram is unreachable', async () => {
  const check = checks.find(({ name }) => name === 'admins');
  if (check === undefined) throw new Error('there is no such check');
  const findUser = async (id: number) => ({ unreachable: id === 505 ? 'blocked' : undefined });
  const values = { ids: '505' };
  expect(await measureCheck(check, surroundings({ deps: { findUser } }))).toMatchObject({ values });
  const offline = () => Promise.reject(new HttpError('failed', new Error('ENOTFOUND')));
  for (const getChat of [offline, refusal(429, 'Too Many Requests')])
    expect(await measureCheck(check, surroundings({ telegram: { getChat } }))).toBe('unmeasured');
});

test('the webhook of another program is no other poller, and updates beside it are reported by their own check', async () => {
  const pollingProblem = () => 'webhook-set' as const;
  const webhook = { url: THEIRS };
  const deps = { webhookUrl: undefined, webhookUse: useOf(undefined), pollingProblem };
  const found = checks.map((check) => measureCheck(check, surroundings({ webhook, deps })));
  await vi.advanceTimersByTimeAsync(1_000);
  const problems = (await Promise.all(found)).filter((one) => one !== undefined);
  expect(problems).toMatchObject([{ problem: 'webhook-beside-polling' }]);
});

test('a process that waits keeps its report between the end of the webhook and its first poll', async () => {
  const check = checks.find(({ name }) => name === 'telegram-polling');
  if (check === undefined) throw new Error('there is no such check');
  let used: string | undefined = OURS;
  const webhookUse = { ...useOf(OURS), url: async () => used };
  const deps = surroundings(withDeps({ webhookUse, pollingProblem: () => 'replicas-use-webhook' }));
  const { health, lines } = await runCheck(check, deps);
  used = undefined;
  await vi.advanceTimersByTimeAsync(10_000);
  const values = { url: OURS };
  expect(await health.problems()).toMatchObject([{ problem: 'replicas-use-webhook', values }]);
  deps.pollingProblem = () => undefined;
  await vi.advanceTimersByTimeAsync(10_000);
  expect([await health.problems(), lines().at(-1)]).toEqual([
    [],
    expect.objectContaining({ msg: expect.stringMatching(`^No longer: .* use the webhook ${OURS}\\.$`) }),
  ]);
});

test('a webhook that the start could not set yet counts as removed by no other program', async () => {
  const fault = { kind: 'refused', status: 400, reason: 'Bad Request: bad webhook' } as const;
  const deps = { webhookUse: useOf(OURS, fault) };
  const found = checks
    .filter(({ name }) => name.startsWith('telegram-'))
    .map((check) => measureCheck(check, surroundings({ webhook: { url: '' }, deps })));
  expect((await Promise.all(found)).filter((one) => one !== undefined)).toMatchObject([
    'unmeasured',
    { problem: 'webhook-refused' },
  ]);
});

test.each([
  ['failing deliveries to replicas that have just stopped', 'unmeasured', OURS, useOf(OURS)],
  ['its own former webhook', { problem: 'webhook-former' }, FORMER, useOf(undefined)],
] as const)(
  'a process without PUBLIC_URL does not report %s as a fault of its own or of others',
  async (_, found, url, webhookUse) => {
    const check = checks.find(({ name }) => name === 'telegram-updates');
    if (check === undefined) throw new Error('there is no such check');
    const webhook = {
      url,
      pending_update_count: 1,
      last_error_date: recently(),
      last_error_message: 'failed',
    };
    const measured = await measureCheck(
      check,
      surroundings({ webhook, deps: { webhookUrl: undefined, webhookUse } }),
    );
    if (typeof found === 'string') expect(measured).toBe(found);
    else expect(measured).toMatchObject(found);
  },
);

describe('a repair of the webhook', () => {
  const REPAIR = checks.find(({ name }) => name === 'telegram-updates')?.repair;
  const SHOWN = 'https://other.example/…/hook';

  test.each([
    ['sets a missing webhook', 'webhook-missing', OURS, ['setWebhook', OURS], [undefined]],
    ["replaces the bot's former webhook", 'webhook-former', OURS, ['setWebhook', OURS], undefined],
    ['replaces the webhook of another program', 'webhook-replaced', OURS, ['setWebhook', OURS], [SHOWN]],
    ['deletes it if the bot polls', 'webhook-beside-polling', undefined, ['deleteWebhook'], [SHOWN]],
    ['does nothing about failing deliveries', 'webhook-failing', OURS, undefined, undefined],
    [
      "deletes the bot's former webhook if it polls",
      'webhook-former',
      undefined,
      ['deleteWebhook'],
      undefined,
    ],
  ] as const)('%s, and records who else changed it', async (_, problem, webhookUrl, call, recorded) => {
    const made: unknown[][] = [];
    const records: unknown[][] = [];
    const telegram = {
      setWebhook: async (url: string) => made.push(['setWebhook', url]),
      deleteWebhook: async () => made.push(['deleteWebhook']),
    };
    const recordForeignChange = async (...change: unknown[]) => void records.push(change);
    const webhookUse = { ...useOf(webhookUrl), recordForeignChange };
    const values = { url: SHOWN };
    await REPAIR?.(surroundings({ telegram, deps: { webhookUrl, webhookUse } }), { problem, values });
    expect([made, records]).toEqual([call ? [call] : [], recorded ? [recorded] : []]);
  });

  test.each(['webhook-replaced', 'webhook-former', 'webhook-missing'] as const)(
    'leaves %s to the replicas that use a webhook if this process has none',
    async (problem) => {
      const call = vi.fn(async () => true);
      const telegram = { setWebhook: call, deleteWebhook: call };
      const deps = { webhookUrl: undefined, webhookUse: useOf(OURS) };
      await REPAIR?.(surroundings({ telegram, deps }), { problem, values: { url: SHOWN } });
      expect(call).not.toHaveBeenCalled();
    },
  );

  test.each([
    ['leaves the webhook of another program within an hour', { url: SHOWN }, 0],
    ['replaces it after another program has only removed the one of the bot', {}, 1],
  ])('%s', async (_, change, calls) => {
    const setWebhook = vi.fn(async () => true);
    const webhookUse = { ...useOf(OURS), foreignChange: async () => change };
    const deps = surroundings({ telegram: { setWebhook }, deps: { webhookUse } });
    await REPAIR?.(deps, { problem: 'webhook-replaced', values: { url: SHOWN } });
    expect(setWebhook).toHaveBeenCalledTimes(calls);
  });
});

test.each(LANGUAGES)(
  'the advice about unreadable records also fits a key whose loss was accepted (%s)',
  (language) => {
    const values = { kinds: 'link ×1' };
    const { advice } = describeProblem(TEXTS.in(language), { problem: 'records-unreadable', values });
    expect(advice).toMatch(
      /accepted its loss.* link .* ends after a day|потерей ключа.* привязать .* через день/,
    );
  },
);

test('a service without an operator key is ok if it refuses a request without a key', async () => {
  const service = { ...surroundings().service, hasKey: false };
  const readProfile = async () => ({ kind: 'rejected', status: 401, code: 'X', message: '' }) as never;
  const check = CHECKS.find(({ name }) => name === 'service');
  if (check === undefined) throw new Error('there is no such check');
  expect(
    await measureCheck(check, surroundings({ deps: { service: { ...service, readProfile } } })),
  ).toBeUndefined();
});

describe('the first start', () => {
  const NONE: unknown[] = [];
  function open() {
    const storage = createMemoryStorage();
    const records = signedRecords(storage);
    /** Starts a process while Telegram has these commands. */
    const start = (getCommands: () => Promise<unknown[]>) =>
      createFirstStart({ records, storage, getCommands, now: () => 7 });
    return { storage, start };
  }

  test.each([
    [3, true],
    [0, false],
  ])(
    'while Telegram knows %i commands is noted, also if a process was killed before',
    async (count, ranBefore) => {
      const { storage, start } = open();
      const commands = async () => Array.from({ length: count });
      await start(commands).begin();
      // As if nothing was written: the next start makes the canary.
      expect(await hasStoredData(storage)).toBe(false);
      const { complete, find } = start(commands);
      expect([await complete(), await find()]).toEqual([true, { at: 7, ranBefore }]);
      expect(await start(async () => [1]).complete()).toBe(false);
    },
  );

  test('is no loss if another new replica has already set the commands', async () => {
    const { start } = open();
    const fast = start(async () => NONE);
    const slow = start(async () => {
      expect(await fast.complete()).toBe(true);
      return ['set by the fast one'];
    });
    await Promise.all([slow.begin(), fast.begin()]);
    expect(await slow.complete()).toBe(false);
    expect(await slow.find()).toEqual({ at: 7, ranBefore: false });
  });

  test('after a loss is logged and alerted within five seconds', async () => {
    const check = checks.find(({ name }) => name === 'redis-data');
    if (check === undefined) throw new Error('there is no such check');
    const { alerts, lines } = await runCheck(check, surroundings(CASES['redis-was-empty']?.()), 5_100);
    expect(alerts).toMatchObject([{ is: 'begun', problem: 'redis-was-empty' }]);
    expect(lines()).toMatchObject([{ level: 'error', check: 'redis-data' }]);
  });
});

test.each([
  [
    'an admin has decided it',
    { state: 'done', decided: { admin: 504, reason: '' } },
    'went through, decided',
  ],
  ['it was found', { state: 'refused' }, /didn't go through\.$/],
  ['a change of the balance makes it likely', { state: 'likely' }, /probably went through\.$/],
  ['its user has closed it', { state: 'closed' }, /was closed by its user\.$/],
  ['it is gone', undefined, 'A problem is over'],
] as const)('the end of an unknown result says how it ended when %s', async (_, operation, expected) => {
  const check = checks.find(({ name }) => name === 'outcomes');
  if (check === undefined) throw new Error('there is no such check');
  const deps = surroundings(unknown(0));
  const { alerts } = await runCheck(check, deps);
  const findOperation = vi.fn(async () => operation as never);
  Object.assign(deps, {
    unknownOutcomes: async () => ({ count: 0, notFound: 0, oldest: undefined, oldestMs: undefined }),
    findOperation,
  });
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
  expect(alerts).toMatchObject([{ is: 'begun' }, { is: 'over' }]);
  expect(findOperation).toHaveBeenCalledWith(OLDEST);
  const { html = '' } =
    find('health')?.view(TEXTS.in('en'), alerts.slice(1), { chat: 504, account: undefined }) ?? {};
  expect(html).toMatch(expected);
  if (operation) expect(html).toContain('ABCD1234');
});
