import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { ENERGY_PER_TRANSFER } from './tron.ts';

/** Maximum length of the processed text. The rest is ignored. */
const MAX_PROCESSED_CHARACTERS = 10_000;

/**
 * Makes a text of the service safe to display: one line, without invisible characters and direction marks. Cuts it to `most`
 * characters, with an ellipsis.
 */
export function toPrintable(text: string, most: number): string {
  const characters = [
    ...text
      .slice(0, MAX_PROCESSED_CHARACTERS)
      .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
      .trim(),
  ];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : characters.join('');
}

/**
 * A field that a response needn't have. An unreadable value counts as absent: it must not void the rest of the response.
 *
 * @example
 * tx_hash: optional(transactionHash) // string | null | undefined
 */
const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

const decimalText = z.string().regex(/^-?\d{1,20}(\.\d{1,20})?$/, 'a decimal number is expected');

/** Reads an amount: a decimal string, or a number that represents it exactly. Returns a decimal string. */
export const decimal = z.union([
  decimalText,
  z
    .number()
    .min(Number.MIN_SAFE_INTEGER)
    .max(Number.MAX_SAFE_INTEGER)
    .transform((number) => new BigNumber(number).decimalPlaces(20).toFixed())
    .pipe(decimalText),
]);

/**
 * Reads a price or a fee, in the currency of its field. The service charges for everything (section 1), so zero or less is
 * treated as missing, like null.
 */
export const price = decimal
  .nullish()
  .transform((amount) => (amount != null && new BigNumber(amount).gt(0) ? amount : undefined))
  .optional();

/** Reads a number, or a decimal string that a number represents exactly. */
export const numeric = z.union([
  z.number(),
  z
    .string()
    .max(40)
    .refine((text) => /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && new BigNumber(text).eq(Number(text)))
    .transform(Number),
]);

/** Reads a boolean. Null and a missing field mean *off*. */
const flag = z
  .boolean()
  .nullish()
  .transform((isOn) => isOn ?? false);

/**
 * Text of the service for display, cut to `most` characters. Never rejected because of its content, since that would make the
 * outcome of an executed request unknown.
 */
const displayText = (most: number) => z.string().transform((text) => toPrintable(text, most));

/** Chain address (section "Conventions"). Targets of transfers are also checked by `readAddress`. */
export const chainAddress = z.string().regex(/^T[0-9A-Za-z]{33}$/, 'a chain address is expected');

/** ISO 8601 in UTC. A timestamp without a zone counts as UTC. */
export const timestamp = z
  .string()
  .transform((text) => (/[T ][\d:.]+$/.test(text) ? `${text}Z` : text))
  .refine((text) => !Number.isNaN(Date.parse(text)), 'an ISO 8601 timestamp is expected');

/** Reads the time at which a record was created. Null is treated as missing. */
const createdAt = timestamp
  .nullish()
  .transform((at) => at ?? undefined)
  .optional();

/** Name from the service, made printable and cut to `most` characters. A name without printable characters becomes `?`. */
export const displayName = (most: number) =>
  z
    .string()
    .min(1)
    .transform((text) => toPrintable(text, most) || '?');

/** Status of a record. Unknown ones are accepted, because the service may add some. */
const status = displayName(64);

/** Transaction hash. 64 hexadecimal digits on the chain, but only a string in the specification. */
const transactionHash = displayText(128);

/** Maximum depth of event data. Deeper than any documented value, and safe for recursive functions. */
const MAX_DEPTH = 32;

/** Data of an event. Rejects data nested too deeply. */
export const eventData = z
  .record(z.string(), z.unknown())
  .refine((data) => isShallow(data), 'nested too deeply');

function isShallow(data: unknown): boolean {
  let level: unknown[] = [data];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return false;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return true;
}

/** Id of a record: an integer, or a string of its digits. */
export const recordId = numeric.pipe(z.int());

/** Section 4, endpoint 3. Without a `tx_hash` if the address wasn't activated. */
export const AddressActivation = z.looseObject({
  success: z.boolean(),
  tx_hash: optional(transactionHash),
});
export type AddressActivation = z.infer<typeof AddressActivation>;

