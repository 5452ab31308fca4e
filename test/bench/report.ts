import { AFTERWARDS, type Alone, type StepCost, total } from './alone.ts';
import type { Compared } from './compared.ts';
import type { Eventful, Killed, Streamed } from './loads.ts';
import type { Perceived } from './perceived.ts';
import { aim, shown, spread, table } from './table.ts';
import { CONFIRM, WHOLE } from './walks.ts';

type Figures = Omit<Alone, 'replies'>;
/** Maximum ratio of the app's CPU per update to the floor's. */
const CPU_AIMS: Partial<Record<string, number>> = { purchase: 3, menu: 1.6 };
const ROUND_TRIP_AIMS = { average: 3, confirm: 10 };
const NAMES: Partial<Record<string, string>> = {
  purchase: 'whole purchases',
  menu: 'menu taps',
};

export function cpuReport(cpu: Compared[]): string {
  const head = ['CPU per update, µs', 'app', 'floor', 'app ÷ floor', 'aim', 'Redis: app', 'Redis: floor'];
  const rows = cpu.map(({ walk, app, floor }) => {
    const [ours, least] = [app.figures.microseconds, floor.figures.microseconds];
    const ratio = (ours?.median ?? Number.NaN) / (least?.median ?? Number.NaN);
    const most = CPU_AIMS[walk];
    const redis = [app, floor].map(({ figures }) => figures.redisMicroseconds?.median ?? Number.NaN);
    const figures = [ours, least].map((one) => (one ? spread(one) : '–'));
    return [
      NAMES[walk] ?? walk,
      ...figures,
      `${shown(ratio)} ×`,
      most ? aim(ratio, most, ' ×') : '',
      ...redis,
    ];
  });
  const rates = cpu.map(({ walk, app, floor }) => {
    const rate = [app, floor].map(({ figures: { updatesPerSecond: one } }) => (one ? spread(one) : '–'));
    const calls = [app, floor].map(({ figures }) => figures.calls?.median ?? Number.NaN);
    return [NAMES[walk] ?? walk, ...rate, ...calls];
  });
  const slices = cpu.map(({ walk, app, floor }) => {
    const said = [app, floor].map(({ kept, dropped }) => `${kept} kept, ${dropped} dropped`);
    const isNoisy = app.isNoisy || floor.isNoisy;
    return `${NAMES[walk] ?? walk}: app ${said[0]}; floor ${said[1]}${isNoisy ? ' – NOISY: hardly any was quiet' : ''}`;
  });
  return [
    'Median of the slices (least–most).',
    table(head, rows),
    table(['Updates a second', 'app', 'floor', 'HTTP calls of an update: app', 'floor'], rates),
    `Slices: ${slices.join('; ')}.`,
    ...cpu.flatMap(({ failures }) => said(failures)),
  ].join('\n\n');
}

export function perceivedReport({ delays, thinkMs, people, steps }: Perceived): string {
  const { telegramMs, rentalMs } = delays;
  return [
    `Telegram responds after ${shown(telegramMs)} ms, the service after ${shown(rentalMs)} ms. ${shown(people)} users, one at a time, who think for ${shown(thinkMs)} ms before each step.`,
    table(
      [
        'Since the step, median, ms',
        'first visible change',
        'callback query answered',
        'step done',
        'messages sent or edited',
      ],
      steps.map(({ step, visible, answered, done, views }) => [step, visible, answered ?? '', done, views]),
    ),
  ].join('\n\n');
}

export function roundTripReport({ idle, steps }: Figures): string {
  const whole = steps.filter(({ step }) => WHOLE.includes(step) || step === AFTERWARDS);
  const sum = (name: keyof Omit<StepCost, 'step'>) => whole.reduce((all, one) => all + one[name], 0);
  const row = (one: StepCost) => {
    const { step, roundTrips, commands, bytesOut, bytesIn, requests } = one;
    return [step, roundTrips, commands, bytesOut, bytesIn, requests];
  };
  const names = ['roundTrips', 'commands', 'bytesOut', 'bytesIn', 'requests'] as const;
  const average = sum('roundTrips') / WHOLE.length;
  const confirm = whole.find(({ step }) => step === CONFIRM)?.roundTrips ?? Number.NaN;
  return [
    'One person alone, who has bought once before. A connection with nothing unanswered that begins to ask makes a round trip; the median of all times. What the watch does is the mean, less what the idle bot does.',
    table(
      ['Redis by step', 'round trips', 'commands', 'bytes out', 'bytes in', 'HTTP calls'],
      [
        ...whole.map(row),
        ['a whole purchase', ...names.map(sum)],
        ...steps.filter((one) => !whole.includes(one)).map(row),
        ['idle, in a second', idle.roundTrips, idle.commands, idle.bytesOut, idle.bytesIn, ''],
      ],
    ),
    `Round trips of an update of a purchase on average, the watch with it: ${shown(average)} (${aim(average, ROUND_TRIP_AIMS.average)}); on Confirm: ${shown(confirm)} (${aim(confirm, ROUND_TRIP_AIMS.confirm)}).`,
  ].join('\n\n');
}

