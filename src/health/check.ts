import type { Variables } from '../i18n/texts.ts';
import type { ProblemName } from '../views/health-problem.ts';

export type Severity = 'warning' | 'error';

/** Problem that a check found. `values` are the variables of its two texts, and contain no secret. */
export interface Found<Problem extends ProblemName = ProblemName> {
  problem: Problem;
  values: Variables;
}

/**
 * Health check: measures one thing around the bot. The log, the admins' alerts, *Admin → State*, `/readyz` and
 * `npm run doctor` show its result.
 */
export interface Check<Deps = unknown, Problem extends ProblemName = ProblemName> {
  readonly name: string;
  /** Interval from the end of a measurement to the next one, in milliseconds. */
  readonly everyMs: number;
  /** `replica`: every process measures for itself. `installation`: one replica at a time measures for all. */
  readonly scope: 'replica' | 'installation';
  /** While the check has an error, this replica takes no requests (`/readyz` 503). Only for checks of a replica. */
  readonly unready?: true;
  /** `running`: only a running bot can measure it, so the doctor doesn't. */
  readonly needs?: 'running';
  /** Problems that the check can find. Their texts are `health-NAME` and `health-NAME-advice`. */
  readonly problems: Readonly<Record<Problem, Severity>>;
  /** Returns the problem, or `undefined` if there is none. Changes nothing. */
  measure(deps: Deps): Promise<Found<Problem> | undefined>;
  /** Tries to end a problem that was just found, before it is measured again. The doctor doesn't call it. */
  repair?(deps: Deps, found: Found<Problem>): Promise<void>;
}

/**
 * Defines a check.
 *
 * @example
 * const PENDING_UPDATES = defineCheck({
 *   name: 'pending-updates',
 *   everyMs: MINUTE_MS,
 *   scope: 'installation',
 *   problems: { 'updates-pending': 'warning' },
 *   async measure({ telegram }: Pick<HealthDeps, 'telegram'>) {
 *     const { pending_update_count: count } = await telegram.getWebhookInfo();
 *     return count > MANY ? { problem: 'updates-pending', values: { count } } : undefined;
 *   },
 * });
 */
export function defineCheck<Deps, const Problem extends ProblemName>(
  check: Check<Deps, Problem>,
): Check<Deps, Problem> {
  return check;
}
