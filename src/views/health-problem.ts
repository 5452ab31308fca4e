import type { TextKey } from '../i18n/keys.ts';
import type { Variables, Words } from '../i18n/texts.ts';

/** Problem that a health check can find: `NAME` of every text `health-NAME-advice`. */
export type ProblemName = {
  [Key in TextKey]: Key extends `health-${infer Name}-advice` ? Name : never;
}[TextKey];

/** Returns what is wrong and what to do about it, one sentence each, as plain text. */
export function describeProblem(
  words: Words,
  { problem, values }: { problem: ProblemName; values: Variables },
): { finding: string; advice: string } {
  return {
    finding: words.plain(`health-${problem}`, values),
    advice: words.plain(`health-${problem}-advice`, values),
  };
}