export function keptReport({ kept }: Figures): string {
  const row = (name: string, bytes: Record<string, number>) => {
    const parts = Object.entries(bytes).map(([key, one]) => `${key} ${shown(Math.round(one))}`);
    return [name, Math.round(total(bytes)), parts.join(', ')];
  };
  return table(
    ['Bytes in Redis', 'bytes', 'of which'],
    [
      row('linked user, idle', kept.linked),
      row('added by an open flow', kept.amidFlow),
      row('an operation, once done', kept.operation),
    ],
  );
}

const EVENT_AIM_MS = 100;
const NOTIFIED_AIM_MS = 20_000;

export function eventsReport({ paces, perSecond, accounts, notices, limited }: Eventful): string {
  const shownPaces = paces.map((pace, at) => ({ ...pace, pace: at === 0 ? perSecond / 10 : perSecond }));
  const p99 = paces.at(-1)?.cards.p99 ?? Number.NaN;
  const { refused, disobeyed } = limited;
  return [
    `Events of ${shown(accounts)} accounts, from the post to the card that says so.`,
    postedTable(shownPaces),
    `99th percentile at ${shown(perSecond)} a second, ms: ${aim(p99, EVENT_AIM_MS)}.`,
    'Deposits, from the post of their event, upon which they are read, to the notice in the chat: several of an account within three seconds are reported together.',
    postedTable(notices),
    'The same with Telegram’s limits of 30 messages a second, and one a second in a chat.',
    postedTable([{ ...limited, pace: perSecond }]),
    `429s: ${shown(refused)}; calls to a chat before the time that its last one named: ${shown(disobeyed)}.`,
  ].join('\n\n');
}

type Posted = Eventful['paces'][number] & { pace: number };

function postedTable(all: readonly Posted[]): string {
  const rows = all.map(({ pace, count, postedIn, seconds, cards, answers, unreported, statuses }) => {
    const answered = Object.entries(statuses).map(([status, times]) => `${times} × ${status}`);
    const figures = [cards.median, cards.p99, cards.worst, answers.p99];
    return [
      `${shown(pace)} a second`,
      count,
      count / seconds,
      ...figures,
      unreported,
      answered.join(', '),
      postedIn,
    ];
  });
  const head = [
    'Events posted at',
    'events',
    'reported a second',
    'median, ms',
    '99th percentile',
    'worst',
    'answered: p99',
    'unreported',
    'answers',
    'posted in, s',
  ];
  return table(head, rows);
}

export function killedReport(killed: Killed): string {
  const { people, processes, asked, unknown, bought, unreported, readyMs, ms, due } = killed;
  return [
    `${shown(people)} accounts confirm with ${processes} process${processes > 1 ? 'es' : ''}, and the service answers none; all are killed and one is started again. Telegram has no limits.`,
    table(
      ['Since the kill, ms', 'ready', 'notified: median', '99th percentile', 'last'],
      [['', readyMs, ms.median, ms.p99, ms.last]],
    ),
    table(
      [
        'Of the purchases',
        'requested from the service',
        'reported as unknown',
        'bought after all',
        'unreported',
        'still watched',
      ],
      [[shown(people), asked, unknown, bought, unreported, due]],
    ),
    `The last user is notified: ${aim(unreported === 0 ? ms.last : Number.POSITIVE_INFINITY, NOTIFIED_AIM_MS, ' ms')}.`,
  ].join('\n\n');
}

export function streamReport(streamed: Streamed): string {
  const { perSecond, people, walked, dueAtOnce, due, drainedMs, orders } = streamed;
  const { walks, ms, skipped, outcomes, replies } = walked;
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
    `In the due index at the end: ${shown(dueAtOnce)}; after ${shown(drainedMs / 1000)} s: ${shown(due)}.`,
    ...said(walked.failures),
  ].join('\n\n');
}

function said(failures: Record<string, number>): string[] {
  return Object.entries(failures).map(([why, count]) => `Failed ${count} times: ${why}`);
}
