import type { Acts } from './person.ts';
import type { Finding, FindingKind, Verdict } from './verdict.ts';

export interface Figures {
  counts: { kills: number; freezes: number; redis: number; lostEvents: number; faults: number; fell: number };
  acts: Acts;
  verdict: Verdict;
  findings: Finding[];
}

export function progressLine({ counts, acts, verdict, findings }: Figures): string {
  return [
    `kills ${counts.kills}`,
    `freezes ${counts.freezes}`,
    `Redis disturbances ${counts.redis}`,
    `faults ${counts.faults}`,
    `purchases begun ${acts.begun}`,
    `taps ${acts.taps.length}`,
    `judged: confirmations ${verdict.confirmations}`,
    `findings ${findings.length}`,
  ].join(', ');
}

export function tableOf({ counts, acts, verdict, findings }: Figures): string {
  const rows: [string, number | string][] = [
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
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `| ${name.padEnd(width)} | ${String(value).padStart(6)} |`).join('\n');
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
