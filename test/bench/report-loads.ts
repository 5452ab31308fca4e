import type { Eventful } from './eventful.ts';
import type { Killed } from './killed.ts';
import type { Streamed } from './streaming.ts';
import { aim, shown, table } from './table.ts';

const EVENT_AIM_MS = 100;
const TOLD_AIM_MS = 20_000;

export function eventsReport({ paces, perSecond, accounts, notices, limited }: Eventful): string {
  const shownPaces = paces.map((pace, at) => ({ ...pace, pace: at === 0 ? perSecond / 10 : perSecond }));
  const p99 = paces.at(-1)?.cards.p99 ?? Number.NaN;
  const { refused, disobeyed } = limited;
  return [
    `Events of ${shown(accounts)} accounts, from the post to the card that says so.`,
    postedTable(shownPaces),
    `99th percentile at ${shown(perSecond)} a second, ms: ${aim(p99, EVENT_AIM_MS)}.`,
    'Deposits, from the post of their event, upon which they are read, to the notice in the chat: several of an account within three seconds are told together.',
    postedTable(notices),
    'The same with Telegram’s limits of 30 messages a second, and one a second in a chat.',
    postedTable([{ ...limited, pace: perSecond }]),
    `429s: ${shown(refused)}; calls to a chat before the time that its last one named: ${shown(disobeyed)}.`,
  ].join('\n\n');
}

type Posted = Eventful['paces'][number] & { pace: number };

function postedTable(all: readonly Posted[]): string {
  const rows = all.map(({ pace, count, postedIn, seconds, cards, answers, untold, statuses }) => {
    const answered = Object.entries(statuses).map(([status, times]) => `${times} × ${status}`);
    const figures = [cards.median, cards.p99, cards.worst, answers.p99];
    return [
      `${shown(pace)} a second`,
      count,
      count / seconds,
      ...figures,
      untold,
      answered.join(', '),
      postedIn,
    ];
  });
  const head = [
    'Events posted at',
    'events',
    'told a second',
    'median, ms',
    '99th percentile',
    'worst',
    'answered: p99',
    'untold',
    'answers',
    'posted in, s',
  ];
  return table(head, rows);
}

export function killedReport(killed: Killed): string {
  const { people, processes, asked, unknown, bought, untold, readyMs, ms, due } = killed;
  return [
    `${shown(people)} accounts confirm with ${processes} process${processes > 1 ? 'es' : ''}, and the service answers none; all are killed and one is started again. Telegram has no limits.`,
    table(
      ['Since the kill, ms', 'ready', 'told: median', '99th percentile', 'last'],
      [['', readyMs, ms.median, ms.p99, ms.last]],
    ),
    table(
      [
        'Of the purchases',
        'asked of the service',
        'told as unknown',
        'bought after all',
        'untold',
        'still watched',
      ],
      [[shown(people), asked, unknown, bought, untold, due]],
    ),
    `The last one is told: ${aim(untold === 0 ? ms.last : Number.POSITIVE_INFINITY, TOLD_AIM_MS, ' ms')}.`,
  ].join('\n\n');
}

export function streamReport(streamed: Streamed): string {
  const { perSecond, people, walked, dueAtOnce, due, drainedMs, why, orders } = streamed;
  const { walks, ms, skipped, outcomes, replies } = walked;
  const reasons = Object.entries(why).map(([name, count]) => `${count} ${name}`);
  return [
    `${shown(perSecond)} purchases begun a second by ${shown(people)} people of as many accounts, with one process.`,
    table(
      [
        'Purchases',
        'done',
        'orders',
        'done a second',
        'nobody free',
        'Confirm → outcome: median, ms',
        'p99',
        'words: p99',
      ],
      [['', walks, orders, (1000 * walks) / ms, skipped, outcomes.median, outcomes.p99, replies.p99]],
    ),
    `In the due index at the end: ${shown(dueAtOnce)}; after ${shown(drainedMs / 1000)} s: ${shown(due)}${reasons.length > 0 ? ` (${reasons.join(', ')})` : ', so nothing is left to do'}.`,
    ...said(walked.failures),
  ].join('\n\n');
}

function said(failures: Record<string, number>): string[] {
  return Object.entries(failures).map(([why, count]) => `Failed ${count} times: ${why}`);
}
