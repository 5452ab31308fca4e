import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { World } from '../world.ts';

/** Server-sent events: the revision of the state, at once and after each change, until the client goes or the sandbox stops. */
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
