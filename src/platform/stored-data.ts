/**
 * Reasons for which the bot retains data after *Forget me*, in the order in which they are shown. Each one is the key of
 * the text that users read.
 */
export const RETENTION_REASONS = [
  'kept-money',
  'kept-under-way',
  'kept-handled',
  'kept-limits',
  'kept-account',
  'kept-others',
] as const;

export type RetentionReason = (typeof RETENTION_REASONS)[number];

/** What *Forget me* does not erase. Each reason is shown to the user. */
export interface Retention {
  /** Why keys with the user's own hash tag are retained. Without it, *Forget me* erases them. */
  own?: RetentionReason;
  /** Why keys without the user's hash tag may still name the user. */
  elsewhere?: RetentionReason;
  /** The data names admins, and is retained for that reason too. */
  ofAdmins?: true;
}

/**
 * Description of one family of stored keys: a record, a lease, an index or a due queue. The table in
 * `docs/stored-data.md`, the data that *Forget me* erases, and the text that lists retained data are made from these
 * descriptions.
 */
export interface StoredData<Keys extends string = string> {
  /**
   * Pattern of the keys. Its first part is literal, the other parts name the fields of a reference. Braces mark the
   * hash tag, and *Forget me* erases keys with the hash tag of the user.
   *
   * @example 'operation:{user}:id' // operation:{501}:7Q2K
   */
  readonly keys: Keys;
  /** What the keys contain, for the documentation. */
  readonly content: string;
  /** When the keys expire, for the documentation. Without an expiry: `none: ` and the reason. */
  readonly expiry: string;
  /** Required if the keys can name a user and outlive *Forget me*. */
  readonly retained?: Retention;
}

type FieldsOf<Parts extends string> = Parts extends `${infer Part}:${infer Rest}`
  ? FieldOf<Part> | FieldsOf<Rest>
  : FieldOf<Parts>;
type FieldOf<Part extends string> = Part extends `{${infer Field}}` ? Field : Part;

/** Fields that identify one key of a pattern: `{ user, id }` for `operation:{user}:id`. */
export type KeyFields<Keys extends string> = Keys extends `${string}:${infer Rest}`
  ? Readonly<Record<FieldsOf<Rest>, string | number>>
  : unknown;

/**
 * Returns the key of a pattern.
 *
 * @example keyOf('operation:{user}:id', { user: 501, id: '7Q2K' }) // operation:{501}:7Q2K
 */
export function keyOf<const Keys extends string>(keys: Keys, fields: KeyFields<Keys>): string {
  const [kind = '', ...parts] = keys.split(':');
  const values = fields as Readonly<Record<string, string | number>>;
  const filled = parts.map((part) =>
    part.startsWith('{') ? `{${values[part.slice(1, -1)]}}` : values[part],
  );
  return [kind, ...filled].join(':');
}

/** Returns the text that all keys of a pattern begin with: `operation:` for `operation:{user}:id`. */
export function prefixOf({ keys }: Pick<StoredData, 'keys'>): string {
  const end = keys.indexOf(':');
  return end === -1 ? keys : keys.slice(0, end + 1);
}

/** Returns the first part of a key or of a pattern. */
export function kindOf(key: string): string {
  return key.split(':')[0] ?? '';
}

/** Returns whether *Forget me* erases all keys of this pattern that have the user's hash tag. */
export function isErasedWithUser({ keys, retained }: StoredData): boolean {
  return keys.includes('{user}') && retained?.own === undefined;
}

const UNITS = [
  ['year', 365 * 24 * 3600_000],
  ['day', 24 * 3600_000],
  ['hour', 3600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** Returns a TTL in words, in the largest unit that divides it: `90 days`. */
export function durationInWords(ms: number): string {
  const [unit, length] = UNITS.find(([, unitMs]) => ms % unitMs === 0) ?? ['millisecond', 1];
  const count = ms / length;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
