import type { EventHooks } from '../accounts/event-hooks.ts';
import type { Log } from '../log.ts';
import { readEvent, verifySignature } from '../rental/webhook.ts';
import type { Storage } from '../storage/storage.ts';
import type { EventHandler } from './events/event.ts';

const REMEMBERED_MS = 7 * 24 * 3600_000;

export type ReceiveEvent = (
  hook: string,
  rawBody: Uint8Array,
  signature: string | undefined,
) => Promise<'accepted' | 'refused'>;

/**
 * Events of the service. Accepted once its work is done, so that one whose work failed is delivered again; one
 * that was done already is accepted without a second look.
 */
export function createReceiveEvent(deps: {
  hooks: EventHooks;
  handlers: readonly EventHandler[];
  storage: Storage;
  log: Log;
}): ReceiveEvent {
  const { hooks, handlers, storage, log } = deps;
  return async (path, rawBody, signature) => {
    const hook = await hooks.find(path);
    if (hook === undefined) return 'refused';
    if (!verifySignature({ secret: hook.secret, rawBody, signature })) return 'refused';
    const event = readEvent(parse(rawBody));
    if (event === undefined) return 'refused';
    const seen = `event:${hook.account}:${event.id}`;
    if ((await storage.get(seen)) !== undefined) return 'accepted';
    for (const handler of handlers) {
      if (handler.types.includes(event.type)) await handler.handle(hook.account, event);
    }
    await storage.set(seen, '', { ttlMs: REMEMBERED_MS });
    log.info({ event: event.type }, 'an event came in');
    return 'accepted';
  };
}

function parse(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(rawBody).toString('utf8'));
  } catch {
    return undefined;
  }
}
