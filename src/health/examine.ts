import type { Words } from '../i18n/texts.ts';
import { describeForLog } from '../views/health-problem.ts';
import type { Severity } from './check.ts';
import { CHECKS, type HealthDeps } from './checks.ts';
import { measureCheck } from './health.ts';
import { type HealthReports, NO_REPORTS, presentReports, STALE_MS } from './reports.ts';

/** Result of one check. `finding` and `advice` are empty if the status is `ok`. */
export interface CheckResult {
  check: string;
  status: 'ok' | Severity | 'unmeasured';
  finding: string;
  advice: string;
}

const OK = { status: 'ok', finding: '', advice: '' } as const;
const UNMEASURED = {
  unmeasured: {
    status: 'unmeasured',
    finding: 'Another problem prevents this check.',
    advice: 'Solve that first.',
  },
  'no-storage': {
    status: 'unmeasured',
    finding: "Not measured, because Redis can't be reached or refuses the call.",
    advice: 'Solve the problem of storage or redis-setup first.',
  },
} as const;

/**
 * Measures all checks once that don't need a running bot, without repairs. Of the others, returns the problems that running
 * processes have reported. `reading`: their reports.
 */
export async function examineAll(
  deps: HealthDeps,
  words: Words,
  reading: Promise<HealthReports | undefined>,
): Promise<CheckResult[]> {
  const measured = CHECKS.filter(({ onlyRunning }) => !onlyRunning).map(
    async (check): Promise<CheckResult> => {
      const { name } = check;
      const found = await measureCheck(check, deps);
      if (found === undefined) return { check: name, ...OK };
      if (typeof found === 'string') return { check: name, ...UNMEASURED[found] };
      return { check: name, status: found.severity, ...describeForLog(words, found) };
    },
  );
  const [results, reports = NO_REPORTS] = await Promise.all([Promise.all(measured), reading]);
  const reported = CHECKS.filter(({ onlyRunning }) => onlyRunning).flatMap(({ name }): CheckResult[] => {
    const present = presentReports(reports, name, deps.now());
    const [, report] = present.find(([, { at }]) => deps.now() - at < STALE_MS) ?? [];
    return report ? [{ check: name, status: report.severity, ...describeForLog(words, report) }] : [];
  });
  return [...results, ...reported];
}
