import type { StoredData } from './records.ts';
import type { ScheduleRule, Storage } from './storage.ts';

/** Fields of a reference: each is a number, any text or one of the listed texts. */
export type RefFields = Readonly<Record<string, 'number' | 'string' | readonly string[]>>;
export type RefOf<Fields extends RefFields> = {
  [Name in keyof Fields]: Fields[Name] extends readonly (infer Text)[]
    ? Text
    : Fields[Name] extends 'number'
      ? number
      : string;
};

/** Definition of a due queue: its index, and the fields of a reference in the order in which they are stored. */
export interface DueQueueDefinition<Fields extends RefFields> extends StoredData {
  readonly ref: Fields;
  /** Longest delay of a reference, in milliseconds. A reference for later work comes due in between, and is rescheduled. */
  readonly longestMs: number;
}

/** Defines a due queue. A reference is stored as its fields joined by slashes: `501/7Q2K`. */
export function defineDueQueue<const Fields extends RefFields>(
  definition: DueQueueDefinition<Fields>,
): DueQueueDefinition<Fields> {
  return definition;
}

export function isDueQueue(data: StoredData): data is DueQueueDefinition<RefFields> {
  return 'ref' in data;
}

/**
 * Queue of references that come due at a time of the storage's clock, shared by all replicas. It orders and delays
 * work, and repeats work whose process died. It doesn't guard work that may happen only once: records do.
 *
 * A reference is in the queue once. All methods reject with `StorageUnavailable` if the storage can't be reached.
 *
 * No reference comes due later than `longestMs` from now, not even if the clock is set back: a later one comes due when
 * the queue is next read. A clock that is set forward makes references due early. So the work must find out by itself
 * whether it is time.
 *
 * @example
 * const rechecks = createDueQueue(RECHECKS, { storage });
 * await rechecks.scheduleIn({ user: 501, id: '7Q2K' }, 5_000);
 * await rechecks.takeDue({ leaseMs: 10_000, limit: 100 }, (ref) => recheck(ref));
 */
export interface DueQueue<Ref> {
  readonly keys: string;
  readonly longestMs: number;
  /** Adds or moves a reference: due in `ms` milliseconds, at most `longestMs`. */
  scheduleIn(ref: Ref, ms: number): Promise<void>;
  /** Works like `scheduleIn`, but only adds: a reference that is in the queue keeps its time. */
  scheduleIfMissing(ref: Ref, ms: number): Promise<void>;
  /** Works like `scheduleIn`, but never postpones a reference. */
  scheduleNoLaterThan(ref: Ref, ms: number): Promise<void>;
  /** Works like `scheduleIfMissing` or `scheduleNoLaterThan` for each of the references, in one step. */
  scheduleAll(rule: ScheduleRule, times: readonly (readonly [ref: Ref, ms: number])[]): Promise<void>;
  /**
   * Works like `scheduleIn` and removes the reference from other queues in one step. Returns whether it was in this queue
   * before; a repeated call returns true.
   */
  moveFrom(others: readonly Pick<StoredData, 'keys'>[], ref: Ref, ms: number): Promise<boolean>;
  remove(ref: Ref): Promise<void>;
  /** Returns at most `limit` due references, longest due first. Drops malformed ones, which would block the queue. */
  due(limit: number): Promise<Ref[]>;
  /**
   * Leases due references and passes them to `start`, `limit` of them concurrently, until none is due. Only one caller,
   * on any replica, gets a reference. It comes due again after `leaseMs` unless `start` reschedules or removes it. If
   * `start` throws for one of them, the others of its batch are started, and then the call rejects.
   */
  takeDue(pace: { leaseMs: number; limit: number }, start: (ref: Ref) => unknown): Promise<void>;
  /** Returns at most `limit` references, due or not, soonest first. */
  scheduled(limit: number): Promise<Ref[]>;
  /**
   * Returns in how many milliseconds the first reference comes due; negative if it is overdue, `undefined` if the queue is
   * empty.
   */
  firstDueInMs(): Promise<number | undefined>;
  /** Returns how long the first reference has been due, in milliseconds; `undefined` if none is due. */
  overdueMs(): Promise<number | undefined>;
  memberOf(ref: Ref): string;
  /** Returns the reference of a stored form; `undefined` if it is malformed. */
  parse(member: string): Ref | undefined;
}

