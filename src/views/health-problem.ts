import type { HealthVariables } from '../i18n/keys.ts';
import { NO_BREAK, type Variables, type Words } from '../i18n/texts.ts';

/** Problem that a health check can find: `NAME` of every text `health-NAME-advice`. */
export type ProblemName = keyof HealthVariables;

/** Problem of a health check. `replica` is set if only this replica has it. */
export interface HealthProblem {
  check: string;
  problem: ProblemName;
  severity: 'warning' | 'error';
  values: Variables;
  /** Start, in epoch milliseconds. */
  since: number;
  replica?: string;
}

/**
 * Returns what is wrong and what to do about it, one sentence each, as plain text. A report of another version of the bot may
 * lack values that the texts need.
 */
export function describeProblem(
  words: Words,
  { problem, values }: Pick<HealthProblem, 'problem' | 'values'>,
): { finding: string; advice: string } {
  const textsOf = (name: ProblemName, variables: Variables) => ({
    finding: words.plain(`health-${name}`, variables),
    advice: words.plain(`health-${name}-advice`, variables),
  });
  try {
    return textsOf(problem, values);
  } catch (error) {
    return textsOf('check-failed', {
      check: problem,
      why: error instanceof Error ? error.message : 'unknown reason',
    });
  }
}

/** Describes a problem for logs, terminals and documents, in which a no-break space would be hard to search for. */
export function describeForLog(...about: Parameters<typeof describeProblem>) {
  const { finding, advice } = describeProblem(...about);
  return { finding: finding.replaceAll(NO_BREAK, ' '), advice: advice.replaceAll(NO_BREAK, ' ') };
}
