import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { connectOptions } from '../platform/service-calls.ts';

interface Opened {
  /** Resolves to `undefined` if the connection failed. */
  socket: Promise<Socket | undefined>;
  timer: NodeJS.Timeout;
}

/**
 * Creates a connector for undici that can open connections ahead of their requests. Such a connection has carried no request,
 * so it is as good as a new one, and its request doesn't wait for the handshakes of TCP and TLS. If it can't be used any more,
 * the request gets a new one.
 */
export function createConnector(
  origin: string,
  { connectMs, unusedMs }: { connectMs: number; unusedMs: number },
) {
  const { protocol, host, port, hostname } = new URL(origin);
  // An IPv6 address has brackets in a URL, but not for the connector.
  const target = { protocol, host, port, hostname: hostname.replace(/^\[|\]$/g, '') };
  const open = buildConnector({ ...connectOptions(connectMs), allowH2: false });
  const waiting = new Set<Opened>();

  function discard(opened: Opened): void {
    waiting.delete(opened);
    clearTimeout(opened.timer);
    void opened.socket.then((socket) => socket?.destroy());
  }

  return {
    /** Connector for undici's option `connect`. Uses the oldest connection that was opened ahead, if there is one. */
    connect(options: buildConnector.Options, callback: buildConnector.Callback): void {
      const [oldest] = waiting;
      if (oldest === undefined) return void open(options, callback);
      waiting.delete(oldest);
      clearTimeout(oldest.timer);
      void oldest.socket.then((socket) => {
        if (socket?.readable && socket.writable) callback(null, socket);
        else open(options, callback);
      });
    },
    /** Opens a connection for the next request. Closes it if no request uses it within `unusedMs`. */
    openAhead(): void {
      const socket = new Promise<Socket | undefined>((resolve) => {
        open(target, (_error, socket) => resolve(socket ?? undefined));
      });
      const opened = { socket, timer: setTimeout(() => discard(opened), unusedMs) };
      waiting.add(opened);
    },
    close: () => waiting.forEach(discard),
  };
}
