import type { Hook } from '../accounts/event-hooks.ts';
import { createKeyedQueue } from '../keyed-queue.ts';
import type { Log } from '../log.ts';
import { readEvent, verifySignature } from '../rental/webhook.ts';
import type { Turns } from '../storage/turns.ts';
import type { EventHandler } from './events/event.ts';

const REMEMBERED_MS = 7 * 24 * 3600_000;

export type ReceiveEvent = (
  hook: Hook,
  rawBody: Uint8Array,
  signature: string | undefined,
) => Promise<'accepted' | 'refused' | 'busy'>;

/**
 * Events of the service. Accepted once its work is done, so that one whose work failed is delivered again; one
 * that was done already is accepted without a second look. Of copies that come at once, one is worked on: here the
 * others wait for it, and on another replica they are `busy`, and are delivered again.
 */
export function createReceiveEvent(deps: {
  handlers: readonly EventHandler[];
  turns: Turns;
  log: Log;
}): ReceiveEvent {
  const { handlers, turns, log } = deps;
  const copies = createKeyedQueue<string>();
  return async (hook, rawBody, signature) => {
    if (!verifySignature({ secrets: hook.secrets, rawBody, signature })) return 'refused';
    const event = readEvent(parse(rawBody));
    if (event === undefined) return 'refused';
    const seen = `event:${hook.account}:${event.id}`;
    const work = async () => {
      for (const handler of handlers) {
        if (handler.types.includes(event.type)) await handler.handle(hook.account, event);
      }
    };
    const turn = await copies.run(seen, () => turns.take(seen, work, { keptMs: REMEMBERED_MS }));
    if (turn === 'done') log.info({ event: event.type }, 'an event came in');
    return turn === 'busy' ? 'busy' : 'accepted';
  };
}

function parse(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(rawBody).toString('utf8'));
  } catch {
    return undefined;
  }
}
