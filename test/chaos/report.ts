import { table } from '../bench/table.ts';
import type { Acts } from './person.ts';
import type { Finding, FindingKind, Verdict } from './verdict.ts';

export interface Figures {
  counts: { kills: number; freezes: number; redis: number; lostEvents: number; faults: number; fell: number };
  acts: Acts;
  verdict: Verdict;
  findings: Finding[];
}

export function progressLine(figures: Figures): string {
  return rowsOf(figures)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

export const tableOf = (figures: Figures) => table(['', 'count'], rowsOf(figures));

function rowsOf({ counts, acts, verdict, findings }: Figures): [string, number][] {
  return [
    ['bots killed', counts.kills],
    ['bots frozen', counts.freezes],
    ['bots that ended by themselves', counts.fell],
    ['Redis killed or paused', counts.redis],
    ['times when events were lost', counts.lostEvents],
    ['faults of service and Telegram', counts.faults],
    ['purchases begun', acts.begun],
    ['purchases given up without an answer', acts.givenUp],
    ['taps', acts.taps.length],
    ['operations confirmed', verdict.confirmations],
    ['purchases executed', verdict.executions],
    ['doubled', count(findings, 'doubled')],
    ['unreported', count(findings, 'unreported')],
    ['reported too late', count(findings, 'late')],
    ['silent taps', count(findings, 'silent')],
  ];
}

export function lastLine({ counts, verdict, findings }: Figures): string {
  return [
    `kills ${counts.kills}`,
    `Redis disturbances ${counts.redis}`,
    `confirmations ${verdict.confirmations}`,
    `doubled ${count(findings, 'doubled')}`,
    `unreported ${count(findings, 'unreported')}`,
    `reported within ${(verdict.reportedWithinMs / 1000).toFixed(1)} s`,
    `silent taps ${count(findings, 'silent')}`,
  ].join(', ');
}

function count(findings: Finding[], kind: FindingKind): number {
  return findings.filter((finding) => finding.kind === kind).length;
}
