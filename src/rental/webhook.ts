import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { chainAddress, eventData, named, numeric, recordId, timestamp } from './resources/fields.ts';
import type { WebhookLogEntry } from './resources/webhook-log-entry.ts';

/** An event of section 6, however it was learned. */
export interface RentalEvent {
  type: string;
  /**
   * The same for every delivery and log entry of one event: its type, the id inside `data` and a hash of all that is in it,
   * or a hash of the whole where that is long or of unusual letters. At most 100 characters, fit for a key of the storage.
   */
  id: string;
  at?: string;
  /** Only of `order.filled`. */
  order?: FilledOrder;
  data: Record<string, unknown>;
}

export type FilledOrder = z.infer<typeof FilledOrder>;

const FilledOrder = z.object({ order_id: recordId, address: chainAddress, energy_amount: numeric });
/** The log calls the same things `event_type` and `payload` (section 2): a delivery may come to do so. */
const Delivery = z.preprocess(
  (json) =>
    typeof json === 'object' && json !== null && !Array.isArray(json)
      ? { event: Reflect.get(json, 'event_type'), data: Reflect.get(json, 'payload'), ...json }
      : json,
  z.looseObject({
    event: named(100),
    data: eventData,
    timestamp: timestamp.optional().catch(undefined),
  }),
);

/** Two of an account that have the same id, by chance or as they grow, are told apart by it. */
const HASH_LENGTH = 16;

/** From the most telling: a hash tells two transfers of one subscription apart, its `id` may not. */
const IDS = ['order_id', 'invoice_id', 'withdrawal_id', 'deposit_id', 'transfer_id', 'tx_hash', 'id'];

/** A shorter secret could be guessed, and then everybody's word would be the service's. */
const MIN_SECRET_LENGTH = 16;

/** Whether what this secret signs can be believed. */
export function isStrong(secret: string): boolean {
  return secret.length >= MIN_SECRET_LENGTH;
}

/**
 * Whether `signature` is the hexadecimal HMAC-SHA256 of exactly these bytes by one of the secrets, in constant time: each
 * is tried, whichever fits, and one that could be guessed never does. Letters may be of either case: they are the same
 * bytes. How deliveries are signed isn't in the specification (section 6, gaps).
 */
export function verifySignature(delivery: {
  secrets: readonly string[];
  rawBody: Uint8Array;
  signature: string | undefined;
}): boolean {
  const { secrets, rawBody, signature } = delivery;
  if (signature === undefined || !/^[0-9a-f]{64}$/i.test(signature)) return false;
  const given = Buffer.from(signature, 'hex');
  const verdicts = secrets.map((secret) => {
    const fits = timingSafeEqual(createHmac('sha256', secret).update(rawBody).digest(), given);
    return fits && isStrong(secret);
  });
  return verdicts.includes(true);
}

/** Reads a delivery's parsed body, `{event, data, timestamp}`; `undefined` if it is something else. */
export function readEvent(json: unknown): RentalEvent | undefined {
  const { data: delivery } = Delivery.safeParse(json);
  return delivery && eventOf(delivery.event, delivery.data, delivery.timestamp);
}

/** Reads an entry of the webhook log, whose payload is a delivery's `data`, or the whole delivery. */
export function readLoggedEvent(entry: WebhookLogEntry): RentalEvent {
  const whole = Delivery.safeParse(entry.payload).data;
  return eventOf(entry.event_type, whole?.data ?? entry.payload, whole?.timestamp ?? entry.created_at);
}

function eventOf(type: string, data: Record<string, unknown>, at: string | undefined): RentalEvent {
  const order = type === 'order.filled' ? FilledOrder.safeParse(data).data : undefined;
  return { type, id: asKey(`${type}:${idOf(data)}`), ...(at && { at }), ...(order && { order }), data };
}

function asKey(id: string): string {
  return /^[\w.:,-]{1,100}$/.test(id) ? id : createHash('sha256').update(id).digest('base64url');
}

function idOf(data: Record<string, unknown>): string {
  const hash = createHash('sha256')
    .update(JSON.stringify(sorted(data)))
    .digest('base64url');
  for (const name of IDS) {
    const id = data[name];
    if (typeof id === 'number' || (typeof id === 'string' && id !== ''))
      return `${id}:${hash.slice(0, HASH_LENGTH)}`;
  }
  return hash;
}

/** The same in whatever order it was written. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, inner]) => [name, sorted(inner)]);
}
