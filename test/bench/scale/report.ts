import { readFileSync } from 'node:fs';
import { POLLS } from '../../../src/account-events/poll-state.ts';
import { HOUR_MS } from '../../../src/platform/clock.ts';
import { MAX_PER_SECOND } from '../../../src/telegram/bulk-limit.ts';
import { shown, table } from '../table.ts';
import { LISTS } from './filling.ts';
import type { Measured } from './measure.ts';
import type { Shares } from './probe.ts';
import type { Start } from './starts.ts';
import type { Wait } from './waits.ts';

/** A measurement, and what it was measured of: `before`. */
export interface Labelled {
  label: string;
  measured: Measured;
}

const percent = (share: number) => `${shown(100 * share)} %`;
const cpuOf = ({ app, redis }: Shares) => `process ${percent(app)}, Redis ${percent(redis)}`;

function waited({ seconds, app, redis, remark }: Wait): string {
  return `${shown(seconds)} s (process ${shown(app)} s, Redis ${shown(redis)} s)${remark ? `: ${remark}` : ''}`;
}

/** CPU of a poll in milliseconds. */
const cpuOfPoll = (share: number, perSecond: number) => `${shown((1_000 * share) / perSecond)} ms`;

function polled({ polls: { perSecond, app, redis } }: Start): string {
  return `${shown(perSecond)} (CPU of a poll: process ${cpuOfPoll(app, perSecond)}, Redis ${cpuOfPoll(redis, perSecond)})`;
}

const ROWS: Record<string, (measured: Measured) => string | number> = {
  'Redis memory of a linked user, bytes': ({ filled }) => Math.round(filled.bytes),
  'keys of a linked user': ({ filled }) => filled.keys,
  'idle: CPU': ({ idle }) => cpuOf(idle),
  'idle: polls a second': ({ idle }) => idle.pollsPerSecond,
  'idle: memory of the process, MB': ({ idle }) => idle.memoryMb,
  'start until ready': ({ instant: { ready } }) =>
    `${shown(ready.seconds)} s (process ${shown(ready.cpu)} s)`,
  'start until the first answered update': ({ instant: { answered } }) =>
    `${shown(answered.seconds)} s (process ${shown(answered.cpu)} s)`,
  'ready until the first poll, s': ({ instant }) => instant.firstPollSeconds ?? 'none',
  'accounts polled for lost events after a start': ({ accounts, instant }) =>
    `${shown(instant.covered)} of ${shown(accounts)}`,
  'polls a second, instant service': ({ instant }) => polled(instant),
  'polls a second, slow service': ({ slow, serviceDelayMs }) =>
    slow ? `${polled(slow)} at ${shown(serviceDelayMs)} ms` : '',
  'ready until the first poll of an invoice, s': ({ invoices }) => invoices.firstSeconds ?? 'none',
  'polls of invoices a second, while each user has an open one': ({ invoices }) => invoices.perSecond ?? '',
  '*My data*': ({ waits }) => waited(waits.copy),
  '*Forget me*': ({ waits }) => waited(waits.forget),
  '*Find user* by @name': ({ waits }) => waited(waits.findByName),
  '*Find user* by Telegram id': ({ waits }) => waited(waits.findById),
  '*Users* of admins': ({ waits }) => waited(waits.counts),
  'audience of a broadcast': ({ waits }) => waited(waits.audience),
  'all records are read after an upgrade': ({ waits }) => waited(waits.readAll),
};

/** Formats measurements in columns beside each other. */
export function scaleReport(all: readonly Labelled[]): string {
  const head = [
    'Linked users',
    ...all.map(({ label, measured }) => `${shown(measured.users)} ${label}`.trim()),
  ];
  const rows = Object.entries(ROWS).map(([name, cell]) => [
    name,
    ...all.map(({ measured }) => cell(measured)),
  ]);
  return table(head, rows);
}

const MILLION = 1_000_000;

/** Returns the memory that the shipped Redis accepts, in bytes. */
function shippedRedisBytes(): number {
  const compose = readFileSync(new URL('../../../compose.yaml', import.meta.url), 'utf8');
  return 1_024 ** 2 * Number(/--maxmemory (\d+)mb/.exec(compose)?.[1]);
}

/** Computes what a million linked users need from what was measured with fewer, and names the limit of each. */
export function millionReport({ filled, instant, slow = instant }: Measured): string {
  const bytes = MILLION * filled.bytes;
  const idlePolls = (MILLION * LISTS.length) / (POLLS.priorities.idle / 1_000);
  const secondsOfPoll = slow.polls.app / slow.polls.perSecond;
  const hours = (seconds: number) => `${shown((1_000 * seconds) / HOUR_MS)} h`;
  const rows = [
    [
      'Redis memory',
      `${shown(bytes / 1e9)} GB`,
      `the shipped \`--maxmemory\` holds ${shown(Math.floor(shippedRedisBytes() / filled.bytes))} linked users; a rewrite of the append-only file may need as much again`,
    ],
    [
      'polls a second while all are idle',
      idlePolls,
      `replicas share the polls, and one process makes ${shown(slow.polls.perSecond)}: ${shown(Math.ceil(idlePolls / slow.polls.perSecond))} needed`,
    ],
    ['processors for these polls', idlePolls * secondsOfPoll, 'one for each process'],
    [
      'requests a minute to the service',
      Math.round((60 * idlePolls * slow.polls.requestsPerSecond) / slow.polls.perSecond),
      '60 a minute of each list. If they count for each key, an account has far fewer. The specification doesn’t say what they count for',
    ],
    [
      'reading the log of every account after a start',
      hours(MILLION / slow.polls.perSecond),
      'the polls of one process',
    ],
    [
      'broadcast to everyone',
      hours(MILLION / MAX_PER_SECOND),
      `Telegram: ${shown(MAX_PER_SECOND)} of its 30 messages a second`,
    ],
  ];
  return table([`${shown(MILLION)} linked users, computed`, 'needed', 'limit'], rows);
}
