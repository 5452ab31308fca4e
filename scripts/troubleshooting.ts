import { fileURLToPath } from 'node:url';
import { type AnyCheck, CHECKS } from '../src/health/checks.ts';
import { createTexts, type Variables } from '../src/i18n/texts.ts';
import { MINUTE_MS, SECOND_MS } from '../src/platform/clock.ts';
import { REDIS_FAULTS } from '../src/platform/redis-faults.ts';
import { describeProblem, type ProblemName } from '../src/views/health-problem.ts';

import { writeGenerated } from './generated.ts';

const FILE = new URL('../docs/operating/troubleshooting.md', import.meta.url);

const words = createTexts().in('en');
/** Shows each variable of a text as an ellipsis. */
const ANY_VALUES = new Proxy<Variables>(
  {},
  {
    get: () => '…',
    getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: '…' }),
  },
);

/** Returns the entries of all problems that health checks find, and of the messages about Redis, as Markdown. */
export function troubleshootingEntries(): string {
  const faults = REDIS_FAULTS.map(([pattern, advice]) => `| ${cell(inWords(pattern))} | ${cell(advice)} |`);
  return [
    '## Messages of Redis and of its connection',
    ['| Contains | Explanation in the message |', '|---|---|', ...faults].join('\n'),
    '## Problems that health checks find',
    ...CHECKS.map(entryOf),
  ].join('\n\n');
}

function entryOf({ name, everyMs, scope, unready, problems }: AnyCheck): string {
  const rows = Object.entries(problems).map(([problem, severity]) => {
    const { finding, advice } = describeProblem(words, {
      problem: problem as ProblemName,
      values: ANY_VALUES,
    });
    return `| ${cell(finding)} | ${severity} | ${cell(advice)} |`;
  });
  const where = scope === 'replica' ? 'on each replica' : 'on one replica for all';
  const effect = unready ? ' While it has an error, `/readyz` is 503.' : '';
  return [
    `### ${name}`,
    `Measured every ${spanOf(everyMs)}, ${where}.${effect}`,
    ['| Finding | Severity | What to do |', '|---|---|---|', ...rows].join('\n'),
  ].join('\n\n');
}

/** `10 seconds`, `1 minute` */
function spanOf(ms: number): string {
  const [count, unit] = ms < MINUTE_MS ? [ms / SECOND_MS, 'second'] : [ms / MINUTE_MS, 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Returns the alternatives of a pattern as a reader would search for them. */
function inWords({ source }: RegExp): string {
  const [, before = '', group, after = ''] = /^(.*)\((.*)\)(.*)$/.exec(source) ?? [];
  const alternatives =
    group === undefined ? source.split('|') : expanded(before.split('|'), group.split('|'), after);
  return alternatives.map((one) => `\`${one.replace(/[\^?]/g, '').replace("'", '')}\``).join(', ');
}

/** Puts each alternative of a group behind the last of the alternatives before it. */
function expanded(before: readonly string[], group: readonly string[], after: string): string[] {
  const last = before.at(-1) ?? '';
  return [...before.slice(0, -1), ...group.map((one) => `${last}${one}${after}`)];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\.$/, '');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeGenerated(FILE, 'troubleshooting', troubleshootingEntries());
