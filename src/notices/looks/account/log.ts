import type { EventHooks } from '../../../accounts/event-hooks.ts';
import type { WebhookLogEntry } from '../../../rental/resources/webhook-log-entry.ts';
import { type RentalEvent, readLoggedEvent } from '../../../rental/webhook.ts';
import type { EventType } from '../../events/event.ts';
import { type Inbox, KNOWN_MS } from '../../inbox/inbox.ts';
import type { Tally } from '../../inbox/tally.ts';
import type { TellHolders } from '../../tell-holders.ts';
import { isSince, type Look, SKEW_MS, unknownOf } from '../look.ts';

/** What the service has only just begun to send may still be on its way here. */
const UNDER_WAY_MS = 15_000;
/** So many that got no answer of ours: once is a bad moment, and while the bot was down nobody answered. */
const SILENT = 3;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Entry {
  event: RentalEvent;
  at: number;
  status: number | undefined;
}

/**
 * What the service has sent, by its own log: what never arrived here is handled as if it had, and what is said only by
 * an event may be told now. That nothing arrives any more is told too.
 */
export function createLogLook(deps: {
  hooks: Pick<EventHooks, 'since'>;
  inbox: Pick<Inbox, 'take' | 'knows'>;
  /** Asked as they are needed: they have the account looked at in their turn. */
  types: () => readonly EventType[];
  tellHolders: TellHolders;
  tally: Pick<Tally, 'came'>;
  /** Epoch milliseconds: before it nobody could have been heard. */
  startedAt: number;
  now: () => number;
}): Look {
  const { hooks, inbox, types, tellHolders, tally, startedAt, now } = deps;

  /** Answers whether it had never arrived. */
  async function learn(account: number, { event }: Entry): Promise<boolean> {
    const isMissed = !(await inbox.knows(account, event));
    if (isMissed && (await inbox.take(account, event, 'logged')) === 'new') {
      tally.came(account, event.type, 'logged');
    }
    await types()
      .find(({ hears }) => hears(event.type))
      ?.logged?.(account, event);
    return isMissed;
  }

  /** Somebody else's URL takes them, or ours is not to be reached from there. */
  async function tellSilence(account: number, missed: readonly Entry[]): Promise<void> {
    const since = await hooks.since(account);
    if (since === undefined) return;
    const from = Math.max(since, startedAt) + SKEW_MS;
    const lost = missed.filter(({ at }) => at >= from);
    const taken = lost.filter(({ status = 0 }) => status >= 200 && status < 300);
    const why = taken.length > 0 ? 'elsewhere' : lost.length >= SILENT ? 'unreached' : undefined;
    if (why === undefined) return;
    await tellHolders(account, { kind: 'hook', id: `${why}:${Math.floor(now() / DAY_MS)}`, data: { why } });
  }

  return {
    name: 'log',
    async look(rental, apiKey, before) {
      const { account } = before;
      const read = await rental.webhookLogs(apiKey);
      if (read.kind !== 'accepted') return read;
      const isReported = (await hooks.since(account)) !== undefined;
      const { known, fresh } = unknownOf(read.value, ({ id }) => String(id), before.known);
      const late = fresh
        .filter(({ item }) => isSince(item, before))
        .map(({ name, item }) => ({ name, entry: entryOf(item) }))
        .filter(({ entry }) => entry.at >= now() - KNOWN_MS);
      const waiting = new Set<string>();
      const missed: Entry[] = [];
      for (const { name, entry } of late) {
        const isUnderWay = isReported && now() - entry.at < UNDER_WAY_MS;
        if (isUnderWay && !(await inbox.knows(account, entry.event))) waiting.add(name);
        else if (await learn(account, entry)) missed.push(entry);
      }
      await tellSilence(account, missed);
      return {
        kind: 'accepted',
        value: {
          known: known.filter((name) => !waiting.has(name)),
          hasChanged: late.length > waiting.size,
          ...(waiting.size > 0 && { againMs: UNDER_WAY_MS }),
        },
      };
    },
  };
}

function entryOf(entry: WebhookLogEntry): Entry {
  return {
    event: readLoggedEvent(entry),
    at: Date.parse(entry.created_at),
    status: entry.response_status ?? undefined,
  };
}
