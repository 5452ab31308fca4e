import type { TextKey } from '../i18n/keys.ts';
import { NO_BREAK, type Variables, type Words } from '../i18n/texts.ts';

/** Problem that a health check can find: `NAME` of every text `health-NAME-advice`. */
export type ProblemName = {
  [Key in TextKey]: Key extends `health-${infer Name}-advice` ? Name : never;
}[TextKey];

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

/** Returns what is wrong and what to do about it, one sentence each, as plain text. */
export function describeProblem(
  words: Words,
  { problem, values }: Pick<HealthProblem, 'problem' | 'values'>,
): { finding: string; advice: string } {
  return {
    finding: words.plain(`health-${problem}`, values),
    advice: words.plain(`health-${problem}-advice`, values),
  };
}

/** Describes a problem for logs, terminals and documents, in which a no-break space would be hard to search for. */
export function describeForLog(...about: Parameters<typeof describeProblem>) {
  const { finding, advice } = describeProblem(...about);
  return { finding: finding.replaceAll(NO_BREAK, ' '), advice: advice.replaceAll(NO_BREAK, ' ') };
}
