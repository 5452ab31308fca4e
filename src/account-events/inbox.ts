import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { WebhookSubscription, WebhookSubscriptions } from '../accounts/webhook-subscriptions.ts';
import type { EventMetrics, RejectionReason } from '../notifications/event-metrics.ts';
import { delayBefore } from '../platform/async.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../platform/clock.ts';
import { createDueQueue, defineDueQueue } from '../platform/due-queue.ts';
import { createDueWork } from '../platform/due-work.ts';
import type { GivenUp } from '../platform/given-up.ts';
import { type Log, reportFailure } from '../platform/log.ts';
import { defineRecord, parseJson, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { type RentalEvent, readEvent, verifySignature } from '../rental-api/webhook.ts';

/** Time for which an event is remembered, in milliseconds. Duplicates within it are ignored. */
export const EVENT_TTL_MS = 30 * DAY_MS;

const receivedEventSchema = z.object({
  account: z.number(),
  event: z.object({
    type: z.string(),
    id: z.string(),
    at: z.string().optional(),
    order: z.object({ order_id: z.number(), address: z.string(), energy_amount: z.number() }).optional(),
    data: z.record(z.string(), z.unknown()),
  }),
  source: z.enum(['webhook', 'log']),
  /** Epoch milliseconds. */
  receivedAt: z.number(),
  failedAttempts: z.number(),
  /** Random value that makes simultaneous duplicates differ, so that only one is stored as new. */
  nonce: z.string(),
});
type ReceivedEvent = z.infer<typeof receivedEventSchema>;

/** Stored in place of an event that was handled or given up. */
const HANDLED = 'handled';

/** Received event, until it is handled. Afterwards a mark by which duplicates are recognized. */
export const INBOX_RECORDS = defineRecord({
  keys: 'event:account:id',
  content: 'Event that arrived, later a mark that it was handled',
  schema: z.union([z.literal(HANDLED), receivedEventSchema]),
  ttlMs: EVENT_TTL_MS,
  signed: true,
  retained: { elsewhere: 'kept-account' },
});

/** Time until an event is due again if the process that handles it crashes, in milliseconds. */
const LEASE_MS = 10_000;
const RETRY_DELAYS_MS = [1_000, 5_000, 15_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS] as const;

export const DUE_EVENTS = defineDueQueue({
  keys: 'events:due',
  ref: { account: 'number', id: 'string' },
  longestMs: Math.max(LEASE_MS, ...RETRY_DELAYS_MS),
  content: 'When each event is handled, unless at once',
  expiry: 'none: a single key; handled events are removed',
  retained: { elsewhere: 'kept-account' },
});

/** Handler of a type of service events. To add one, define it in `handlers.ts` and add it to `createEventHandlers`. */
export interface EventHandler {
  /** Returns whether this handler is responsible for events of this type (specification, section 6). */
  handles(type: string): boolean;
  /**
   * Handles an event that arrived with a valid signature or was found in the service's log. Amounts and results in it
   * are only hints: handlers read the facts from the service. Safe to repeat: failed calls are retried, and events may
   * arrive out of order.
   */
  handle(account: number, event: RentalEvent, source: ReceivedEvent['source']): Promise<unknown>;
  /** Handles an event that is in the service's own log, so that its content may be shown to users. Safe to repeat. */
  handleLogged?(account: number, event: RentalEvent): Promise<unknown>;
}

/** Number of attempts, over more than a day, after which an event is given up. */
const MAX_ATTEMPTS = 36;

export type Inbox = ReturnType<typeof createInbox>;

/** Creates the store of the service's events, from their arrival until they are handled. */
export function createInbox(deps: {
  storage: Pick<Storage, 'index'>;
  records: SignedRecords;
  handlers: readonly EventHandler[];
  eventMetrics: Pick<EventMetrics, 'eventHandled'>;
  givenUp: Pick<GivenUp, 'note'>;
  now: () => number;
  log: Log;
}) {
  const { handlers, eventMetrics, givenUp, now, log } = deps;
  const inboxRecords = deps.records.store(INBOX_RECORDS);
  const dueEvents = createDueQueue(DUE_EVENTS, deps);

  async function handle(ref: { account: number; id: string }): Promise<void> {
    const stored = await inboxRecords.read(ref);
    if (stored === undefined || stored.value === HANDLED) return dueEvents.remove(ref);
    const { account, event, source, receivedAt } = stored.value;
    let isGivenUp = false;
    try {
      await handlers.find(({ handles }) => handles(event.type))?.handle(account, event, source);
    } catch (err) {
      const failedAttempts = stored.value.failedAttempts + 1;
      if (failedAttempts < MAX_ATTEMPTS) {
        const about = { account, event: event.type, attempt: failedAttempts, err };
        log.warn(about, 'an event of the service could not be handled yet');
        await inboxRecords.replace(ref, stored, { ...stored.value, failedAttempts });
        return dueEvents.scheduleIn(ref, delayBefore(failedAttempts - 1, RETRY_DELAYS_MS));
      }
      const about = { account, event: event.type, err };
      reportFailure(log, about, 'an event of the service could not be handled and is given up');
      await givenUp.note('event');
      isGivenUp = true;
    }
    // Stored before the event leaves the queue: after a crash in between, the event is still due.
    await inboxRecords.set(ref, HANDLED);
    await dueEvents.remove(ref);
    if (!isGivenUp) eventMetrics.eventHandled(now() - receivedAt);
  }

  const dueWork = createDueWork({
    queue: dueEvents,
    work: handle,
    leaseMs: LEASE_MS,
    failureMessage: 'handling an event failed; it will be retried',
    log,
  });

  return {
    /**
     * Resolves once the event is stored. It is handled afterwards, even if this process crashes. Returns `duplicate` if
     * it arrived before, within {@link EVENT_TTL_MS}. Rejects if the storage is unavailable: then the event wasn't
     * received.
     *
     * @example await inbox.receive(1001, event, 'webhook'); // 'new'
     */
    async receive(
      account: number,
      event: RentalEvent,
      source: ReceivedEvent['source'],
    ): Promise<'new' | 'duplicate'> {
      const ref = { account, id: event.id };
      const present = await inboxRecords.get(ref);
      if (present === HANDLED) return 'duplicate';
      // Queued before it is stored, so that the event is handled even if this process crashes in between.
      await dueEvents.scheduleNoLaterThan(ref, LEASE_MS);
      if (present !== undefined) return 'duplicate';
      const received = { account, event, source, receivedAt: now(), failedAttempts: 0, nonce: randomUUID() };
      if (!(await inboxRecords.add(ref, received))) {
        if ((await inboxRecords.get(ref)) !== undefined) return 'duplicate';
        // The stored record fails verification.
        await inboxRecords.set(ref, received);
      }
      dueWork.start(ref);
      return 'new';
    },
    /** Returns whether the event has arrived, as a webhook request or through the log. */
    hasReceived: async (account: number, event: RentalEvent): Promise<boolean> =>
      (await inboxRecords.get({ account, id: event.id })) !== undefined,
    run: dueWork.startDue,
    close: dueWork.close,
  };
}

/** Maximum number of rate-limited paths in memory. Requests may use any number of unknown paths. */
const MAX_RATE_LIMITED_PATHS = 10_000;

/** Creates the receiver of the service's webhook requests. Verifies events before they are stored. */
export function createEventReceiver(deps: {
  webhookSubscriptions: Pick<WebhookSubscriptions, 'find'>;
  inbox: Pick<Inbox, 'receive'>;
  eventMetrics: Pick<EventMetrics, 'eventReceived' | 'requestRejected'>;
  /**
   * Called when an event couldn't be stored. The service may not send it again, so it must be searched for in the log.
   */
  onEventLost: () => void;
  /** Called when requests for this account exceeded the rate limit, for the same reason. */
  onRateLimited: (account: number) => void;
  now: () => number;
  log: Log;
}) {
  const { webhookSubscriptions, inbox, eventMetrics, onEventLost, onRateLimited, now, log } = deps;
  /** Paths that exceeded the rate limit since their last accepted request. */
  const rateLimitedPaths = new Set<string>();

  /** Runs `work`. If the storage is unavailable, reports a lost event and rejects, so that the service sends it again. */
  async function reportIfLost<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (err) {
      onEventLost();
      eventMetrics.requestRejected('storage');
      throw err;
    }
  }

  function reject(reason: RejectionReason): 'rejected' {
    eventMetrics.requestRejected(reason);
    return 'rejected';
  }

  return {
    /** Returns the webhook subscription of a path. Called before the body is read. */
    async find(path: string): Promise<WebhookSubscription | undefined> {
      const subscription = await reportIfLost(() => webhookSubscriptions.find(path));
      if (subscription === undefined) eventMetrics.requestRejected('hook');
      // The rejected requests may have contained an event.
      else if (rateLimitedPaths.delete(path)) onRateLimited(subscription.account);
      return subscription;
    },

    /** Resolves to `accepted` once the event is stored, now or earlier. A rejection doesn't reveal which check failed. */
    async receive(
      { account, secrets }: WebhookSubscription,
      rawBody: Uint8Array,
      signature: string | undefined,
    ): Promise<'accepted' | 'rejected'> {
      if (!verifySignature({ secrets, rawBody, signature })) return reject('signature');
      // `TextDecoder` removes a byte order mark.
      const event = readEvent(parseJson(new TextDecoder().decode(rawBody)));
      if (event === undefined) return reject('body');
      // Events this old are forgotten after handling, so a duplicate couldn't be recognized.
      if (event.at !== undefined && Date.parse(event.at) < now() - EVENT_TTL_MS) return reject('old');
      const isNew = (await reportIfLost(() => inbox.receive(account, event, 'webhook'))) === 'new';
      eventMetrics.eventReceived(account, event.type, isNew ? 'webhook' : 'duplicate');
      if (isNew) log.info({ event: event.type, account }, 'an event of the service has arrived');
      return 'accepted';
    },

    /** Counts a request that was rejected before `receive`. `path` is set if it exceeded the rate limit. */
    countRejected(why: RejectionReason, path?: string): void {
      if (path !== undefined && rateLimitedPaths.size < MAX_RATE_LIMITED_PATHS) rateLimitedPaths.add(path);
      eventMetrics.requestRejected(why);
    },
  };
}
