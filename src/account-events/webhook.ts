import type { EventHooks, Hook } from '../accounts/webhook-subscriptions.ts';
import type { Refusal, Tally } from '../notifications/metrics.ts';
import type { Log } from '../platform/log.ts';
import { readEvent, verifySignature } from '../rental-api/webhook.ts';
import { type Inbox, KNOWN_MS } from './inbox.ts';

/** Maximum number of rate-limited paths in memory. Requests may use any number of unknown paths. */
const MAX_CROWDED = 10_000;

/** Receiver of the service's webhook requests. Verifies events before they are stored. */
interface EventReceiver {
  /** Returns the webhook subscription of a path. Called before the body is read. */
  find(path: string): Promise<Hook | undefined>;
  /** Resolves to `taken` once the event is stored, now or earlier. A rejection doesn't reveal which check failed. */
  receive(hook: Hook, rawBody: Uint8Array, signature: string | undefined): Promise<'taken' | 'refused'>;
  /** Counts a request that was rejected before `receive`. `path` is set if it exceeded the rate limit. */
  refused(why: Refusal, path?: string): void;
}

export function createEventReceiver(deps: {
  hooks: Pick<EventHooks, 'find'>;
  inbox: Pick<Inbox, 'take'>;
  tally: Pick<Tally, 'came' | 'refused'>;
  /**
   * Called when an event couldn't be stored. The service may not send it again, so it must be searched for in the log.
   */
  lost: () => void;
  /** Called when requests for this account exceeded the rate limit, for the same reason. */
  crowdedAt: (account: number) => void;
  now: () => number;
  log: Log;
}): EventReceiver {
  const { hooks, inbox, tally, lost, crowdedAt, now, log } = deps;
  /** Paths that exceeded the rate limit since their last accepted request. */
  const crowded = new Set<string>();

  /**
   * Runs `work`. If the storage is unavailable, reports a lost event and rejects, so that the service sends it again.
   */
  async function orLost<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (err) {
      lost();
      tally.refused('storage');
      throw err;
    }
  }

  function refused(why: Refusal): 'refused' {
    tally.refused(why);
    return 'refused';
  }

  return {
    async find(path) {
      const hook = await orLost(() => hooks.find(path));
      if (hook === undefined) tally.refused('hook');
      // The rejected requests may have contained an event.
      else if (crowded.delete(path)) crowdedAt(hook.account);
      return hook;
    },
    async receive({ account, secrets }, rawBody, signature) {
      if (!verifySignature({ secrets, rawBody, signature })) return refused('signature');
      const event = readEvent(parse(rawBody));
      if (event === undefined) return refused('body');
      // Events this old are forgotten after handling, so a copy couldn't be recognized.
      if (event.at !== undefined && Date.parse(event.at) < now() - KNOWN_MS) return refused('old');
      const taken = await orLost(() => inbox.take(account, event, 'sent'));
      tally.came(account, event.type, taken === 'new' ? 'sent' : 'copy');
      if (taken === 'new') log.info({ event: event.type, account }, 'event received');
      return 'taken';
    },
    refused(why, path) {
      if (path !== undefined && crowded.size < MAX_CROWDED) crowded.add(path);
      tally.refused(why);
    },
  };
}

function parse(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(rawBody).toString('utf8'));
  } catch {
    return undefined;
  }
}
