import type { InlineKeyboardButton } from 'grammy/types';
import { minutesOf, resultLines } from '../texts/broadcast-counts.ts';
import { callbackData } from '../texts/callback-data.ts';
import { counted, moment } from '../texts/formats.ts';
import type { Words } from '../texts/texts.ts';
import { button, lines, menuButton, paragraphs, type View } from '../texts/view.ts';
import { type Broadcast, isEnded } from './broadcast.ts';

const CELLS = 12;
/** The speed says something from then on. */
const KNOWN_MS = 5_000;

/** How a broadcast stands, with what an admin can do about it. */
export function progressView(words: Words, broadcast: Broadcast, now: number): View {
  const { state, pause, startAt, begunAt } = broadcast;
  const isBegun = begunAt !== undefined;
  const html = paragraphs(
    words.html('progress-title', { state: state === 'stopped' && !isBegun ? 'cancelled' : state }),
    lines(
      words.html('progress-audience', audienceOf(broadcast)),
      state === 'scheduled' && words.html('progress-at', { time: moment(startAt, words.language) }),
      words.html('progress-by', { admin: String(broadcast.admin) }),
    ),
    pause &&
      words.html('progress-paused', {
        ...{ why: pause.why, by: String(pause.by ?? ''), reason: pause.reason ?? '' },
      }),
    isBegun && lines(bar(broadcast), ...counts(words, broadcast)),
    isBegun && lines(speed(words, broadcast), quiet(words, broadcast, now), retaken(words, broadcast)),
  );
  return { html, keyboard: [...ways(words, broadcast), [menuButton(words)]] };
}

/** Whom it is for, as the variables of a text. */
function audienceOf({ audience }: Broadcast) {
  return {
    who: audience.who,
    language: audience.who === 'language' ? audience.language : 'none',
    days: audience.who === 'active' ? audience.days : 0,
  };
}

const through = ({ settled, putOff }: Broadcast) => settled - putOff.length;

function bar(broadcast: Broadcast): string {
  const { total } = broadcast;
  const part = total === 0 ? 1 : through(broadcast) / total;
  const full = Math.floor(part * CELLS);
  return `${'▰'.repeat(full)}${'▱'.repeat(CELLS - full)} ${Math.floor(part * 100)} %`;
}

/** All there is to count. */
function counts(words: Words, broadcast: Broadcast): string[] {
  const count = (number: number) => counted(number, words.language);
  const all = words.html('progress-all', { done: count(through(broadcast)), total: count(broadcast.total) });
  return [all, ...resultLines(words, broadcast)];
}

function speed(words: Words, broadcast: Broadcast): string | undefined {
  const { sendingMs, total, begunAt = 0, endedAt } = broadcast;
  if (endedAt !== undefined) return words.html('progress-took', { minutes: minutesOf(endedAt - begunAt) });
  if (sendingMs < KNOWN_MS) return undefined;
  const perMs = through(broadcast) / sendingMs;
  const left = perMs > 0 ? (total - through(broadcast)) / perMs : 0;
  return words.html('progress-speed', { perSecond: (perMs * 1_000).toFixed(1), minutes: minutesOf(left) });
}

function quiet(words: Words, broadcast: Broadcast, now: number): string | undefined {
  const { quietUntil = 0, objections } = broadcast;
  const seconds = isEnded(broadcast) ? 0 : Math.max(0, Math.ceil((quietUntil - now) / 1_000));
  return objections > 0 ? words.html('progress-objections', { count: objections, seconds }) : undefined;
}

function retaken(words: Words, { retaken }: Broadcast): string | undefined {
  return retaken > 0 ? words.html('progress-retaken', { count: retaken }) : undefined;
}

function ways(words: Words, { id, state }: Broadcast): InlineKeyboardButton[][] {
  const way = (name: 'pause' | 'resume' | 'stop', style?: 'danger') =>
    button(words, `button-broadcast-${name}`, callbackData('broadcast', name, id), style);
  switch (state) {
    case 'gathering':
    case 'sending':
      return [[way('pause'), way('stop', 'danger')]];
    case 'paused':
      return [[way('resume'), way('stop', 'danger')]];
    case 'scheduled':
      return [[way('stop', 'danger')]];
    default:
      return [];
  }
}
