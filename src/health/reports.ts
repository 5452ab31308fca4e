import { z } from 'zod';
import type { HealthAlert } from '../notifications/kinds.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../platform/clock.ts';
import { defineRecord } from '../platform/records.ts';
import type { ProblemName } from '../views/health-problem.ts';

/** Reporter of the checks that one replica measures for all. */
export const INSTALLATION = 'all';
/**
 * Interval at which a reporter repeats a report while its problem lasts, in milliseconds. A process that has just started
 * takes no notice of the reports of other replicas until they are repeated.
 */
export const REPEAT_MS = 10 * SECOND_MS;
/**
 * Age from which the report of a replica counts as over, because its process ended without another one, in milliseconds.
 * A problem of the installation is only over once it was measured again.
 */
export const STALE_MS = 3 * MINUTE_MS;
/** Minimum duration of a problem that admins are alerted of, in milliseconds. */
const ALERT_AFTER_MS = 10 * SECOND_MS;
/** Minimum time between two alerts about the same problem, in milliseconds, unless it becomes an error. */
export const ALERT_PAUSE_MS = 15 * MINUTE_MS;
/** The same for another problem of the check. */
const OTHER_PAUSE_MS = MINUTE_MS;
/** Time for which an ended report or alert is kept, in milliseconds. Longer than the pause between alerts. */
const KEPT_MS = HOUR_MS;

const problemSchema = z.object({
  problem: z.string().transform((name) => name as ProblemName),
  severity: z.enum(['warning', 'error']),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
  /** Start of the problem, in epoch milliseconds. */
  since: z.number(),
});

const reportSchema = problemSchema.extend({
  /** Time of the last measurement that was reported, in epoch milliseconds. */
  at: z.number(),
  /** End of the problem. Set if it ended before it could be reported. */
  endedAt: z.number().optional(),
});

const alertSchema = problemSchema.extend({
  /** Replicas with the problem. Missing if it is one of the installation. */
  replicas: z.array(z.string()).optional(),
  /** Other problems of the check that admins were alerted of before, newest first, and not since told that they are over. */
  earlier: z.array(problemSchema).optional(),
  /** Time of the alert, in epoch milliseconds. */
  at: z.number(),
  /** Time at which the last report of the problem was removed, until the alert that it is over. */
  overAt: z.number().optional(),
  /** Time of the alert that the problem is over. */
  endedAt: z.number().optional(),
});

const healthSchema = z.object({
  /** Problems by check and reporter: a replica, or {@link INSTALLATION}. */
  reports: z.record(z.string(), z.record(z.string(), reportSchema)),
  /** Last alert by check. */
  alerts: z.record(z.string(), alertSchema),
});

/** Problem of a check, as replicas share it. */
export type Report = z.infer<typeof reportSchema>;
type Alert = z.infer<typeof alertSchema>;
export type HealthReports = z.infer<typeof healthSchema>;
export const NO_REPORTS: HealthReports = { reports: {}, alerts: {} };

/** Shared by all replicas. */
export const HEALTH = defineRecord({
  keys: 'health',
  content: 'Problems that health checks found, and the last alert about each check',
  schema: healthSchema,
  ttlMs: 'none',
  expiry: 'none: a single record',
  signed: false,
  anonymous: true,
});

/** Returns whether two reports are about the same problem. Their values may differ. */
export function isSameProblem(
  one: Pick<Report, 'problem' | 'severity'> | undefined,
  other: Pick<Report, 'problem' | 'severity'> | undefined,
): boolean {
  return one?.problem === other?.problem && one?.severity === other?.severity;
}

/** Returns the reports with one of them replaced, or removed if `report` is `undefined`. `now`: time of the change. */
export function withReport(
  health: HealthReports,
  { check, reporter, now }: { check: string; reporter: string; now: number },
  report: Report | undefined,
): HealthReports {
  const { [reporter]: before, ...others } = health.reports[check] ?? {};
  const reports = { ...health.reports, [check]: report ? { ...others, [reporter]: report } : others };
  const alert = health.alerts[check];
  if (alert === undefined || (before === undefined && report === undefined)) return { ...health, reports };
  const alerts = { ...health.alerts, [check]: { ...alert, overAt: report ? undefined : now } };
  return { ...health, reports, alerts };
}

/** Returns the reports of a check whose problem lasts, errors first and then the oldest. */
export function presentReports(health: HealthReports, check: string, now: number): [string, Report][] {
  return Object.entries(health.reports[check] ?? {})
    .filter(
      ([reporter, { at, endedAt }]) =>
        endedAt === undefined && (reporter === INSTALLATION || now - at < STALE_MS),
    )
    .toSorted(([, one], [, other]) => rank(one) - rank(other) || one.since - other.since);
}

