import type { Log } from '../../log.ts';
import { retryWrite } from '../../storage/retry-write.ts';
import type { Tally } from '../inbox/tally.ts';
import type { OutboxStore, Waiting } from './outbox-store.ts';
import type { Said } from './say.ts';

/** Telegram takes one message a second in a chat, and short bursts. */
export const NEXT_MS = 1_000;
/** It is nothing of this notice: so it counts as no try, however long it lasts. */
const AWAY_MS = 5_000;
const AGAIN_MS = [1_000, 5_000, 15_000, 60_000];
/** Tried so often, a notice no longer holds up its chat: it comes back after ten minutes, and is given up after a day. */
const TRIES = 5;
const GIVEN_UP_MS = 24 * 3_600_000;

/**
 * Writes down what became of what was said. Answers after how long Telegram may be asked for something in this chat again;
 * `undefined` where it may not.
 */
export type Settle = (chat: number, said: Said) => Promise<number | undefined>;

export function createSettle(deps: {
  store: OutboxStore;
  tally: Pick<Tally, 'told'>;
  now: () => number;
  log: Log;
}): Settle {
  const { store, tally, now, log } = deps;

  const written = (chat: number, write: () => Promise<void>) => retryWrite(write, { log, about: { chat } });

  async function setAside(chat: number, { name, notice }: Waiting, why: object): Promise<void> {
    const isOver = now() - notice.at > GIVEN_UP_MS;
    log.error({ chat, notice: name, ...why }, isOver ? 'a notice is given up' : 'a notice is set aside');
    await (isOver ? store.told(chat, [name]) : store.setAside(chat, name));
  }

  async function putOff(chat: number, group: readonly Waiting[], reason: string): Promise<number> {
    for (const one of group) {
      await store.failed(chat, one);
      if (one.notice.tries + 1 >= TRIES) await setAside(chat, one, { reason });
    }
    const tries = group.map(({ notice }) => notice.tries).filter((before) => before + 1 < TRIES);
    return AGAIN_MS[Math.max(-1, ...tries)] ?? NEXT_MS;
  }

  return async (chat, said) => {
    const { told } = said;
    if ('err' in said) {
      for (const one of told) await setAside(chat, one, { err: said.err });
      return 0;
    }
    const { sent, again } = said;
    switch (sent.kind) {
      case 'sent':
      case 'unchanged':
        await written(chat, () => store.told(chat, namesOf([...told, ...again])));
        for (const { notice } of told) tally.told(now() - notice.at);
        return NEXT_MS;
      case 'unclear':
        log.warn({ chat, notices: namesOf(told) }, 'nobody knows whether a notice was told');
        await written(chat, () => store.becameUnclear(chat, [...told, ...again.map(asAgain)]));
        return NEXT_MS;
      case 'blocked':
      case 'gone':
        log.info({ chat, reason: sent.kind }, 'a chat takes no notices until it comes back');
        await store.retire(chat);
        await store.trim(chat);
        return undefined;
      case 'refused':
        log.error({ chat, notices: namesOf(told), reason: sent.reason }, 'Telegram does not take a notice');
        await store.told(chat, namesOf(told));
        return 0;
      case 'later':
        return sent.afterMs;
      case 'away':
        return AWAY_MS;
      case 'failed':
        return putOff(chat, told, sent.reason);
    }
  };
}

/** Marks a notice that stood below a message without an answer, since that message may have delivered it. */
function asAgain({ name, notice }: Waiting): Waiting {
  return { name, notice: { ...notice, isAgain: true } };
}

export function namesOf(waiting: readonly Waiting[]): string[] {
  return waiting.map(({ name }) => name);
}
