import type { EventHooks, Hook } from '../accounts/webhook-subscriptions.ts';
import type { Refusal, Tally } from '../notifications/metrics.ts';
import type { Log } from '../platform/log.ts';
import { readEvent, verifySignature } from '../rental-api/webhook.ts';
import { type Inbox, KNOWN_MS } from './inbox.ts';

/** So that paths nobody has can't fill the memory. */
const MOST_CROWDED = 10_000;

/** Where the service's events come in, before anything of them is believed. */
interface EventReceiver {
  /** Whose the path is; asked before a body is read. */
  find(path: string): Promise<Hook | undefined>;
  /** Resolves to `taken` once the event is stored, or was before. Which part of what is refused was wrong isn't told. */
  receive(hook: Hook, rawBody: Uint8Array, signature: string | undefined): Promise<'taken' | 'refused'>;
  /** It was refused before that. `path`: where too much came at once. */
  refused(why: Refusal, path?: string): void;
}

export function createEventReceiver(deps: {
  hooks: Pick<EventHooks, 'find'>;
  inbox: Pick<Inbox, 'take'>;
  tally: Pick<Tally, 'came' | 'refused'>;
  /** What isn't taken now may never come again: it is looked for in the service's log. */
  lost: () => void;
  /** Its account's log has to be read, for the same reason. */
  crowdedAt: (account: number) => void;
  now: () => number;
  log: Log;
}): EventReceiver {
  const { hooks, inbox, tally, lost, crowdedAt, now, log } = deps;
  /** Paths where deliveries were too many just now: until the next that isn't. */
  const crowded = new Set<string>();

  /** Where the storage is away nothing can be taken, and it is for the service to send it again. */
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
      // Among what was too much may have been an event.
      else if (crowded.delete(path)) crowdedAt(hook.account);
      return hook;
    },
    async receive({ account, secrets }, rawBody, signature) {
      if (!verifySignature({ secrets, rawBody, signature })) return refused('signature');
      const event = readEvent(parse(rawBody));
      if (event === undefined) return refused('body');
      // A copy of what is so old would not be known as one.
      if (event.at !== undefined && Date.parse(event.at) < now() - KNOWN_MS) return refused('old');
      const taken = await orLost(() => inbox.take(account, event, 'sent'));
      tally.came(account, event.type, taken === 'new' ? 'sent' : 'copy');
      if (taken === 'new') log.info({ event: event.type, account }, 'an event came in');
      return 'taken';
    },
    refused(why, path) {
      if (path !== undefined && crowded.size < MOST_CROWDED) crowded.add(path);
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
