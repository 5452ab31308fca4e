import type { InlineKeyboardButton } from 'grammy/types';
import { z } from 'zod';
import type { People } from '../accounts/users.ts';
import { minutesOf, resultLines } from '../i18n/broadcast-counts.ts';
import { callbackData } from '../i18n/callback-data.ts';
import { counted, moment } from '../i18n/formats.ts';
import type { Texts, Words } from '../i18n/texts.ts';
import { button, lines, menuButton, paragraphs, type View } from '../i18n/view.ts';
import type { Log } from '../platform/log.ts';
import { changeRecord, readJson, type SignedRecords } from '../platform/records.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import { type Broadcast, isEnded } from './broadcast.ts';
import type { Wait } from './send.ts';
import { BROADCAST_SHOWN } from './store.ts';

/** Minimum interval between updates, in milliseconds. */
const EVERY_MS = 3_000;
const KEPT = { ttlMs: 90 * 24 * 3600_000 };
/** Maximum tries of the final update. */
const TRIES = 5;
/** Results of an edit that may succeed later. */
const FOR_NOW: ReadonlySet<Sent['kind']> = new Set(['later', 'away', 'failed', 'unclear']);

const shownSchema = z.record(z.string(), z.number());

/** Progress message of a broadcast, one in the chat of each admin. */
export interface Progress {
  /** Stores the id of an admin's progress message, which is updated from now on. */
  shownIn(id: string, admin: number, message: number): Promise<void>;
  /**
   * Sends the message to admins who have none. The admin who confirmed the broadcast gets theirs with the confirmation.
   */
  open(broadcast: Broadcast): Promise<void>;
  /** Updates the messages, at most every three seconds, in the background. */
  changed(broadcast: Broadcast): void;
  /** Shows that the broadcast has paused or ended. Retries a few times if Telegram doesn't accept it yet. */
  settled(broadcast: Broadcast): Promise<void>;
}

export function createProgress(deps: {
  records: SignedRecords;
  people: Pick<People, 'find'>;
  sender: Pick<Sender, 'send' | 'edit'>;
  texts: Texts;
  admins: ReadonlySet<number>;
  view: (words: Words, broadcast: Broadcast) => View;
  wait: Wait;
  now: () => number;
  log: Log;
}): Progress {
  const { records, people, sender, texts, admins, view, wait, now, log } = deps;
  let shownAt = Number.NEGATIVE_INFINITY;
  let showing: Promise<unknown> = Promise.resolve();
  let isShowing = false;

  const keyOf = (id: string) => `${BROADCAST_SHOWN}${id}`;
  const shownOf = async (id: string) => readJson(shownSchema, (await records.get(keyOf(id)))?.content) ?? {};
  const wordsOf = async (admin: number) => texts.in((await people.find(admin))?.language ?? 'en');

  async function shownIn(id: string, admin: number, message: number): Promise<void> {
    const to = (content: string | undefined) =>
      JSON.stringify({ ...readJson(shownSchema, content), [String(admin)]: message });
    await changeRecord(records, keyOf(id), to, KEPT);
  }

  /** Updates all messages. Returns `false` if some must be retried. */
  async function show(broadcast: Broadcast): Promise<boolean> {
    const shown = await shownOf(broadcast.id);
    const edited = await Promise.all(
      Object.entries(shown).map(async ([admin, message]) => {
        const chat = Number(admin);
        if (!admins.has(chat)) return true;
        const { kind } = await sender.edit(chat, message, view(await wordsOf(chat), broadcast));
        return !FOR_NOW.has(kind);
      }),
    );
    return edited.every(Boolean);
  }

  return {
    shownIn,
    async open(broadcast) {
      const shown = await shownOf(broadcast.id);
      const without = [...admins].filter((one) => !(String(one) in shown) && one !== broadcast.admin);
      for (const admin of without) {
        const sent = await sender.send(admin, view(await wordsOf(admin), broadcast));
        if (sent.kind === 'sent') await shownIn(broadcast.id, admin, sent.messageId);
      }
    },
    changed(broadcast) {
      if (isShowing || now() - shownAt < EVERY_MS) return;
      isShowing = true;
      shownAt = now();
      showing = show(broadcast)
        .catch((err: unknown) => log.warn({ err, broadcast: broadcast.id }, 'progress could not be shown'))
        .finally(() => {
          isShowing = false;
        });
    },
    async settled(broadcast) {
      await showing;
      for (let tries = 0; tries < TRIES; tries += 1) {
        if (await show(broadcast).catch(() => false)) break;
        await wait(500 * (tries + 1));
      }
    },
  };
}

const CELLS = 12;
/** Time spent sending from which the speed is shown, in milliseconds. */
const KNOWN_MS = 5_000;

/** Renders the progress of a broadcast, with the buttons of an admin. */
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

/** Returns the audience as the variables of a text. */
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

/** Renders all counts. */
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
