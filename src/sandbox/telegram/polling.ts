import type { Clock } from '../clock.ts';
import { conflict } from './refusal.ts';
import type { Update, Updates } from './updates.ts';

export interface Polling {
  /**
   * Executes `getUpdates`. Returns at once if updates are waiting, otherwise on the next update or after `timeoutMs`.
   * @throws Refusal 409 as soon as another call is made
   */
  poll(request: { offset: number; limit: number; timeoutMs: number }, signal: AbortSignal): Promise<Update[]>;
  /** Rejects a waiting poll with a 409. `by` names the reason. */
  interrupt(by: string): void;
  /** Resolves a waiting poll with the updates waiting at that time, usually none. */
  stop(): void;
}

export function createPolling({ updates, clock }: { updates: Updates; clock: Clock }): Polling {
  let waiting: { finish(): void; fail(reason: Error): void } | undefined;

  const take = (limit: number): Update[] =>
    updates.waiting(limit).map((queued) => {
      queued.taken = true;
      return queued.update;
    });
  const interrupt = (by: string) => waiting?.fail(conflict(`terminated by ${by}`));

  return {
    async poll({ offset, limit, timeoutMs }, signal) {
      interrupt('other getUpdates request; make sure that only one bot instance is running');
      if (offset !== 0) updates.confirm(offset);
      const ready = take(limit);
      if (ready.length > 0 || timeoutMs <= 0 || signal.aborted) return ready;
      await new Promise<void>((resolve, reject) => {
        const end = (settle: () => void) => {
          for (const forget of listening) forget();
          waiting = undefined;
          settle();
        };
        const finish = () => end(resolve);
        const listening = [
          clock.at(clock.now() + timeoutMs, finish),
          updates.onAdded(finish),
          onAbort(signal, finish),
        ];
        waiting = { finish, fail: (reason) => end(() => reject(reason)) };
      });
      return take(limit);
    },
    interrupt,
    stop: () => waiting?.finish(),
  };
}

function onAbort(signal: AbortSignal, listener: () => void): () => void {
  signal.addEventListener('abort', listener);
  return () => signal.removeEventListener('abort', listener);
}
