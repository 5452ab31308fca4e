import { AFTERWARDS, type Alone, type StepCost, total } from './alone.ts';
import type { Compared } from './compared.ts';
import type { Side } from './identities.ts';
import type { Eventful, Killed, Streamed } from './loads.ts';
import type { Perceived, PerceivedStep } from './perceived.ts';
import type { Scraped } from './scraped.ts';
import { type Spread, type Summary, spreadOf } from './slices.ts';
import type { Sustained } from './sustained.ts';
import { aim, failureLines, shown, spread, table } from './table.ts';
import { CONFIRM, PURCHASE_STEPS, type WalkName } from './walks.ts';

type Figures = Omit<Alone, 'replies'>;
/** Maximum ratio of the app's CPU per update to that of another side, by walk. */
const CPU_AIMS: Partial<Record<WalkName, Partial<Record<Side, number>>>> = {
  purchase: { floor: 3, telegraf: 1.5, grammy: 1 },
  menu: { floor: 1.6, telegraf: 1 },
};
const ROUND_TRIP_AIMS = { before: 3, confirm: 10, idle: 4 };
const WALK_NAMES: Partial<Record<WalkName, string>> = { purchase: 'whole purchases', menu: 'menu taps' };
const SIDE_NAMES: Record<Side, string> = {
  app: 'app',
  floor: 'floor',
  telegraf: 'telegraf',
  grammy: 'grammY with conversations',
  other: 'app of another checkout',
};

export function cpuReport(cpu: Compared[]): string {
  const head = [
    'Per update',
    'CPU, µs',
    'app ÷ this, median of the rounds',
    'rounds',
    'aim',
    'CPU of Redis, µs',
    'HTTP calls',
    'updates a second',
  ];
  const rows = cpu.flatMap(({ walk, sides, ratios }) =>
    entriesOf(sides).map(([side, summary]) => {
      const { microseconds, updatesPerSecond } = summary.figures;
      const rounds = ratios[side];
      const ratio = rounds && spreadOf(rounds);
      const maxRatio = CPU_AIMS[walk]?.[side];
      return [
        `${WALK_NAMES[walk] ?? walk}: ${SIDE_NAMES[side]}`,
        microseconds ? spread(microseconds) : '–',
        ratio ? spread(ratio) : '',
        rounds?.length ?? '',
        ratio && maxRatio ? aim(ratio.median, maxRatio, ' ×') : '',
        medianOf(summary, 'redisMicroseconds'),
        medianOf(summary, 'calls'),
        updatesPerSecond ? spread(updatesPerSecond) : '–',
      ];
    }),
  );
  const slices = cpu.flatMap(({ walk, sides }) =>
    entriesOf(sides).map(([side, { kept, dropped, isNoisy }]) => {
      const noisy = isNoisy ? ' (noisy: other processes used too much CPU)' : '';
      return `${WALK_NAMES[walk] ?? walk}: ${SIDE_NAMES[side]} ${kept} kept, ${dropped} dropped${noisy}`;
    }),
  );
  return [
    'Median of the slices or rounds (minimum–maximum). A round is one slice of each program, one after the other. In all rows, the CPU of Redis and the HTTP calls include the recurring work of the app.',
    table(head, rows),
    `Slices: ${slices.join('; ')}.`,
    ...cpu.flatMap(({ failures }) => failureLines(failures)),
  ].join('\n\n');
}

const entriesOf = (sides: Compared['sides']) => Object.entries(sides) as [Side, Summary][];
const medianOf = (summary: Summary | undefined, figure: string) =>
  summary?.figures[figure]?.median ?? Number.NaN;

export function perceivedReport({ delays, thinkMs, people, sides }: Perceived): string {
  const { telegramMs, rentalMs } = delays;
  const names = sides[0]?.steps.map(({ step }) => step) ?? [];

  /** Compares two figures of all sides. */
  function compared(figures: Partial<Record<keyof PerceivedStep, string>>): string {
    const columns = Object.entries(figures).flatMap(([figure, title]) =>
      sides.map(({ side, steps }, at) => ({
        head: `${at === 0 ? `${title}: ` : ''}${SIDE_NAMES[side]}`,
        cell: (step: string) => steps.find((one) => one.step === step)?.[figure as keyof PerceivedStep] ?? '',
      })),
    );
    return table(
      ['Since the step, median, ms', ...columns.map(({ head }) => head)],
      names.map((step) => [step, ...columns.map(({ cell }) => cell(step))]),
    );
  }

  return [
    `Telegram responds after ${shown(telegramMs)} ms, the service after ${shown(rentalMs)} ms. ${shown(people)} users, one at a time, who think for ${shown(thinkMs)} ms before each step.`,
    compared({ visible: 'first visible change', answered: 'callback query answered' }),
    compared({ done: 'step done', views: 'messages sent or edited' }),
  ].join('\n\n');
}

