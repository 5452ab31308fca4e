import type { Every } from './every.ts';
import type { PageState } from './page-state.ts';

/** How often a record is read while somebody listens. */
export const READ_MS = 2_000;

/** Hears how an invoice stands, at each reading; `undefined` where its link leads nowhere any more. */
export type Listener = (state: PageState | undefined) => void;

/** Tells listeners how invoices stand, by reading each record once for all who listen. */
export interface Watch {
  /** Answers how to listen no longer. */
  listen(token: string, listener: Listener): () => void;
}

export function createWatch(deps: {
  read: (token: string) => Promise<PageState | undefined>;
  every: Every;
  /** A reading has failed: the next one comes soon. */
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
