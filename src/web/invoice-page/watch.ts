import type { Every } from './every.ts';
import type { PageState } from './page-state.ts';

/** Interval of reads while a record has listeners. */
export const READ_MS = 2_000;

/** Receives the state of an invoice after each read. `undefined` means that its link is no longer valid. */
export type Listener = (state: PageState | undefined) => void;

/** Notifies listeners of the state of invoices. Reads each record once for all its listeners. */
export interface Watch {
  /** Adds a listener. Returns a function that removes it. */
  listen(token: string, listener: Listener): () => void;
}

export function createWatch(deps: {
  read: (token: string) => Promise<PageState | undefined>;
  every: Every;
  /** Called if a read fails. The next read follows at the usual interval. */
  failed: (err: unknown) => void;
}): Watch {
  const { read, every, failed } = deps;
  const watched = new Map<string, { listeners: Set<Listener>; end: () => void }>();

  function begin(token: string) {
    const listeners = new Set<Listener>();
    let isReading = false;
    const look = async () => {
      if (isReading) return;
      isReading = true;
      try {
        const state = await read(token);
        for (const listener of [...listeners]) listener(state);
      } catch (err) {
        failed(err);
      } finally {
        isReading = false;
      }
    };
    const one = { listeners, end: every(READ_MS, () => void look()) };
    watched.set(token, one);
    return one;
  }

  return {
    listen(token, listener) {
      const one = watched.get(token) ?? begin(token);
      one.listeners.add(listener);
      return () => {
        one.listeners.delete(listener);
        if (one.listeners.size > 0 || watched.get(token) !== one) return;
        watched.delete(token);
        one.end();
      };
    },
  };
}
