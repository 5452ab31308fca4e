import type { Every } from './every.ts';
import type { PageState } from './page-state.ts';
import type { Watch } from './watch.ts';

/** Interval of comments that keep a stream open. Proxies close silent connections after 30 to 60 seconds. */
export const COMMENT_MS = 15_000;
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
export interface Streams {
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
