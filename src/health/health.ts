import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import type { Texts } from '../i18n/texts.ts';
import type { HealthAlert } from '../notifications/kinds.ts';
import { orTimeout } from '../platform/async.ts';
import { SECOND_MS } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { SignedRecords, StoredData } from '../platform/records.ts';
import type { RecurringWork } from '../platform/recurring-work.ts';
import { StorageUnavailable, StorageUnfit } from '../platform/storage.ts';
import { describeForLog, type HealthProblem } from '../views/health-problem.ts';
import { type Check, CONFIRM_AFTER_MS, isReportedAtOnce, partOfSentence, type Severity } from './check.ts';
import { FIRST_START } from './checks/first-start.ts';
import { STORAGE } from './checks/storage.ts';
import { type AnyCheck, CHECKS, type HealthDeps } from './checks.ts';
import {
  ALERT_PAUSE_MS,
  HEALTH,
  type HealthReports,
  INSTALLATION,
  isSameProblem,
  NO_REPORTS,
  nextAlert,
  presentReports,
  REPEAT_MS,
  type Report,
  withoutOld,
  withReport,
} from './reports.ts';

export const HEALTH_DATA: readonly StoredData[] = [HEALTH, FIRST_START];

/** Maximum duration of a measurement, in milliseconds. */
const MEASURE_TIMEOUT_MS = 15 * SECOND_MS;
/** Interval at which replicas exchange reports and alerts are sent, in milliseconds. */
const SYNC_MS = 5 * SECOND_MS;

/** Report of a measurement; `undefined` if the check is ok. */
type Result = Report | 'unmeasured' | undefined;

/** Whether this replica takes requests, and the failing checks. */
export interface Readiness {
  isReady: boolean;
  failing: Readonly<Record<string, Severity>>;
}

export type Health = ReturnType<typeof createHealth>;

/**
 * Creates the health checks of a running bot. A check of the installation runs on one replica at a time, and the stored
 * reports show its result to all. A check of a replica runs in each process, from memory, so that it works while the
 * storage doesn't.
 *
 * A change goes to the log of the replica that measured it, and to the admins: once when a problem begins, once when it
 * is over. Alerts that can't be stored follow when the storage is back, except that a problem of the storage itself is
 * alerted without it.
 */
