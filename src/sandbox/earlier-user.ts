import { setTimeout as delay } from 'node:timers/promises';
import { chainAddressOf } from './rental/chain-address.ts';
import type { Sandbox } from './server.ts';

/** Key of the account that had Smart Mode before the demo began. */
const KEY = 'package-key';
const WAIT_MS = 50;
const MAX_WAITS = 200;
const CARD_AGE_MS = 1_000;

interface Shown {
  message_id: number;
  from: 'bot' | 'person';
  text?: string;
  keyboard?: { text: string; data?: string }[][];
}

/**
 * Starts Smart Mode through the bot, as a user does, and leaves no message behind. After that, the bot knows the fees,
 * which the service names only in its reply. `chat`: the user, who has no account linked before and after.
 */
export async function useSmartModeOnce(
  { fetch }: Pick<Sandbox, 'fetch'>,
  origin: string,
  chat: number,
): Promise<void> {
  const path = `${origin}/sandbox/telegram/chats/${chat}`;
  const call = async <Result>(method: string, below: string, body?: object): Promise<Result> => {
    const headers = { 'Content-Type': 'application/json' };
    const request = new Request(`${path}${below}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await (await fetch(request)).json()) as Result;
  };

  /** Waits until a message of the bot satisfies `isWanted`, and returns it. */
  async function read(what: string, isWanted: (message: Shown) => unknown): Promise<Shown> {
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      const found = (await call<Shown[]>('GET', '/messages')).findLast(
        (one) => one.from === 'bot' && isWanted(one),
      );
      if (found) return found;
      await delay(WAIT_MS);
    }
    throw new Error(`the bot never showed ${what}`);
  }

  const say = (text: string) => call('POST', '/messages', { text });
  const reads = (part: string) => read(part, ({ text = '' }) => text.includes(part));
  const buttonOf = ({ keyboard = [] }: Shown, label: string) =>
    keyboard.flat().find(({ text }) => text.includes(label))?.data;
  async function tap(label: string): Promise<void> {
    const message = await read(label, (one) => buttonOf(one, label));
    await call('POST', '/taps', { message_id: message.message_id, data: buttonOf(message, label) });
  }

  await say('/link');
  await reads('Send your API key');
  await say(KEY);
  await reads('Account linked');
  await say(`/smart ${chainAddressOf('earlier user')}`);
  await reads('Review and confirm');
  // A younger card isn't confirmed, because the tap could be the second one of a double tap.
  await delay(CARD_AGE_MS);
  await tap('Confirm');
  await reads('Smart Mode is on');
  await say('/unlink');
  await tap('Yes, unlink');
  await reads('Account unlinked');
  for (const { message_id } of await call<Shown[]>('GET', '/messages'))
    await fetch(new Request(`${path}/messages/${message_id}`, { method: 'DELETE' }));
}
