import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../sandbox/conservation/random.ts';
import { findButton, type ShownMessage } from '../support/person.ts';
import type { Acts, Tap } from './acts.ts';
import type { Chat } from './chat.ts';
import { accountOf, keyOf } from './people.ts';
import { readReceipt } from './purchase.ts';

/** Maximum wait of a user, in milliseconds. Longer than a killed bot needs to restart and a chat lease to expire. */
const PATIENCE_MS = 25_000;

/** A simulated user who taps, writes and waits. All taps are recorded for the verdict. */
export interface Person {
  chat: Chat;
  random: Random;
  /** Sends a text. Returns the message's id. */
  say(text: string): Promise<number>;
  /** Taps a button of this message, even if the message has changed since. Returns whether the button exists. */
  tap(message: ShownMessage, label: string): Promise<boolean>;
  /** Waits for a message of the bot after `id` that contains `part`. Returns `undefined` on timeout. */
  below(id: number, part: string): Promise<ShownMessage | undefined>;
  /** Waits until `find` returns a result. */
  waits<T>(find: () => T | undefined, ms?: number): Promise<T | undefined>;
  pause(): Promise<void>;
  link(): Promise<void>;
  /** Turns on alerts of the account. */
  turnOnReports(): Promise<void>;
}

export function createPerson(deps: {
  chat: Chat;
  random: Random;
  acts: Acts;
  signal(): AbortSignal;
}): Person {
  const { chat, random, acts, signal } = deps;
  let last: Tap | undefined;

  function actsNow(): number {
    const at = Date.now();
    if (last !== undefined && last.until > at) last.until = at;
    return at;
  }

  const person: Person = {
    chat,
    random,
    say(text) {
      actsNow();
      return chat.say(text);
    },
    async tap(message, label) {
      const data = findButton([message], label)?.[1].data;
      if (data === undefined) return false;
      const present = chat.messages().find(({ message_id }) => message_id === message.message_id);
      const text = (present ?? message).text ?? '';
      const isLive = present !== undefined && findButton([present], label) !== undefined;
      const at = actsNow();
      const { callback, update } = await chat.tap(message.message_id, data);
      const operation = readReceipt(message.text ?? '')?.operation;
      const until = Number.POSITIVE_INFINITY;
      last = {
        chat: chat.id,
        at,
        until,
        label,
        message: message.message_id,
        text,
        isLive,
        operation,
        callback,
        update,
      };
      acts.taps.push(last);
      return true;
    },
    below: (id, part) =>
      person.waits(() =>
        chat.messages().findLast((m) => m.from === 'bot' && m.message_id > id && m.text?.includes(part)),
      ),
    waits: (find, ms = PATIENCE_MS) => chat.until(find, ms, signal()),
    async pause() {
      await delay(200 + random.below(1_500), undefined, { signal: signal() }).catch(() => undefined);
    },
    async link() {
      const asked = await person.below(await person.say('/start'), 'Link it to begin');
      if (asked) await person.tap(asked, 'Link account');
      await person.below((asked?.message_id ?? 1) - 1, 'Waiting for your key');
      await person.below(await person.say(keyOf(accountOf(chat.id))), 'Account linked');
    },
    async turnOnReports() {
      const account = await person.below(await person.say('/account'), 'Account');
      if (!account || !(await person.tap(account, 'Turn on service reports'))) return;
      const asked = await person.waits(() => {
        const [message] = findButton(chat.messages(), 'turn them on') ?? [];
        return message;
      });
      if (asked) await person.tap(asked, 'turn them on');
      await person.below(account.message_id - 1, 'Service reports are on');
    },
  };
  return person;
}