export function createHealth(deps: {
  checkDeps: HealthDeps;
  checks?: readonly AnyCheck[];
  records: Pick<SignedRecords, 'store'>;
  recurringWork: Pick<RecurringWork, 'every'>;
  /** Sends an alert to all admins, once for each `id`. */
  notifyAdmins: (alert: HealthAlert) => Promise<unknown>;
  /** Sends an alert to all admins without the storage, best effort. */
  notifyUnstored: (alert: HealthAlert) => Promise<unknown>;
  texts: Texts;
  now: () => number;
  log: Log;
}) {
  const { checkDeps, checks = CHECKS, recurringWork, notifyAdmins, notifyUnstored, now, log } = deps;
  const words = deps.texts.in('en');
  const store = deps.records.store(HEALTH);
  const replica = `${hostname()}/${process.pid}-${randomUUID().slice(0, 4)}`;
  const stopping = new AbortController();
  const { signal } = stopping;
  // Each check waits on it.
  setMaxListeners(0, signal);
  /** Reports of this replica's own checks, and the checks that this process has measured. */
  const own = new Map<string, Report>();
  const measured = new Set<string>();
  /** Measurements of the installation that are going on, by check. */
  const running = new Map<string, Promise<void>>();
  /** Problems of this replica that ended before they could be reported. */
  const ended = new Map<string, Report>();
  /** Last alerts that were sent without the storage, by problem. */
  const sentUnstored = new Map<string, { id: string; at: number }>();
  let shared: HealthReports = NO_REPORTS;
  /** Reports that this process read first. They count only once a living process has measured them again. */
  let former: HealthReports | undefined;
  let syncing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let begun: Promise<unknown> | undefined;
  /** Whether reports are stored. Before, nothing may be written. */
  let isSharing = false;

  const ofReplica = checks.filter(({ scope }) => scope === 'replica');
  const ofInstallation = checks.filter(({ scope }) => scope === 'installation');

  async function read(): Promise<HealthReports> {
    const stored = (await store.get({})) ?? NO_REPORTS;
    former ??= stored;
    return stored;
  }

  /** Returns the reports that count for this process, with its own in place of those that it has stored. */
  function countedOf(health: HealthReports, { name, scope }: AnyCheck): HealthReports {
    const isMeasured = scope === 'installation' && measured.has(name);
    const isCounted = ([reporter, { at, endedAt }]: [string, Report]) =>
      isMeasured || endedAt !== undefined || at !== former?.reports[name]?.[reporter]?.at;
    const reports = Object.fromEntries(Object.entries(health.reports[name] ?? {}).filter(isCounted));
    const counted = { ...health, reports: { ...health.reports, [name]: reports } };
    const mine = own.get(name);
    return mine
      ? withReport(counted, { check: name, reporter: replica, now: now() }, { ...mine, at: now() })
      : counted;
  }

  function logChange(check: AnyCheck, before: Report | undefined, after: Report | undefined): void {
    if (isSameProblem(before, after)) return;
    const report = after ?? before;
    if (report === undefined) return;
    const { finding, advice } = describeForLog(words, report);
    const fields = { check: check.name, advice };
    if (after?.severity === 'error') log.error(fields, finding);
    else if (after) log.warn(fields, finding);
    else log.info({ check: check.name, ms: now() - report.since }, `No longer: ${finding}`);
  }

  /** Returns the report of a check, which continues the one before; `undefined` if the check is ok. */
  async function reportOf(check: AnyCheck, before: Report | undefined): Promise<Result> {
    const measurement = await unlessAborted(measureCheck(check, checkDeps), signal);
    if (typeof measurement === 'string') return 'unmeasured';
    if (measurement === undefined) return undefined;
    const { problem, values, severity } = measurement;
    const since = before && isSameProblem(before, measurement) ? before.since : now();
    return { problem, severity, values, since, at: now() };
  }

  /** Measures a check, a new problem twice: what is gone after five seconds isn't reported. */
  async function confirmedReportOf(check: AnyCheck, known: Report | undefined): Promise<Result> {
    const report = await reportOf(check, known);
    if (report === undefined || report === 'unmeasured') return report;
    if (isSameProblem(known, report) || isReportedAtOnce(check)) return report;
    await pause(CONFIRM_AFTER_MS, signal);
    return signal.aborted ? 'unmeasured' : unlessUnmeasured(await reportOf(check, report), report);
  }

  /** Measures a check of this replica, and reports a change. Never rejects. */
  const runOwn = (check: AnyCheck) => measureOwn(check).catch((err: unknown) => logFailure(check, err));

  async function measureOwn(check: AnyCheck): Promise<void> {
    const before = own.get(check.name);
    const after = await confirmedReportOf(check, before);
    if (after === 'unmeasured' || signal.aborted) return;
    measured.add(check.name);
    if (after) own.set(check.name, after);
    else own.delete(check.name);
    const wasReported = shared.reports[check.name]?.[replica] !== undefined;
    if (before && !after && !wasReported) ended.set(check.name, { ...before, endedAt: now() });
    logChange(check, before, after);
    if (!isSameProblem(before, after)) await sync();
  }

  async function repeatOwn(check: AnyCheck): Promise<void> {
    while (!signal.aborted) {
      await runOwn(check);
      await pause(check.everyMs, signal);
    }
  }

  /** Tries to repair a problem. Returns the report if the problem lasts. The next measurement reports another one. */
  async function repaired(check: AnyCheck, report: Report): Promise<Report | undefined> {
    if (check.repair === undefined) return report;
    const named = { check: check.name };
    await check
      .repair(checkDeps, report)
      .catch((err: unknown) => log.warn({ ...named, err }, 'a repair failed'));
    const after = unlessUnmeasured(await reportOf(check, report), report);
    if (after === undefined) {
      log.warn(named, `Repaired: ${describeForLog(words, report).finding}`);
      // Some check that a repair was necessary, such as BOT_TOKEN.
      for (const other of ofInstallation)
        if (other.certain) void runForAll(other).catch((err: unknown) => logFailure(other, err));
    }
    return isSameProblem(report, after) ? after : undefined;
  }

  /** Measures a check for all replicas. A second call while one is running does nothing. */
  async function runForAll(check: AnyCheck, isFirst = false): Promise<void> {
    const { name } = check;
    if (running.has(name)) return;
    const present = measureForAll(check, isFirst).finally(() => running.delete(name));
    running.set(name, present);
    await present;
  }

  /** `isFirst`: logs a problem that was reported before too, so that the log of a start is complete. */
  async function measureForAll(check: AnyCheck, isFirst: boolean): Promise<void> {
    const { name } = check;
    const known = (await read()).reports[name]?.[INSTALLATION];
    let report = await confirmedReportOf(check, known);
    if (report === 'unmeasured' || signal.aborted) return;
    if (report) report = await repaired(check, report);
    if (signal.aborted) return;
    let before: Report | undefined;
    const written = await store.update({}, (health = NO_REPORTS) => {
      before = health.reports[name]?.[INSTALLATION];
      const isRecent = before && report && report.at - before.at < REPEAT_MS;
      if (isSameProblem(before, report) && (report === undefined || isRecent)) return undefined;
      const since = report && before && isSameProblem(before, report) ? before.since : report?.since;
      const reporter = { check: name, reporter: INSTALLATION, now: now() };
      return withReport(health, reporter, report && { ...report, since: since ?? report.at });
    });
    if (written) shared = written;
    measured.add(name);
    logChange(check, isFirst && report ? undefined : before, report);
  }

  function logFailure({ name }: AnyCheck, err: unknown): void {
    if (!(err instanceof StorageUnavailable)) log.warn({ err, check: name }, 'a health check failed');
  }

  /** Measures a check for all replicas until that succeeds, because what was stored before doesn't count until then. */
  async function runFirstForAll(check: AnyCheck): Promise<void> {
    while (!signal.aborted && !measured.has(check.name)) {
      await runForAll(check, true).catch((err: unknown) => logFailure(check, err));
      if (!measured.has(check.name)) await pause(CONFIRM_AFTER_MS, signal);
    }
  }

  /** Returns whether the stored report of this replica is what the replica last found, and recent. */
  function isReported({ name }: AnyCheck): boolean {
    const [mine, stored] = [own.get(name), shared.reports[name]?.[replica]];
    const isOver = stored === undefined || stored.endedAt !== undefined;
    if (mine === undefined) return isOver && !ended.has(name);
    return !isOver && isSameProblem(mine, stored) && now() - stored.at < REPEAT_MS;
  }

  /** Reads the reports of all replicas and writes those of this one that changed. */
  async function exchange(): Promise<void> {
    shared = await read();
    if (ofReplica.every(isReported)) return;
    const reported = new Map(ended);
    const written = await store.update({}, (before = NO_REPORTS) =>
      ofReplica.reduce((health, { name }) => {
        const kept = health.reports[name]?.[replica];
        const mine = own.get(name);
        // The time shows that this process lives, also between two measurements.
        const report = mine
          ? { ...mine, at: now() }
          : (reported.get(name) ?? (kept?.endedAt === undefined ? undefined : kept));
        return withReport(health, { check: name, reporter: replica, now: now() }, report);
      }, before),
    );
    if (written) shared = written;
    for (const [name, report] of reported) if (ended.get(name) === report) ended.delete(name);
  }

  /** Never rejects: while the storage is unavailable, the next call makes up for it. */
  async function sync(): Promise<void> {
    if (!isSharing) return;
    syncing ??= exchange()
      .catch((err: unknown) => {
        if (!(err instanceof StorageUnavailable)) log.warn({ err }, 'health reports were not exchanged');
      })
      .finally(() => {
        syncing = undefined;
      });
    await syncing;
  }

  /** Returns whether this process knows if a check has a problem: an earlier process may have found one that lasts. */
  function isKnown(health: HealthReports, counted: HealthReports, { name, scope }: AnyCheck): boolean {
    if (scope === 'replica' && !measured.has(name)) return false;
    const present = (of: HealthReports) => presentReports(of, name, now()).length;
    return present(counted) > 0 || present(health) === 0;
  }

  /** Sends the alerts that are due. Sent before they are stored: the same id is sent once. */
  async function sendAlerts(): Promise<void> {
    const health = await read();
    // A process that stops removes its reports, whose problems may last.
    if (signal.aborted) return;
    for (const check of checks) {
      const { name, certain } = check;
      const counted = countedOf(health, check);
      if (!isKnown(health, counted, check)) continue;
      const due = nextAlert(counted, name, now(), certain && 0);
      if (due === undefined) continue;
      const { alert } = due;
      const ending = alert.is === 'over' && (await check.valuesAtEnd?.(checkDeps, alert.values));
      if (sentUnstored.get(alert.problem)?.id !== alert.id)
        await notifyAdmins(ending ? { ...alert, values: { ...alert.values, ...ending } } : alert);
      await store.update({}, (before = NO_REPORTS) => {
        const kept = withoutOld(before, now());
        return { ...kept, alerts: { ...kept.alerts, [name]: due.state } };
      });
    }
  }

  /**
   * Alerts admins of a lasting problem of the storage if the outbox can't take that alert. Does so once for each problem, and
   * of the same one at most once in fifteen minutes. Never rejects.
   */
  async function alertOfStorage(): Promise<void> {
    const check = ofReplica.find(({ name }) => name === STORAGE.name);
    const mine = own.get(STORAGE.name);
    if (check === undefined || mine === undefined) return;
    const due = nextAlert(countedOf(shared, check), check.name, now());
    if (due === undefined) return;
    const { alert } = due;
    const last = sentUnstored.get(mine.problem);
    if (last && (last.id === alert.id || now() - last.at < ALERT_PAUSE_MS)) return;
    sentUnstored.set(mine.problem, { id: alert.id, at: now() });
    await notifyAdmins(alert)
      .catch(() => notifyUnstored(alert))
      .catch((err: unknown) => log.warn({ err, check: check.name }, 'admins were not alerted'));
  }

  for (const check of ofInstallation)
    recurringWork.every(`health-${check.name}`, check.everyMs, () => runForAll(check));
  recurringWork.every('health-alerts', SYNC_MS, sendAlerts);

  function presentProblems(): HealthProblem[] {
    return checks.flatMap((check) => {
      const { name, scope } = check;
      const reports = presentReports(countedOf(shared, check), name, now());
      return reports
        .filter(([reporter]) => reporter !== replica || own.has(name))
        .map(([reporter, { problem, severity, values, since }]) => ({
          ...{ check: name, problem, severity, values, since },
          ...(scope === 'replica' && { replica: reporter }),
        }));
    });
  }

  /**
   * Measures the checks that this replica needs to be ready, now and then regularly. Changes nothing outside of this
   * process. Returns once all of them were measured.
   */
  function begin(): Promise<unknown> {
    const runFirst = async (check: AnyCheck) => {
      await runOwn(check);
      void pause(check.everyMs, signal).then(() => repeatOwn(check));
    };
    begun ??= Promise.all(ofReplica.filter(({ unready }) => unready).map(runFirst));
    return begun;
  }

  return {
    checks,
    /** Name of this replica in problems and alerts: host and process id, unlike those of all earlier processes. */
    replica,
    begin,
    /** Runs all checks now, and then regularly. Returns once the checks were measured that this replica needs to be ready. */
    async start(): Promise<void> {
      isSharing = true;
      await begin();
      for (const check of ofReplica.filter(({ unready }) => !unready)) void repeatOwn(check);
      timer = setInterval(() => {
        void sync();
        void alertOfStorage();
      }, SYNC_MS).unref();
      for (const check of ofInstallation) void runFirstForAll(check);
    },
    /** Measures one check of the installation now, in addition to its regular measurements. Never rejects. */
    async measureNow(name: string): Promise<void> {
      // A measurement that is going on may have begun before what has changed.
      await running.get(name)?.catch(() => undefined);
      for (const check of ofInstallation)
        if (check.name === name) await runForAll(check).catch((err: unknown) => logFailure(check, err));
    },
    /** Returns the result of the latest measurements, from memory. */
    readiness(): Readiness {
      const failing: Record<string, Severity> = {};
      for (const { check, severity, replica: reporter = replica } of presentProblems())
        if (reporter === replica && failing[check] !== 'error') failing[check] = severity;
      const isReady = ofReplica.every(
        ({ name, unready }) => !unready || (measured.has(name) && own.get(name)?.severity !== 'error'),
      );
      return { isReady, failing };
    },
    /** Returns all present problems, errors first. Uses the last known ones while the storage is unavailable. */
    async problems(): Promise<HealthProblem[]> {
      await sync();
      return presentProblems().toSorted((one, other) => one.severity.localeCompare(other.severity));
    },
    /** Ends all checks, and removes this replica's reports. */
    async stop(): Promise<void> {
      stopping.abort();
      clearInterval(timer);
      await syncing;
      if (own.size === 0) return;
      own.clear();
      await sync();
    },
  };
}

