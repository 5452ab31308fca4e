import type { PageState } from './document.ts';

/** Calls `run` every `ms` milliseconds until the returned function is called. */
export type Every = (ms: number, run: () => void) => () => void;

/** Implementation with `setInterval`. The timer doesn't keep the process alive. */
export const everyInterval: Every = (ms, run) => {
  const timer = setInterval(run, ms).unref();
  return () => clearInterval(timer);
};

/** Interval of reads while a record has listeners. */
const READ_INTERVAL_MS = 1_000;

/** Interval of comments that keep a stream open. Proxies close silent connections after 30 to 60 seconds. */
const COMMENT_INTERVAL_MS = 15_000;
/** Maximum number of streams per client address, which several users may share. Pages without a stream poll. */
const MAX_PER_CLIENT = 10;
/** Maximum number of streams: half of the server's connections (`http-server.ts`). Webhooks need the rest. */
const MAX_IN_ALL = 90;
/** Number of unread chunks after which a stream is closed. */
const MAX_UNREAD = 20;
/** Time after which browsers reconnect. */
const RETRY_MS = 3_000;

/** Invoice whose record is read at an interval. */
interface Watched {
  listeners: Set<(state: PageState | undefined) => void>;
  stop: () => void;
}

export interface StreamCaps {
  perClient: number;
  inAll: number;
}

/** Server-sent events of invoices' pages (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export function createStreams(deps: {
  /** Reads the state of an invoice. `undefined` means that its link is no longer valid. */
  read: (token: string) => Promise<PageState | undefined>;
  every: Every;
  /** Called if a read fails. The next read follows at the usual interval. */
  onReadError: (err: unknown) => void;
  caps?: StreamCaps | undefined;
  /** Ends all streams and prevents new ones. */
  signal?: AbortSignal | undefined;
}) {
  const { read, every, onReadError, signal } = deps;
  const { caps = { perClient: MAX_PER_CLIENT, inAll: MAX_IN_ALL } } = deps;
  const watched = new Map<string, Watched>();
  const counts = new Map<string, number>();
  const open = new Set<() => void>();
  signal?.addEventListener('abort', () => {
    for (const end of [...open]) end();
  });

  const count = (client: string, by: 1 | -1) => {
    const now = (counts.get(client) ?? 0) + by;
    if (now > 0) counts.set(client, now);
    else counts.delete(client);
  };

  /** Reads each record once for all its listeners. */
  function startReading(token: string): Watched {
    const listeners: Watched['listeners'] = new Set();
    let isReading = false;
    const readState = async () => {
      if (isReading) return;
      isReading = true;
      try {
        const state = await read(token);
        for (const listener of [...listeners]) listener(state);
      } catch (err) {
        onReadError(err);
      } finally {
        isReading = false;
      }
    };
    const entry = { listeners, stop: every(READ_INTERVAL_MS, () => void readState()) };
    watched.set(token, entry);
    return entry;
  }

  /** Passes each state of the invoice to `listener` until the returned function is called. */
  function listen(token: string, listener: (state: PageState | undefined) => void): () => void {
    const entry = watched.get(token) ?? startReading(token);
    entry.listeners.add(listener);
    return () => {
      entry.listeners.delete(listener);
      if (entry.listeners.size > 0 || watched.get(token) !== entry) return;
      watched.delete(token);
      entry.stop();
    };
  }

  return {
    /** Opens a stream. Returns `undefined` if the client or all clients together have reached the maximum. */
    open(token: string, client: string, first: PageState): ReadableStream<Uint8Array> | undefined {
      const isFull = open.size >= caps.inAll || (counts.get(client) ?? 0) >= caps.perClient;
      if (isFull || signal?.aborted) return undefined;
      let isOpen = true;
      let release = () => {};
      return new ReadableStream<Uint8Array>({
        start(controller) {
          const encoder = new TextEncoder();
          let fingerprint: string | undefined;
          const end = () => {
            if (!isOpen) return;
            release();
            controller.close();
          };
          const send = (text: string) => {
            if (!isOpen) return;
            if ((controller.desiredSize ?? 0) < -MAX_UNREAD) end();
            else controller.enqueue(encoder.encode(`${text}\n\n`));
          };
          const sendState = (state: PageState | undefined) => {
            if (state && state.fingerprint !== fingerprint) send(`data: ${JSON.stringify(state)}`);
            fingerprint = state?.fingerprint;
            if (state && !state.final) return;
            // Tells the page to close the stream. Otherwise the browser would reconnect.
            send('event: end\ndata:');
            end();
          };
          const stops = [listen(token, sendState), every(COMMENT_INTERVAL_MS, () => send(':'))];
          count(client, 1);
          open.add(end);
          release = () => {
            if (!isOpen) return;
            isOpen = false;
            for (const stop of stops) stop();
            open.delete(end);
            count(client, -1);
          };
          send(`retry: ${RETRY_MS}`);
          sendState(first);
        },
        cancel: () => release(),
      });
    },
  };
}
