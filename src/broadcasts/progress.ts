import type { InlineKeyboardButton } from 'grammy/types';
import { z } from 'zod';
import type { Users } from '../accounts/users.ts';
import {
  formatMoment,
  formatSpan,
  lines,
  momentVariables,
  paragraphs,
  type Texts,
  type Words,
} from '../i18n/texts.ts';
import { isRecent, MINUTE_MS, roundUpToMinutes } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { defineRecord, type SignedRecords } from '../platform/records.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import { renderResultCounts } from '../views/broadcast-results.ts';
import { callbackData } from '../views/callback-data.ts';
import { button, menuButton, type View } from '../views/view.ts';
import type { Wait } from './send.ts';
import { BROADCAST_TTL_MS, type Broadcast, isEnded } from './store.ts';

const UPDATE_INTERVAL_MS = 3_000;
const MAX_TRIES = 5;
const TEMPORARY: ReadonlySet<Sent['kind']> = new Set(['later', 'away', 'failed', 'unclear']);

/** Message id of each admin's progress message, by user id. */
export const PROGRESS_MESSAGES = defineRecord({
  keys: 'broadcast-progress-messages:id',
  content: 'Message of each admin that shows its progress',
  schema: z.record(z.string(), z.number()),
  ttlMs: BROADCAST_TTL_MS,
  signed: true,
  retained: { ofAdmins: true },
});

export type Progress = ReturnType<typeof createProgress>;

/** Creates the progress messages of broadcasts, one in the chat of each admin. */
export function createProgress(deps: {
  records: SignedRecords;
  users: Pick<Users, 'find'>;
  sender: Pick<Sender, 'send' | 'edit'>;
  texts: Texts;
  admins: ReadonlySet<number>;
  view: (words: Words, broadcast: Broadcast) => View;
  wait: Wait;
  now: () => number;
  log: Log;
}) {
  const { records, users, sender, texts, admins, view, wait, now, log } = deps;
  const store = records.store(PROGRESS_MESSAGES);
  let updatedAt = Number.NEGATIVE_INFINITY;
  let updating: Promise<unknown> = Promise.resolve();
  let isUpdating = false;

  const messagesOf = async (id: string) => (await store.get({ id })) ?? {};
  const wordsOf = async (admin: number) => texts.in((await users.find(admin))?.language ?? 'en');

  async function addMessage(id: string, admin: number, message: number): Promise<void> {
    await store.update({ id }, (messages) => ({ ...messages, [String(admin)]: message }));
  }

  async function editAll(broadcast: Broadcast): Promise<boolean> {
    const messages = await messagesOf(broadcast.id);
    const edited = await Promise.all(
      Object.entries(messages).map(async ([admin, message]) => {
        const chat = Number(admin);
        if (!admins.has(chat)) return true;
        const { kind } = await sender.edit(chat, message, view(await wordsOf(chat), broadcast));
        return !TEMPORARY.has(kind);
      }),
    );
    return edited.every(Boolean);
  }

  return {
    addMessage,
    /** Sends the message to admins without one. The admin who confirmed the broadcast already has it. */
    async sendToAdmins(broadcast: Broadcast): Promise<void> {
      const messages = await messagesOf(broadcast.id);
      for (const admin of admins) {
        if (String(admin) in messages || admin === broadcast.admin) continue;
        const sent = await sender.send(admin, view(await wordsOf(admin), broadcast));
        if (sent.kind === 'sent') await addMessage(broadcast.id, admin, sent.messageId);
      }
    },
    /** Updates the messages in the background, at most every three seconds. */
    update(broadcast: Broadcast): void {
      if (isUpdating || isRecent(updatedAt, UPDATE_INTERVAL_MS, now())) return;
      isUpdating = true;
      updatedAt = now();
      updating = editAll(broadcast)
        .catch((err: unknown) => log.warn({ err, broadcast: broadcast.id }, 'progress could not be shown'))
        .finally(() => {
          isUpdating = false;
        });
    },
    /** Shows that the broadcast has paused or ended. Retries a few times. */
    async updateFinally(broadcast: Broadcast): Promise<void> {
      await updating;
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        if (await editAll(broadcast).catch(() => false)) break;
        await wait(500 * (tries + 1));
      }
    },
  };
}

const BAR_CELLS = 12;
/** Sending time from which the speed is shown, in milliseconds. */
const MIN_SENDING_MS = 5_000;