export function createDueQueue<const Fields extends RefFields>(
  { keys: name, ref: fields, longestMs }: DueQueueDefinition<Fields>,
  { storage: { index } }: { storage: Pick<Storage, 'index'> },
): DueQueue<RefOf<Fields>> {
  type Ref = RefOf<Fields>;
  const types = Object.entries(fields) as [keyof Fields & string, RefFields[string]][];
  const memberOf = (ref: Ref) => types.map(([field]) => String(ref[field])).join('/');

  function parse(member: string): Ref | undefined {
    const values = member.split('/');
    const entries = types.map(([field, type], at) => [field, readField(type, values[at])]);
    const ref = Object.fromEntries(entries) as Ref;
    const isWhole = entries.every(([, value]) => typeof value === 'string' || Number.isSafeInteger(value));
    // Another spelling of the same reference could never be removed.
    return isWhole && memberOf(ref) === member ? ref : undefined;
  }

  async function withoutMalformed(members: readonly string[]): Promise<Ref[]> {
    const malformed = members.filter((member) => parse(member) === undefined);
    if (malformed.length > 0) await index.remove(name, ...malformed);
    return members.map(parse).filter((ref) => ref !== undefined);
  }

  const due = async (limit: number) => withoutMalformed(await index.due(name, limit, longestMs));
  const delayOf = (ms: number) => Math.min(ms, longestMs);
  const scheduleIn = (ref: Ref, ms: number) => index.scheduleIn(name, memberOf(ref), delayOf(ms));

  function scheduleAll(rule: ScheduleRule, times: readonly (readonly [ref: Ref, ms: number])[]) {
    const members = times.map(([ref, ms]) => [memberOf(ref), delayOf(ms)] as const);
    return index.scheduleAll(name, rule, members);
  }

  return {
    keys: name,
    longestMs,
    scheduleIn,
    scheduleIfMissing: (ref, ms) => scheduleAll('if-missing', [[ref, ms]]),
    scheduleNoLaterThan: (ref, ms) => scheduleAll('no-later-than', [[ref, ms]]),
    scheduleAll,
    moveFrom(others, ref, ms) {
      const from = others.map((other) => other.keys);
      return index.move(name, from, memberOf(ref), delayOf(ms));
    },
    remove: (ref) => index.remove(name, memberOf(ref)),
    due,
    async takeDue({ leaseMs, limit }, start) {
      for (;;) {
        const members = await index.takeDue(name, limit, { inMs: delayOf(leaseMs), longestMs });
        const refs = await withoutMalformed(members);
        const started = refs.map(async (ref) => start(ref));
        const failed = (await Promise.allSettled(started)).find(({ status }) => status === 'rejected');
        if (failed?.status === 'rejected') throw failed.reason;
        if (members.length < limit) return;
      }
    },
    scheduled: async (limit) => withoutMalformed(await index.upTo(name, Number.MAX_VALUE, limit)),
    firstDueInMs: () => index.firstDueInMs(name),
    overdueMs: () => overdueMs({ index }, name),
    memberOf,
    parse,
  };
}

/** Returns how long the first member of an index has been due, in milliseconds; `undefined` if none is due. */
export async function overdueMs(
  { index }: Pick<Storage, 'index'>,
  name: string,
): Promise<number | undefined> {
  const ms = await index.firstDueInMs(name);
  return ms === undefined || ms > 0 ? undefined : -ms;
}

function readField(type: RefFields[string], text = ''): number | string | undefined {
  if (type === 'number') return Number(text);
  return type === 'string' || type.includes(text) ? text : undefined;
}
