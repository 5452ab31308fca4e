import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { World } from '../world.ts';

/** Streams the revision of the state as server-sent events: once at the start and after each change. */
export function streamChanges(c: Context, world: World): Response {
  return streamSSE(c, async (stream) => {
    if (world.stopped.aborted) return;
    const send = () => stream.writeSSE({ data: String(world.revision) });
    const forget = world.onChange(() => void send());
    void send();
    await new Promise<void>((resolve) => {
      const end = () => {
        forget();
        world.stopped.removeEventListener('abort', end);
        resolve();
      };
      stream.onAbort(end);
      world.stopped.addEventListener('abort', end);
    });
  });
}
