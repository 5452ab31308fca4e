import { z } from 'zod';
import { defineRecord, type NewRecord, type SignedRecord, type SignedRecords } from '../platform/records.ts';
import type { ChatChanges } from '../platform/storage.ts';
import { keyOf } from '../platform/stored-data.ts';
import type { Operation, OperationRef } from './operation.ts';

/** TTL of a confirmed operation, and of the indexes that name it, in milliseconds. */
export const OPERATION_TTL_MS = 90 * 24 * 3600_000;
const DRAFT_TTL_MS = 3600_000;
/** States in which nothing was sent. The record isn't needed for long then. */
const SHORT_LIVED: readonly Operation['state'][] = ['draft', 'cancelled', 'awaiting', 'void'];

function ttlOf({ state }: Operation): number {
  return SHORT_LIVED.includes(state) ? DRAFT_TTL_MS : OPERATION_TTL_MS;
}

/** The hash tag is that of the user's chat, so that a chat's commit can also write the record. */
export const OPERATION = defineRecord({
  keys: 'operation:{user}:id',
  content: 'Operation',
  // Not used: `createOperationSchema` checks the content, because the kinds of operations are configurable.
  schema: z.custom<Operation>(),
  ttlMs: ttlOf,
  expiry: '1 hour for drafts and cancelled operations, 90 days after the last change for others',
  signed: true,
  retained: { own: 'kept-money' },
});
const MAX_TRIES = 20;

/** Operation as it was read or written, with the record that a change is compared with. */
export interface Stored {
  operation: Operation;
  record: SignedRecord;
}

/** Operation to start from: as it was last read, or only its reference. */
export type Known = Stored | OperationRef;

/** Parses the key of an operation's record. Returns `undefined` for other keys. */
export function refOfKey(key: string): OperationRef | undefined {
  const [, user, id] = /^operation:\{(\d+)\}:(\w+)$/.exec(key) ?? [];
  return user === undefined || id === undefined ? undefined : { user: Number(user), id };
}

export interface OperationStore {
  /** Writes a new operation, unless its record exists already. Returns the stored operation. */
  create(operation: Operation): Promise<Operation>;
  /** Returns `undefined` if the record is missing or fails verification. */
  read(ref: OperationRef): Promise<Stored | undefined>;
  /**
   * Like {@link read}, for callers that can continue without the operation. Returns `unreadable` for a record that this
   * version doesn't understand, and `unverified` for one that fails verification.
   */
  readable(ref: OperationRef): Promise<Stored | undefined | 'unreadable' | 'unverified'>;
  /**
   * Applies `change` to the current operation, and again after a concurrent write. Writes nothing if `change` returns
   * `undefined`. Returns the operation as written, or `undefined`.
   */
  change(known: Known, change: (operation: Operation) => Operation | undefined): Promise<Stored | undefined>;
  /**
   * Applies the step to *sent* like {@link change}, adds the mark of the attempt that `markOf` returns, and secures the
   * write. All of this takes one round trip. `isDurable`: the write will survive a failover of the storage. It is false
   * if the storage can't confirm that.
   */
  markSent(
    known: Known,
    change: (operation: Operation) => Operation | undefined,
    markOf: (operation: Operation) => NewRecord & { key: string },
  ): Promise<{ sent: Stored; isMarkAdded: boolean; isDurable: boolean } | undefined>;
  /**
   * Writes an operation whose state the caller knows for certain, if its record is missing or fails verification.
   * Returns the operation that is stored then.
   */
  restore(operation: Operation): Promise<Stored | undefined>;
  /** Returns the write that a chat's commit carries in place of {@link change}, and what it stores. */
  claim(stored: Stored, operation: Operation): { write: NonNullable<ChatChanges['claim']>; claimed: Stored };
}