/** Fields that energy and bandwidth orders share. */
const order = {
  order_id: recordId,
  address: chainAddress,
  duration_hours: numeric,
  price_trx: price,
  status,
};

/** Section 2, bandwidth order. */
export const BandwidthOrder = z.looseObject({ ...order, bandwidth_amount: numeric });
export type BandwidthOrder = z.infer<typeof BandwidthOrder>;

/** Section 2, deposit info. */
export const DepositInfo = z.looseObject({
  deposit_address: chainAddress,
  accepted_currencies: z.array(displayText(16)),
  usdt_to_trx_rate: price,
  trx_usd_rate: price,
});
export type DepositInfo = z.infer<typeof DepositInfo>;

/**
 * Section 2, deposit record: `pending`, `confirmed` or `expired`. Other fields are undocumented. They were observed at the live
 * service and are ignored if they don't fit.
 */
export const DepositRecord = z.looseObject({
  status,
  id: recordId.optional().catch(undefined),
  amount: decimal.optional().catch(undefined),
  currency: displayText(16).optional().catch(undefined),
  amount_trx: decimal.optional().catch(undefined),
  tx_hash: transactionHash.optional().catch(undefined),
  created_at: timestamp.optional().catch(undefined),
});
export type DepositRecord = z.infer<typeof DepositRecord>;

/** Section 2, energy order: `pending`, `filled` or `failed`. */
export const EnergyOrder = z.looseObject({ ...order, energy_amount: numeric });
export type EnergyOrder = z.infer<typeof EnergyOrder>;

/**
 * Section 2, invoice: `pending`, `paid`, `delegated`, `expired` or `failed`.
 * Fields that only a fetched invoice has are optional, because a created invoice uses the same schema.
 */
export const Invoice = z.looseObject({
  invoice_id: recordId,
  payment_address: chainAddress,
  address: chainAddress,
  energy_amount: numeric,
  duration_hours: numeric,
  price_trx: price,
  price_usdt: price,
  /** Empty if the service sends none that can be read: such an invoice must not count as pending. */
  status: status.catch(''),
  tx_hash: optional(transactionHash),
  paid_at: optional(timestamp),
  delegated_at: optional(timestamp),
  expires_at: timestamp,
  created_at: optional(timestamp),
});
export type Invoice = z.infer<typeof Invoice>;

/** Section 2, transfer package tiers; a tier's `price_trx` is the total. */
export const PackageTiers = z.looseObject({
  tiers: z.array(z.looseObject({ size: numeric, price_trx: price })),
  single_transfer_price: price,
  bw_fee_per_transfer: price,
  min_custom_size: numeric.nullish(),
  max_custom_size: numeric.nullish(),
});
export type PackageTiers = z.infer<typeof PackageTiers>;

/** Decimal strings by the hours of the rental: `{ '1': '35.68', '24': '…' }`. */
type ByHours = Record<string, string>;

/** Response of `GET /prices`. The specification doesn't show it, so everything may be missing. */
export interface Prices {
  /** Sun for a unit of energy. */
  energySunPerUnit?: ByHours;
  /** TRX burnt by a token transfer without energy. */
  burnTrx?: string;
  /** Price of one TRX in USD. */
  usdRate?: string;
}

const byHours = z
  .union([
    price.transform((ofOneHour): ByHours => (ofOneHour === undefined ? {} : { '1': ofOneHour })),
    z.record(z.string(), z.unknown()).transform(readHours),
  ])
  .optional()
  .catch(undefined);

/** Shapes in the live service's documents, newest first. Unknown values are ignored. */
export const Prices = z
  .looseObject({
    energy_sun: byHours,
    energy_trx: byHours,
    energy_volume: decimal.optional().catch(undefined),
    energy_price_sun: byHours,
    energy_price_trx_per_65k: byHours,
    burn_cost_trx: price.catch(undefined),
    trx_usd_rate: price.catch(undefined),
  })
  .transform((response): Prices => {
    const energySunPerUnit = {
      ...sunPerUnit(response.energy_price_trx_per_65k, ENERGY_PER_TRANSFER),
      ...response.energy_price_sun,
      ...sunPerUnit(response.energy_trx, response.energy_volume ?? ENERGY_PER_TRANSFER),
      ...response.energy_sun,
    };
    return {
      ...(Object.keys(energySunPerUnit).length > 0 && { energySunPerUnit }),
      burnTrx: response.burn_cost_trx,
      usdRate: response.trx_usd_rate,
    };
  });

