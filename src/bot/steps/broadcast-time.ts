import type { BroadcastDrafts } from '../../broadcasts/store.ts';
import { MAKING, type MakingState } from '../broadcast-making.ts';
import type { BotContext } from '../context.ts';
import type { Step } from '../dialogue.ts';
import { answer, question } from './question.ts';

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;
const MOST_DAYS = 30;
const WRITTEN = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(?: ?(?:UTC|Z))?$/i;

const LATER = { '1h': HOUR_MS, '3h': 3 * HOUR_MS, tomorrow: DAY_MS } as const;

/** Creates the question for the time at which the broadcast starts. */
export function broadcastTimeStep(deps: { drafts: BroadcastDrafts; now: () => number }): Step<MakingState> {
  const { drafts, now } = deps;
  const choices = ({ words }: BotContext) => [
    [answer(words.plain('button-making-now'), 'now')],
    [
      answer(words.plain('button-making-1h'), '1h'),
      answer(words.plain('button-making-3h'), '3h'),
      answer(words.plain('button-making-tomorrow'), 'tomorrow'),
    ],
  ];

  /** Returns the chosen time in epoch milliseconds; `undefined` means now. */
  function timeOf(said: string): { at: number | undefined } | { why: 'form' | 'past' | 'far' } {
    if (said === 'now') return { at: undefined };
    const later = Object.entries(LATER).find(([name]) => name === said);
    if (later) return { at: now() + later[1] };
    const at = readMinute(said);
    if (at === undefined) return { why: 'form' };
    if (at <= now()) return { why: 'past' };
    return at > now() + MOST_DAYS * DAY_MS ? { why: 'far' } : { at };
  }

  return {
    back: MAKING.audience,
    choices,
    ask: (ctx) => question(ctx.words, ctx.words.html('making-time', { now: minute(now()) }), choices(ctx)),
    async take(ctx, state, given) {
      const time = timeOf(given.kind === 'choice' ? given.value : given.words);
      if ('why' in time) {
        const about = { why: time.why, now: minute(now()), example: minute(now() + DAY_MS) };
        return { ...state, problem: ctx.words.html('problem-making-time', about) };
      }
      ctx.tx.signal.throwIfAborted();
      await drafts.change(ctx.from?.id ?? 0, () => ({ at: time.at }));
      return { ...state, shown: undefined, step: MAKING.confirm };
    },
  };
}

/** Formats epoch milliseconds as a minute in UTC, in the same form as admins type it: `2025-06-01 12:00`. */
function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** Parses a minute in UTC. Returns `undefined` for invalid ones, such as the 30th of February. */
function readMinute(said: string): number | undefined {
  const [, day = '', time = ''] = WRITTEN.exec(said.trim()) ?? [];
  const at = Date.parse(`${day}T${time}:00Z`);
  return Number.isNaN(at) || minute(at) !== `${day} ${time}` ? undefined : at;
}