/** Returns the report of a measurement, or the one before, whose problem may last, if nothing could be measured. */
function unlessUnmeasured(result: Result, before: Report | undefined): Report | undefined {
  return result === 'unmeasured' ? before : result;
}

/** Returns the result of `work`, which never rejects, or `aborted` as soon as `signal` aborts. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | 'aborted'> {
  return new Promise((resolve) => {
    const abort = () => resolve('aborted');
    signal.addEventListener('abort', abort);
    void work.then(resolve).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Waits until `ms` have passed or `signal` aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms).unref();
    signal.addEventListener('abort', end);
  });
}

/**
 * Measures a check. A measurement that fails or takes too long is a problem itself. Returns `no-storage` if it needs the
 * storage, which doesn't respond or refuses a call. Never rejects.
 */
export async function measureCheck(
  check: AnyCheck,
  deps: HealthDeps,
): Promise<Pick<HealthProblem, 'problem' | 'severity' | 'values'> | 'unmeasured' | 'no-storage' | undefined> {
  const { name, problems, measure } = check as Check<HealthDeps>;
  const late = () => {
    throw new Error(`no result within ${MEASURE_TIMEOUT_MS / SECOND_MS} seconds`);
  };
  try {
    const found = await orTimeout(measure(deps), MEASURE_TIMEOUT_MS, late);
    if (found === undefined || found === 'unmeasured') return found;
    const { problem } = found;
    const values = Object.entries(found.values ?? {}).flatMap(([name, value = '']) => [
      [name, typeof value === 'string' ? partOfSentence(value) : value],
    ]);
    return { problem, severity: problems[problem], values: Object.fromEntries(values) };
  } catch (error) {
    // The check of the storage reports this.
    if (error instanceof StorageUnavailable || error instanceof StorageUnfit) return 'no-storage';
    const why = partOfSentence(error instanceof Error ? error.message : String(error));
    return { problem: 'check-failed', severity: 'warning', values: { check: name, why } };
  }
}