export function progressView(words: Words, broadcast: Broadcast, now: number): View {
  const {
    state,
    audience,
    pause,
    startAt,
    begunAt,
    stoppedBy,
    takeovers,
    rateLimitHits,
    waitUntil = 0,
  } = broadcast;
  const isBegun = begunAt !== undefined;
  const quietMs = isEnded(broadcast) ? 0 : Math.max(0, 1_000 * Math.ceil((waitUntil - now) / 1_000));
  const shownState = state === 'stopped' && !isBegun ? 'cancelled' : state;
  const html = paragraphs(
    words.html('progress-title', { state: shownState }),
    lines(
      words.html('making-to', { audience: audienceName(words, audience) }),
      state === 'scheduled' &&
        words.html(
          'progress-at',
          momentVariables(startAt, (at) => formatMoment(at, words.language)),
        ),
      state === 'scheduled' && words.html('progress-users', { count: broadcast.total }),
      words.html('progress-by', { admin: String(broadcast.admin) }),
      stoppedBy !== undefined &&
        words.html('progress-stopped-by', { state: shownState, admin: String(stoppedBy) }),
    ),
    pause &&
      words.html('progress-paused', {
        why: pause.why,
        by: String(pause.by ?? ''),
        reason: pause.reason ?? '',
      }),
    isBegun && lines(...countLines(words, broadcast), ...renderResultCounts(words, broadcast)),
    isBegun &&
      lines(
        speedLine(words, broadcast),
        rateLimitHits > 0 &&
          words.html('progress-rate-limits', { count: rateLimitHits, wait: formatSpan(words, quietMs) }),
        takeovers > 0 && words.html('progress-takeovers', { count: takeovers }),
      ),
  );
  return { html, keyboard: [...controlButtons(words, broadcast), [menuButton(words)]] };
}

/** Renders what a broadcast that hasn't ended does, with its number of users, in one line. */
export function activeBroadcastLine(words: Words, broadcast: Broadcast): string {
  const { state, startAt, total } = broadcast;
  return words.html('progress-line', {
    ...momentVariables(startAt, (at) => formatMoment(at, words.language)),
    state,
    done: countSettled(broadcast),
    total,
  });
}

const countSettled = ({ settled, deferred }: Broadcast) => settled - deferred.length;

function countLines(words: Words, broadcast: Broadcast): string[] {
  const { total } = broadcast;
  const done = countSettled(broadcast);
  const share = total === 0 ? 1 : done / total;
  const full = Math.max(done > 0 ? 1 : 0, Math.floor(share * BAR_CELLS));
  return [
    `${'▰'.repeat(full)}${'▱'.repeat(BAR_CELLS - full)} ${Math.floor(share * 100)} %`,
    words.html('progress-all', { done, total }),
  ];
}

function speedLine(words: Words, broadcast: Broadcast): string | undefined {
  const { sendingMs, total, begunAt = 0, endedAt } = broadcast;
  if (endedAt !== undefined)
    return words.html('progress-took', { minutes: Math.floor((endedAt - begunAt) / MINUTE_MS) });
  if (sendingMs < MIN_SENDING_MS) return undefined;
  const perMs = countSettled(broadcast) / sendingMs;
  const remainingMs = perMs > 0 ? (total - countSettled(broadcast)) / perMs : 0;
  return words.html('progress-speed', {
    perSecond: (perMs * 1_000).toFixed(1),
    minutes: roundUpToMinutes(remainingMs),
  });
}

function controlButtons(words: Words, { id, state }: Broadcast): InlineKeyboardButton[][] {
  const control = (name: 'pause' | 'resume' | 'stop', style?: 'danger') =>
    button(words, `button-broadcast-${name}`, callbackData('broadcast', name, id), style);
  switch (state) {
    case 'resolving':
    case 'sending':
      return [[control('pause'), control('stop', 'danger')]];
    case 'paused':
      return [[control('resume'), control('stop', 'danger')]];
    case 'scheduled':
      return [[button(words, 'button-broadcast-cancel', callbackData('broadcast', 'stop', id), 'danger')]];
    default:
      return [];
  }
}

/** Returns the name of a broadcast's audience as plain text. `days` is for *active* users. */
export function audienceName(
  words: Words,
  audience: { who: string; language?: string; days?: number },
): string {
  const { who, language, days = 0 } = audience;
  return words.plain('making-audience', { who: language ?? who, days });
}