/** `{ '1h': 35.68, '1d': '60' }` → `{ '1': '35.68', '24': '60' }`. */
function readHours(prices: Record<string, unknown>): ByHours {
  const read: ByHours = {};
  for (const [duration, text] of Object.entries(prices)) {
    const [, count, unit] = /^(\d{1,4})\s*(h|d)?$/i.exec(duration) ?? [];
    const { data } = price.safeParse(text);
    if (count !== undefined && data !== undefined)
      read[Number(count) * (/d/i.test(unit ?? '') ? 24 : 1)] = data;
  }
  return read;
}

function sunPerUnit(trx: ByHours | undefined, volume: BigNumber.Value): ByHours {
  if (trx === undefined || !new BigNumber(volume).gt(0)) return {};
  const sun = (price: string) => new BigNumber(price).shiftedBy(6).div(volume).decimalPlaces(6).toFixed();
  return Object.fromEntries(Object.entries(trx).map(([hours, price]) => [hours, sun(price)]));
}

/**
 * Section 2, account profile.
 *
 * `totp_enabled` null is read as *off*. This is the safe reading: withdrawals then get the bot's limits for accounts
 * without two-factor codes, and the service still refuses a withdrawal that lacks a code it requires. If it were read as
 * *on*, any six digits could lift those limits on an account without codes.
 */
export const Profile = z.looseObject({
  id: recordId,
  email: displayText(200).nullish(),
  chain_address: chainAddress.nullish(),
  balance_trx: decimal,
  totp_enabled: flag,
  created_at: createdAt,
});
export type Profile = z.infer<typeof Profile>;

/** Response of section 4, endpoint 9. `message` is for users. */
export const SmartModeDeactivation = z.looseObject({
  id: recordId,
  address: chainAddress,
  status,
  message: optional(displayText(200)),
});
export type SmartModeDeactivation = z.infer<typeof SmartModeDeactivation>;

/** Section 2, Smart Mode subscription: `active`, `paused` or `deactivated`. Only an activation returns the fees. */
export const SmartModeSubscription = z.looseObject({
  id: recordId,
  address: chainAddress,
  label: optional(displayText(64)),
  status,
  bw_guarantee: flag,
  subscription_fee_trx: price.catch(undefined),
  transfer_fee_trx: price.catch(undefined),
  created_at: createdAt,
});
export type SmartModeSubscription = z.infer<typeof SmartModeSubscription>;

const textOrNothing = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

/** Section 2, webhook configuration. `url` and `secret` are empty once the webhook is removed (section 4, endpoint 16). */
export const WebhookConfiguration = z.looseObject({
  url: textOrNothing,
  secret: textOrNothing,
  active: flag,
  created_at: optional(timestamp),
});
export type WebhookConfiguration = z.infer<typeof WebhookConfiguration>;

/** Section 2, webhook log entry. `response_status` may be missing if there was no response. */
export const WebhookLogEntry = z.looseObject({
  id: recordId,
  event_type: displayName(100),
  payload: eventData,
  response_status: optional(numeric),
  attempts: numeric,
  created_at: timestamp,
});
export type WebhookLogEntry = z.infer<typeof WebhookLogEntry>;

/** Section 2, withdrawal: `pending`, `completed` or `failed`. Has a `tx_hash` after TRX is sent. */
export const Withdrawal = z.looseObject({
  id: recordId,
  to_address: chainAddress,
  amount_trx: decimal,
  fee_trx: price,
  status,
  tx_hash: optional(transactionHash),
  created_at: createdAt,
});
export type Withdrawal = z.infer<typeof Withdrawal>;
