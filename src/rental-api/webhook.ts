import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import {
  chainAddress,
  displayName,
  eventData,
  numeric,
  price,
  recordId,
  timestamp,
  type WebhookLogEntry,
} from './schemas.ts';

/** Event of section 6, from a delivery or the webhook log. */
export interface RentalEvent {
  type: string;
  /**
   * Identical for every delivery and log entry of one event. Consists of its type, the id inside `data` and a hash of `data`.
   * If this is too long or has unusual characters, it is hashed. At most 100 characters, safe as a storage key.
   */
  id: string;
  at?: string;
  /** Set for `order.filled` only. */
  order?: FilledOrder;
  data: Record<string, unknown>;
}

type FilledOrder = z.infer<typeof FilledOrder>;

const FilledOrder = z.object({ order_id: recordId, address: chainAddress, energy_amount: numeric });
/** The log uses the names `event_type` and `payload` (section 2). Deliveries may use them, too. */
const Delivery = z.preprocess(
  (json) =>
    typeof json === 'object' && json !== null && !Array.isArray(json)
      ? { event: Reflect.get(json, 'event_type'), data: Reflect.get(json, 'payload'), ...json }
      : json,
  z.looseObject({
    event: displayName(100),
    data: eventData,
    timestamp: timestamp.optional().catch(undefined),
  }),
);

/** Length of the hash, in characters. It distinguishes events of an account with the same id. */
const HASH_LENGTH = 16;

/** Id fields, most specific first. `tx_hash` distinguishes two transfers of one subscription; `id` may not. */
const IDS = ['order_id', 'invoice_id', 'withdrawal_id', 'deposit_id', 'transfer_id', 'tx_hash', 'id'];

/** Minimum length of a secret. With a shorter one, an attacker could forge signatures. */
const MIN_SECRET_LENGTH = 16;

export function isStrongSecret(secret: string): boolean {
  return secret.length >= MIN_SECRET_LENGTH;
}

/** Byte order mark, as it is or as Node reads its three bytes in a header. */
const BYTE_ORDER_MARK = /^(?:\uFEFF|\u00EF\u00BB\u00BF)/;

/**
 * Returns the digest of a signature header: hexadecimal or base64 (also URL-safe or without padding), with or without
 * `sha256=` before it. Returns `undefined` for every other text.
 */
function digestOf(signature: string): Buffer | undefined {
  const digits = signature
    .trim()
    .replace(BYTE_ORDER_MARK, '')
    .trim()
    .replace(/^sha256=/i, '');
  if (/^[0-9a-f]{64}$/i.test(digits)) return Buffer.from(digits, 'hex');
  const unpadded = digits.replace(/=$/, '');
  const digest = Buffer.from(unpadded, 'base64');
  // Node also decodes other texts, so the digest must have exactly this form.
  const forms = [digest.toString('base64').replace(/=$/, ''), digest.toString('base64url')];
  return digest.length === 32 && forms.includes(unpadded) ? digest : undefined;
}

/**
 * Returns whether `signature` is the HMAC-SHA256 of these bytes with one of the secrets. Compares in constant time, always
 * tries all secrets and ignores weak ones. The specification doesn't document how deliveries are signed (section 6, gaps), so
 * all usual forms are accepted (`digestOf`).
 */
export function verifySignature(delivery: {
  secrets: readonly string[];
  rawBody: Uint8Array;
  signature: string | undefined;
}): boolean {
  const { secrets, rawBody, signature } = delivery;
  const given = signature === undefined ? undefined : digestOf(signature);
  if (given === undefined) return false;
  const verdicts = secrets.map((secret) => {
    const fits = timingSafeEqual(createHmac('sha256', secret).update(rawBody).digest(), given);
    return fits && isStrongSecret(secret);
  });
  return verdicts.includes(true);
}

/** Reads a delivery's parsed body, `{event, data, timestamp}`. Returns `undefined` if it has another shape. */
export function readEvent(json: unknown): RentalEvent | undefined {
  const { data: delivery } = Delivery.safeParse(json);
  return delivery && eventOf(delivery.event, delivery.data, delivery.timestamp);
}

/** Reads an entry of the webhook log. Its payload is the `data` of a delivery or the whole delivery. */
export function readLoggedEvent(entry: WebhookLogEntry): RentalEvent {
  const whole = Delivery.safeParse(entry.payload).data;
  return eventOf(entry.event_type, whole?.data ?? entry.payload, whole?.timestamp ?? entry.created_at);
}

function eventOf(type: string, data: Record<string, unknown>, at: string | undefined): RentalEvent {
  const order = type === 'order.filled' ? FilledOrder.safeParse(data).data : undefined;
  return {
    type,
    id: toStorageKey(`${type}:${idOf(data)}`),
    ...(at && { at }),
    ...(order && { order }),
    data,
  };
}

/** Transfer that Smart Mode has served and charged for, as its event reports it. */
export interface ServedTransfer {
  /** Id of the subscription. Missing if the event doesn't name it. */
  subscription?: number | undefined;
  address?: string | undefined;
  /** TRX, decimal. */
  feeTrx: string;
  /** ISO 8601. */
  at: string;
}

/** The specification doesn't show these fields (section 6, gaps). */
const ServedTransfer = z.object({
  subscription_id: recordId.optional().catch(undefined),
  address: chainAddress.optional().catch(undefined),
  fee_trx: price.refine((fee) => fee !== undefined),
});

/** Returns the Smart Mode transfers of a webhook log, each once. Leaves out those whose fee can't be read. */
export function readServedTransfers(log: readonly WebhookLogEntry[]): ServedTransfer[] {
  const served = new Map<string, ServedTransfer>();
  for (const entry of log) {
    const { type, id, data } = readLoggedEvent(entry);
    const {
      subscription_id: subscription,
      address,
      fee_trx: feeTrx,
    } = ServedTransfer.safeParse(data).data ?? {};
    if (type === 'smart_mode.transfer' && feeTrx !== undefined)
      served.set(id, { subscription, address, feeTrx, at: entry.created_at });
  }
  return [...served.values()];
}

function toStorageKey(id: string): string {
  return /^[\w.:,-]{1,100}$/.test(id) ? id : createHash('sha256').update(id).digest('base64url');
}

function idOf(data: Record<string, unknown>): string {
  const hash = createHash('sha256')
    .update(JSON.stringify(sortKeys(data)))
    .digest('base64url');
  for (const name of IDS) {
    const id = data[name];
    if (typeof id === 'number' || (typeof id === 'string' && id !== ''))
      return `${id}:${hash.slice(0, HASH_LENGTH)}`;
  }
  return hash;
}

/** Sorts the keys of objects recursively, so that their order doesn't matter. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, inner]) => [name, sortKeys(inner)]);
}
