import type { HealthVariables } from '../i18n/keys.ts';
import { SECOND_MS } from '../platform/clock.ts';
import { toPrintable } from '../rental-api/schemas.ts';
import type { ProblemName } from '../views/health-problem.ts';

export type Severity = 'warning' | 'error';

/** Values of a problem's texts, as they are stored. */
export type Values = Readonly<Record<string, string | number>>;

type AnyValues = Readonly<Record<string, string | number | undefined>>;

/** Problem that a check found. `values` has at least the variables of its two texts, and contains no secret. */
export type Found<Problem extends ProblemName = ProblemName> = {
  [Name in Problem]: HealthVariables[Name] extends never
    ? { problem: Name; values?: AnyValues }
    : { problem: Name; values: AnyValues & Readonly<Record<HealthVariables[Name], string | number>> };
}[Problem];

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
  /** A second look would find the same, so a problem is reported and alerted at once. */
  readonly certain?: true;
  /** Only a running bot can measure it. The doctor shows what running processes found. */
  readonly onlyRunning?: true;
  /** Problems that the check can find. Their texts are `health-NAME` and `health-NAME-advice`. */
  readonly problems: Readonly<Record<Problem, Severity>>;
  /**
   * Returns the problem, or `undefined` if there is none; `unmeasured` if another check reports why it can't be measured,
   * which leaves the last result as it is. Changes nothing.
   */
  measure(deps: Deps): Promise<Measurement<Problem>>;
  /**
   * Tries to end a problem that was found twice, before it is reported. The doctor doesn't call it.
   */
  repair?(deps: Deps, found: { problem: Problem; values?: Values }): Promise<void>;
  /** Returns how a problem ended, from the values of its first alert, for the alert that it is over. */
  valuesAtEnd?(deps: Deps, values: Values): Promise<Values>;
}

/** Time after which a new problem is measured again before it is reported, in milliseconds. */
export const CONFIRM_AFTER_MS = 5 * SECOND_MS;

/** Returns whether a problem is reported without a second measurement. */
export function isReportedAtOnce({ unready, certain }: Pick<Check, 'unready' | 'certain'>): boolean {
  return unready === true || certain === true;
}

/** Returns the longest time from a fault to its report in milliseconds, without the duration of the measurements. */
export function longestDetectionMs(check: Pick<Check, 'everyMs' | 'unready' | 'certain'>): number {
  return check.everyMs + (isReportedAtOnce(check) ? 0 : CONFIRM_AFTER_MS);
}

const MAX_VALUE_LENGTH = 200;

/** Returns a text of another program in one line, short and without a full stop. */
export function partOfSentence(text: string): string {
  return toPrintable(text, MAX_VALUE_LENGTH).replace(/\.$/, '');
}

export type Measurement<Problem extends ProblemName = ProblemName> =
  | Found<Problem>
  | 'unmeasured'
  | undefined;

/**
 * Defines a check.
 *
 * @example
 * const QUEUE = defineCheck({
 *   name: 'telegram-queue',
 *   everyMs: MINUTE_MS,
 *   scope: 'installation',
 *   problems: { 'updates-pending': 'warning' },
 *   async measure({ telegram }: TelegramCheckDeps) {
 *     const { pending_update_count: count } = await telegram.getWebhookInfo();
 *     return count < MANY ? undefined : { problem: 'updates-pending', values: { count } };
 *   },
 * });
 */
export function defineCheck<Deps, const Problem extends ProblemName>(
  check: Omit<Check<Deps, Problem>, 'measure' | 'repair'> & {
    measure(deps: Deps): Promise<Measurement<NoInfer<Problem>>>;
    repair?(deps: Deps, found: { problem: NoInfer<Problem>; values?: Values }): Promise<void>;
  },
): Check<Deps, Problem> {
  return check;
}
