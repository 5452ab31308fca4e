import type { z } from 'zod';
import type { NewRecord, SignedRecord, SignedRecords } from '../platform/records.ts';
import type { ChatChanges } from '../platform/storage.ts';
import type { Operation, OperationRef } from './operation.ts';

/** Key prefix of operation records. */
export const OPERATIONS = 'operation:';

const TTL_MS = 90 * 24 * 3600_000;
const DRAFT_TTL_MS = 3600_000;
const TRIES = 20;

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
   * version doesn't understand, and `not ours` for one that fails verification.
   */
  readable(ref: OperationRef): Promise<Stored | undefined | 'unreadable' | 'not ours'>;
  /**
   * Applies `change` to the current operation, and again after a concurrent write. Writes nothing if `change` returns
   * `undefined`. Returns the operation as written, or `undefined`.
   */
  change(known: Known, change: (operation: Operation) => Operation | undefined): Promise<Stored | undefined>;
  /**
   * Applies the step before a request like {@link change}, adds the record that `beside` returns, and secures the
   * write. All of this takes one round trip. `isKept`: the write will survive a failover of the storage. It is false if
   * the storage can't confirm that.
   */
  take(
    known: Known,
    change: (operation: Operation) => Operation | undefined,
    beside: (operation: Operation) => NewRecord & { key: string },
  ): Promise<{ taken: Stored; added: boolean; isKept: boolean } | undefined>;
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
  changed: noteChange,
}: {
  records: SignedRecords;
  schema: z.ZodType<Operation>;
  /** Called once for each write that replaces a record or restores a lost one. */
  changed?: (before: Operation | undefined, after: Operation) => void;
}): OperationStore {
  async function read(ref: OperationRef): Promise<Stored | undefined> {
    const record = await records.get(operationKey(ref));
    return record && { operation: schema.parse(JSON.parse(record.content)), record };
  }

  async function write(operation: Operation): Promise<Stored> {
    const lifetime = { ttlMs: keptFor(operation) };
    const record = await records.set(operationKey(operation), JSON.stringify(operation), lifetime);
    noteChange?.(undefined, operation);
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
    for (let tried = 0; tried < TRIES && stored; tried++) {
      const operation = change(stored.operation);
      if (operation === undefined) return undefined;
      const written = await write(operation, stored);
      if (written) {
        noteChange?.(stored.operation, operation);
        return written;
      }
      stored = await read(stored.operation);
    }
    if (stored) throw new Error(`operation ${stored.operation.id}: too many concurrent changes`);
    return undefined;
  }

  return {
    async create(operation) {
      const content = JSON.stringify(operation);
      const added = await records.add(operationKey(operation), content, { ttlMs: DRAFT_TTL_MS });
      const found = added ? { operation } : await read(operation);
      if (found === undefined)
        throw new Error(`operation ${operation.id}: its record disappeared right after it was created`);
      return found.operation;
    },
    read,
    async readable(ref) {
      const key = operationKey(ref);
      const record = await records.get(key);
      if (record === undefined && (await records.isNewer(key))) return 'unreadable';
      if (record === undefined) return (await records.has(key)) ? 'not ours' : undefined;
      const operation = records.parse(key, record, schema);
      return operation === undefined ? 'unreadable' : { operation, record };
    },
    change: (known, change) =>
      changed(known, change, async (operation, { record: expected }) => {
        const lifetime = { ttlMs: keptFor(operation) };
        const content = JSON.stringify(operation);
        const record = await records.replace(operationKey(operation), expected, content, lifetime);
        return record && { operation, record };
      }),
    take: (known, change, beside) =>
      changed(known, change, async (operation, { record: expected }) => {
        const [key, lifetime] = [operationKey(operation), { ttlMs: keptFor(operation) }];
        const content = JSON.stringify(operation);
        const text = records.sign(key, content);
        // Sent right behind the write, so that it checks the written value.
        const [took, isKept] = await Promise.all([
          records.replaceAndAdd(key, expected, { content, ...lifetime }, beside(operation)),
          records.secure(key, { content, text }, lifetime).catch(() => false),
        ]);
        return took && { taken: { operation, record: took.record }, added: took.added, isKept };
      }),
    async restore(operation) {
      const key = operationKey(operation);
      if (await records.has(key)) return (await read(operation)) ?? write(operation);
      const added = await records.add(key, JSON.stringify(operation), { ttlMs: keptFor(operation) });
      if (added) noteChange?.(undefined, operation);
      return read(operation);
    },
    claim({ record: { text: expected } }, operation) {
      const [key, content] = [operationKey(operation), JSON.stringify(operation)];
      const text = records.sign(key, content);
      return {
        write: { key, expected, value: text, ttlMs: keptFor(operation) },
        claimed: { operation, record: { content, text } },
      };
    },
  };
}

/** Returns the key of an operation. Its hash tag is the chat's, so that a chat's commit can also write it. */
function operationKey({ user, id }: OperationRef): string {
  return `${OPERATIONS}{${user}}:${id}`;
}

function keptFor({ state }: Operation): number {
  // Nothing was sent in these states, so the record isn't needed for long.
  return ['draft', 'cancelled', 'awaiting', 'void'].includes(state) ? DRAFT_TTL_MS : TTL_MS;
}

/** Returns the reference of an operation in either form. */
export function refOf(known: Known): OperationRef {
  const { user, id } = 'record' in known ? known.operation : known;
  return { user, id };
}
