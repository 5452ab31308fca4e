import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const A_SECOND = 750;
const BEGUN = 40_000;
const PROMISED = 60_000;

/**
 * Opens clients that send a part of a body and then wait. Resolves once all are closed or `patienceMs` has passed.
 */
export async function sendHalf(about: {
  origin: string;
  paths: readonly string[];
  count: number;
  patienceMs: number;
}): Promise<{ cut: number; lastMs: number }> {
  const { origin, paths, count, patienceMs } = about;
  const { hostname, port } = new URL(origin);
  const held: number[] = [];
  const sockets: Socket[] = [];

  function half(path: string): Promise<void> {
    const began = performance.now();
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: bot\r\nContent-Length: ${PROMISED}\r\n\r\n${'x'.repeat(BEGUN)}`,
    );
    return new Promise((resolve) => {
      socket.once('close', () => {
        held.push(performance.now() - began);
        resolve();
      });
    });
  }

  const cuts: Promise<void>[] = [];
  for (let at = 0; at < count; at++) {
    cuts.push(half(paths[at % paths.length] ?? '/'));
    if (at % 10 === 9) await delay(10_000 / A_SECOND);
  }
  await Promise.race([Promise.all(cuts), delay(patienceMs, undefined, { ref: false })]);
  const cut = held.length;
  for (const socket of sockets) socket.destroy();
  return { cut, lastMs: Math.max(0, ...held) };
}
