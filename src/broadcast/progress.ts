import { z } from 'zod';
import type { People } from '../accounts/people.ts';
import type { Log } from '../log.ts';
import { changeRecord } from '../storage/change-record.ts';
import { readJson } from '../storage/read-json.ts';
import type { SignedRecords } from '../storage/signed-records.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import type { Texts, Words } from '../texts/texts.ts';
import type { View } from '../texts/view.ts';
import type { Broadcast } from './broadcast.ts';
import { BROADCAST_SHOWN } from './broadcast-store.ts';
import type { Wait } from './halts.ts';

/** How often it is edited at most, in milliseconds. */
const EVERY_MS = 3_000;
const KEPT = { ttlMs: 90 * 24 * 3600_000 };
/** A last edit that Telegram didn't take is tried again so often, at the least so far apart. */
const TRIES = 5;
const FOR_NOW: ReadonlySet<Sent['kind']> = new Set(['later', 'away', 'failed', 'unclear']);

const shownSchema = z.record(z.string(), z.number());

/** How a broadcast stands, in one message in the chat of each admin. */
export interface Progress {
  shownIn(id: string, admin: number, message: number): Promise<void>;
  /** Shows it to those admins who have no message of it, but for who confirmed it: they get theirs with that. */
  open(broadcast: Broadcast): Promise<void>;
  /** As it stands: called again and again while it is under way, it is shown every three seconds. Nobody waits for it. */
  changed(broadcast: Broadcast): void;
  /** It goes no further for now, or for good: shown as soon as Telegram takes it. */
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

  /** Answers whether all have it, as far as they can. */
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