const rank = ({ severity }: Pick<Report, 'severity'>) => (severity === 'error' ? 0 : 1);

/**
 * Returns the alert about a check that is due now, if any, and the state after it. Its id is the same whichever replica
 * sends it. A problem that comes again and again causes at most one pair of alerts in fifteen minutes.
 */
export function nextAlert(
  health: HealthReports,
  check: string,
  now: number,
  alertAfterMs = ALERT_AFTER_MS,
): { alert: HealthAlert; state: Alert } | undefined {
  const last = health.alerts[check];
  const isOpen = last !== undefined && last.endedAt === undefined;
  const present = presentReports(health, check, now);
  const [[, worst] = []] = present;
  const isPaused = (problem: string) =>
    last !== undefined && now - last.at < (problem === last.problem ? ALERT_PAUSE_MS : OTHER_PAUSE_MS);

  if (worst) {
    if (isOpen && isSameProblem(last, worst)) return undefined;
    const isWorse = last !== undefined && rank(worst) < rank(last);
    if (now - worst.since < alertAfterMs || (isPaused(worst.problem) && !isWorse)) return undefined;
    const same = present.filter(([, report]) => isSameProblem(report, worst));
    const earlier = isOpen ? [last, ...(last.earlier ?? [])].map(stateOf) : [];
    const others = earlier.filter(({ problem }) => problem !== worst.problem);
    const state = {
      ...{ ...stateOf(worst), ...replicasOf(same.map(([reporter]) => reporter)), at: now },
      ...(others.length > 0 && { earlier: others }),
    };
    return alertOf('begun', check, state, now, last?.endedAt);
  }
  if (isOpen) return alertOf('over', check, { ...last, endedAt: now }, last.overAt ?? now);
  // A problem that could be reported only after its end, for example an outage of Redis.
  const [reporter, ended] =
    Object.entries(health.reports[check] ?? {}).find(
      ([, { since, endedAt }]) =>
        endedAt !== undefined && endedAt - since >= ALERT_AFTER_MS && since !== last?.since,
    ) ?? [];
  if (reporter === undefined || ended === undefined || isPaused(ended.problem)) return undefined;
  const { endedAt = now } = ended;
  return alertOf('over', check, { ...stateOf(ended), ...replicasOf([reporter]), at: now, endedAt }, endedAt);
}

const replicasOf = (reporters: readonly string[]): Pick<Alert, 'replicas'> =>
  reporters.includes(INSTALLATION) ? {} : { replicas: reporters.toSorted() };

const stateOf = ({ problem, severity, values, since }: z.infer<typeof problemSchema>) => ({
  problem,
  severity,
  values,
  since,
});

/** `afterEnd`: end of the alert before, in which the same problem may have seemed over. */
function alertOf(is: 'begun' | 'over', check: string, state: Alert, until: number, afterEnd?: number) {
  const { problem, severity, values, since, replicas, earlier } = state;
  const again = afterEnd === undefined ? '' : `:${afterEnd}`;
  const id = `${check}:${problem}:${severity}:${since}:${is}${again}`;
  const others = is === 'over' ? (earlier ?? []) : [];
  const ms = Math.max(0, until - Math.min(since, ...others.map((one) => one.since)));
  const alert: HealthAlert = {
    ...{ id, check, is, problem, severity, values, ms },
    ...(replicas && { replicas }),
    ...(others.length > 0 && { earlier: others.map(({ problem, values }) => ({ problem, values })) }),
  };
  return { alert, state };
}

/** Returns the reports without those that ended or went stale long ago, and without checks that are over. */
export function withoutOld(health: HealthReports, now: number): HealthReports {
  const keep = <T>(all: Record<string, T>, isKept: (one: T, key: string) => boolean) =>
    Object.fromEntries(Object.entries(all).filter(([key, one]) => isKept(one, key)));
  const reports = Object.entries(health.reports)
    .map(([check, all]) => {
      const kept = keep(all, ({ at }, reporter) => reporter === INSTALLATION || now - at < KEPT_MS);
      return [check, kept] as const;
    })
    .filter(([, all]) => Object.keys(all).length > 0);
  const alerts = keep(health.alerts, ({ at, endedAt }) => endedAt === undefined || now - at < KEPT_MS);
  return { reports: Object.fromEntries(reports), alerts };
}
