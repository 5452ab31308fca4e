import type { PageState } from './document.ts';

/** Calls `run` every `ms` milliseconds until the returned function is called. */
export type Every = (ms: number, run: () => void) => () => void;

/** Implementation with `setInterval`. The timer doesn't keep the process alive. */
export const everyInterval: Every = (ms, run) => {
  const timer = setInterval(run, ms).unref();
  return () => clearInterval(timer);
};

/** Interval of reads while a record has listeners. */
const READ_MS = 2_000;

/** Receives the state of an invoice after each read. `undefined` means that its link is no longer valid. */
type Listener = (state: PageState | undefined) => void;

/** Notifies listeners of the state of invoices. Reads each record once for all its listeners. */
interface Watch {
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

/** Interval of comments that keep a stream open. Proxies close silent connections after 30 to 60 seconds. */
const COMMENT_MS = 15_000;
/** Maximum number of streams per client address, which several users may share. Pages without a stream poll. */
const PER_CLIENT = 10;
/** Maximum number of streams: half of the server's connections (`http-server.ts`). Webhooks need the rest. */
const IN_ALL = 90;
/** Number of unread chunks after which a stream is closed. */
const UNREAD = 20;
/** Time after which browsers reconnect. */
const RETRY_MS = 3_000;

export interface StreamCaps {
  perClient: number;
  inAll: number;
}

/** Server-sent events of invoices' pages (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
interface Streams {
  /** Opens a stream. Returns `undefined` if the client or all clients together have reached the maximum. */
  open(token: string, client: string, first: PageState): ReadableStream<Uint8Array> | undefined;
}

export function createStreams(deps: {
  watch: Watch;
  every: Every;
  caps?: StreamCaps | undefined;
  /** Ends all streams and prevents new ones. */
  signal?: AbortSignal | undefined;
}): Streams {
  const { watch, every, signal, caps = { perClient: PER_CLIENT, inAll: IN_ALL } } = deps;
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

  return {
    open(token, client, first) {
      const isFull = open.size >= caps.inAll || (counts.get(client) ?? 0) >= caps.perClient;
      if (isFull || signal?.aborted) return undefined;
      let isOpen = true;
      let release = () => {};
      return new ReadableStream<Uint8Array>({
        start(controller) {
          const encoder = new TextEncoder();
          let face: string | undefined;
          const end = () => {
            if (!isOpen) return;
            release();
            controller.close();
          };
          const send = (text: string) => {
            if (!isOpen) return;
            if ((controller.desiredSize ?? 0) < -UNREAD) end();
            else controller.enqueue(encoder.encode(`${text}\n\n`));
          };
          const hear = (state: PageState | undefined) => {
            if (state && state.face !== face) send(`data: ${JSON.stringify(state)}`);
            face = state?.face;
            if (state && !state.final) return;
            // Tells the page to close the stream. Otherwise the browser would reconnect.
            send('event: end\ndata:');
            end();
          };
          const stop = [watch.listen(token, hear), every(COMMENT_MS, () => send(':'))];
          count(client, 1);
          open.add(end);
          release = () => {
            if (!isOpen) return;
            isOpen = false;
            for (const one of stop) one();
            open.delete(end);
            count(client, -1);
          };
          send(`retry: ${RETRY_MS}`);
          hear(first);
        },
        cancel: () => release(),
      });
    },
  };
}