export function createOperationStore({
  records,
  schema,
  onChange,
}: {
  records: SignedRecords;
  schema: z.ZodType<Operation>;
  /** Called once for each write that replaces a record or restores a lost one. */
  onChange?: (before: Operation | undefined, after: Operation) => void;
}): OperationStore {
  async function read(ref: OperationRef): Promise<Stored | undefined> {
    const record = await records.get(keyOf(OPERATION.keys, ref));
    return record && { operation: schema.parse(JSON.parse(record.content)), record };
  }

  async function write(operation: Operation): Promise<Stored> {
    const { key, content, lifetime } = recordOf(operation);
    const record = await records.set(key, content, lifetime);
    onChange?.(undefined, operation);
    return { operation, record };
  }

  /**
   * Applies `change` and calls `write` until no concurrent write interferes. `write` returns `undefined` after a
   * conflict.
   */
  async function changed<Written>(
    known: Known,
    change: (operation: Operation) => Operation | undefined,
    write: (operation: Operation, before: Stored) => Promise<Written | undefined>,
  ): Promise<Written | undefined> {
    let stored = 'record' in known ? known : await read(known);
    for (let tried = 0; tried < MAX_TRIES && stored; tried++) {
      const operation = change(stored.operation);
      if (operation === undefined) return undefined;
      const written = await write(operation, stored);
      if (written) {
        onChange?.(stored.operation, operation);
        return written;
      }
      stored = await read(stored.operation);
    }
    if (stored) throw new Error(`operation ${stored.operation.id}: too many concurrent changes`);
    return undefined;
  }

  return {
    async create(operation) {
      const { key, content, lifetime } = recordOf(operation);
      const isAdded = await records.add(key, content, lifetime);
      const stored = isAdded ? { operation } : await read(operation);
      if (stored === undefined)
        throw new Error(`operation ${operation.id}: its record disappeared right after it was created`);
      return stored.operation;
    },
    read,
    async readable(ref) {
      const key = keyOf(OPERATION.keys, ref);
      const record = await records.get(key);
      if (record === undefined && (await records.isNewer(key))) return 'unreadable';
      if (record === undefined) return (await records.has(key)) ? 'unverified' : undefined;
      const operation = records.parse(key, record, schema);
      return operation === undefined ? 'unreadable' : { operation, record };
    },
    change: (known, change) =>
      changed(known, change, async (operation, { record: expected }) => {
        const { key, content, lifetime } = recordOf(operation);
        const record = await records.replace(key, expected, content, lifetime);
        return record && { operation, record };
      }),
    markSent: (known, change, markOf) =>
      changed(known, change, async (operation, { record: expected }) => {
        const { key, content, lifetime } = recordOf(operation);
        const text = records.sign(key, content);
        // Sent right behind the write, so that it checks the written value.
        const [written, isDurable] = await Promise.all([
          records.replaceAndAdd(key, expected, { content, ...lifetime }, markOf(operation)),
          records.secure(key, { content, text }, lifetime).catch(() => false),
        ]);
        return (
          written && { sent: { operation, record: written.record }, isMarkAdded: written.added, isDurable }
        );
      }),
    async restore(operation) {
      const { key, content, lifetime } = recordOf(operation);
      if (await records.has(key)) return (await read(operation)) ?? write(operation);
      const isAdded = await records.add(key, content, lifetime);
      if (isAdded) onChange?.(undefined, operation);
      return read(operation);
    },
    claim({ record: { text: expected } }, operation) {
      const { key, content, lifetime } = recordOf(operation);
      const text = records.sign(key, content);
      return {
        write: { key, expected, value: text, ...lifetime },
        claimed: { operation, record: { content, text } },
      };
    },
  };
}

/** Returns what is stored of an operation. */
function recordOf(operation: Operation) {
  return {
    key: keyOf(OPERATION.keys, operation),
    content: JSON.stringify(operation),
    lifetime: { ttlMs: ttlOf(operation) },
  };
}

/** Returns the reference of an operation in either form. */
export function refOf(known: Known): OperationRef {
  const { user, id } = 'record' in known ? known.operation : known;
  return { user, id };
}