export function roundTripReport({ idle, steps }: Figures): string {
  const whole = steps.filter(({ step }) => PURCHASE_STEPS.includes(step) || step === AFTERWARDS);
  const sum = (name: keyof Omit<StepCost, 'step'>) => whole.reduce((all, one) => all + one[name], 0);
  const row = (one: StepCost) => {
    const { step, roundTrips, commands, bytesOut, bytesIn, requests } = one;
    return [step, roundTrips, commands, bytesOut, bytesIn, requests];
  };
  const names = ['roundTrips', 'commands', 'bytesOut', 'bytesIn', 'requests'] as const;
  const roundTripsOf = (names: readonly string[]) =>
    Math.max(...whole.filter(({ step }) => names.includes(step)).map(({ roundTrips }) => roundTrips));
  const before = roundTripsOf(PURCHASE_STEPS.filter((step) => step !== CONFIRM));
  const confirm = roundTripsOf([CONFIRM]);
  return [
    'One user at a time, with one earlier purchase. A request on a connection without pending ones counts as a round trip. Steps are medians. The polling afterwards is a mean, without the traffic of the idle bot.',
    table(
      ['Redis by step', 'round trips', 'commands', 'bytes out', 'bytes in', 'HTTP calls'],
      [
        ...whole.map(row),
        ['a whole purchase', ...names.map(sum)],
        ...steps.filter((one) => !whole.includes(one)).map(row),
        ['idle, per second', idle.roundTrips, idle.commands, idle.bytesOut, idle.bytesIn, ''],
      ],
    ),
    `Round trips of an update before Confirm, at most: ${shown(before)} (${aim(before, ROUND_TRIP_AIMS.before)}); on Confirm with all that follows: ${shown(confirm)} (${aim(confirm, ROUND_TRIP_AIMS.confirm)}); idle, per second: ${shown(idle.roundTrips)} (${aim(idle.roundTrips, ROUND_TRIP_AIMS.idle)}).`,
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

export function eventsReport({ paces, perSecond, accounts, deposits }: Eventful): string {
  const shownPaces = paces.map((pace, at) => ({ ...pace, pace: at === 0 ? perSecond / 10 : perSecond }));
  const p99 = paces.at(-1)?.cards.p99 ?? Number.NaN;
  const { refused, disobeyed } = deposits;
  return [
    `Events of ${shown(accounts)} accounts, from the POST to the update of the card.`,
    postedTable(shownPaces),
    `99th percentile at ${shown(perSecond)} a second, ms: ${aim(p99, EVENT_AIM_MS)}.`,
    'Deposits, from the POST of the event to the notification in the chat, with Telegram’s limits of 30 messages a second, and one a second in a chat. The event causes a read from the service. Deposits of an account within three seconds share a notification.',
    postedTable([{ ...deposits, pace: perSecond }]),
    `Responses with 429: ${shown(refused)}. Calls to a chat before the retry time of its last response: ${shown(disobeyed)}.`,
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
    `${shown(people)} accounts confirm with ${processes} process${processes > 1 ? 'es' : ''} while the service doesn’t respond. All processes are killed, and one is restarted. Telegram has no limits.`,
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
        'still in the due queue',
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
    `${shown(perSecond)} purchases started per second by ${shown(people)} users, each with an account, in one process.`,
    table(
      [
        'Purchases',
        'done',
        'orders',
        'done a second',
        'skipped: no free user',
        'Confirm → outcome: median, ms',
        'p99',
        'replies: p99',
      ],
      [['', walks, orders, (1000 * walks) / ms, skipped, outcomes.median, outcomes.p99, replies.p99]],
    ),
    `Operations in the due queue at the end: ${shown(dueAtOnce)}. After ${shown(drainedMs / 1000)} s: ${shown(due)}.`,
    ...failureLines(walked.failures),
  ].join('\n\n');
}

export function sustainedReport({ attempts, seconds, highest }: Sustained): string {
  const rows = attempts.map(({ perSecond, seconds, walked, due, drainedMs, processors, reasons }) => {
    const { walks, quarters, outcomes, replies } = walked;
    const [, early = Number.NaN, , late = Number.NaN] = quarters;
    const { app, redis, standIns, others } = processors;
    return [
      `${shown(perSecond)} a second for ${shown(seconds)} s`,
      ...[walks, early, late, outcomes.median, outcomes.p99, replies.p99, due, drainedMs / 1000],
      ...[app, redis, standIns, others].map((share) => `${shown(Math.round(100 * share))} %`),
      reasons.length === 0 ? 'yes' : `no: ${reasons.join(', ')}`,
    ];
  });
  const head = [
    'Purchases started',
    'done',
    'median duration in the second quarter, ms',
    'in the last quarter',
    'Confirm → outcome: median, ms',
    'p99',
    'replies: p99',
    'left due',
    'none due after, s',
    'CPU in % of a processor: bot',
    'Redis',
    'stand-ins and users',
    'other programs',
    'sustained',
  ];
  return [
    'One process, and new users for each rate.',
    table(head, rows),
    `Highest rate sustained for ${shown(seconds)} s: ${shown(highest)} purchases a second.`,
    ...attempts.flatMap(({ walked }) => failureLines(walked.failures)),
  ].join('\n\n');
}

export function scrapedReport({ bytes, updateMicroseconds, updateRatio, idleShare, scrapeShare }: Scraped) {
  const percent = ({ median, least, most }: Spread) =>
    spread({ median: 100 * median, least: 100 * least, most: 100 * most });
  return table(
    ['Metrics', 'measured', 'aim'],
    [
      ['CPU of a menu tap without metrics, µs', spread(updateMicroseconds), ''],
      ['CPU of a menu tap with metrics ÷ without', spread(updateRatio), ''],
      ['CPU of the idle process with metrics, % of a processor', percent(idleShare), ''],
      [
        'CPU of a request for metrics every second, %',
        percent(scrapeShare),
        aim(100 * scrapeShare.median, 1, ' %'),
      ],
      ['bytes of a response', bytes, ''],
    ],
  );
}
