import type { z } from 'zod';
import type { NewRecord, SignedRecord, SignedRecords } from '../platform/records.ts';
import type { ChatChanges } from '../platform/storage.ts';
import type { Operation, OperationRef } from './operation.ts';

/** What the keys of operations begin with. */
export const OPERATIONS = 'operation:';

const KEPT_MS = 90 * 24 * 3600_000;
const DRAFT_KEPT_MS = 3600_000;
const TRIES = 20;

/** An operation as it was read or written, with the record that a change is compared with. */
export interface Stored {
  operation: Operation;
  record: SignedRecord;
}

/** An operation to begin with: as it was last seen, or by its name alone. */
export type Known = Stored | OperationRef;

/** Parses the key of an operation's record. */
export function refOfKey(key: string): OperationRef | undefined {
  const [, user, id] = /^operation:\{(\d+)\}:(\w+)$/.exec(key) ?? [];
  return user === undefined || id === undefined ? undefined : { user: Number(user), id };
}

export interface OperationStore {
  /** Writes it where there is none yet; answers the one that there is. */
  create(operation: Operation): Promise<Operation>;
  /** `undefined` also where what is stored isn't ours: it is as if it weren't there. */
  read(ref: OperationRef): Promise<Stored | undefined>;
  /** The same, for who can do without it: a record that this version doesn't understand, or that isn't ours, is no reason to fail. */
  readable(ref: OperationRef): Promise<Stored | undefined | 'unreadable' | 'not ours'>;
  /**
   * Applies `change` to the operation as it is now; again, if somebody else was quicker. Where `change` answers
   * `undefined` nothing is written. Answers the operation as written, or `undefined`.
   */
  change(known: Known, change: (operation: Operation) => Operation | undefined): Promise<Stored | undefined>;
  /**
   * Takes the step before a request in the same way, adds beside it what `beside` makes of it, and secures it: with one
   * round trip. `isKept`: it will stand also after a failover of the storage; where that can't be told, it isn't.
   */
  take(
    known: Known,
    change: (operation: Operation) => Operation | undefined,
    beside: (operation: Operation) => NewRecord & { key: string },
  ): Promise<{ taken: Stored; added: boolean; isKept: boolean } | undefined>;
  /**
   * Writes an operation of which the caller knows for certain where its record is gone, or isn't ours any more. Answers
   * what is stored then.
   */
  restore(operation: Operation): Promise<Stored | undefined>;
  /** The write that a chat's commit carries, in place of {@link change}, and what is stored by it. */
  claim(stored: Stored, operation: Operation): { write: NonNullable<ChatChanges['claim']>; claimed: Stored };
}

export function createOperationStore({
  records,
  schema,
  changed: noteChange,
}: {
  records: SignedRecords;
  schema: z.ZodType<Operation>;
  /** Hears of each record that was written in place of another, or of one that was lost: once for a write. */
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

  /** Writes what `change` makes of it, until `write` says by what it answers that nobody was quicker. */
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
    if (stored) throw new Error(`operation ${stored.operation.id} kept changing`);
    return undefined;
  }

  return {
    async create(operation) {
      const content = JSON.stringify(operation);
      const added = await records.add(operationKey(operation), content, { ttlMs: DRAFT_KEPT_MS });
      const found = added ? { operation } : await read(operation);
      if (found === undefined) throw new Error(`operation ${operation.id} went as it was made`);
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
        // Asked right behind it, so that it is answered for what was written.
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

/** The tag is the chat's, so that a chat's commit can write the operation too. */
function operationKey({ user, id }: OperationRef): string {
  return `${OPERATIONS}{${user}}:${id}`;
}

function keptFor({ state }: Operation): number {
  // What was cancelled before anything was sent is of no use to anybody.
  return ['draft', 'cancelled', 'awaiting', 'void'].includes(state) ? DRAFT_KEPT_MS : KEPT_MS;
}

/** Whose operation it is, however it is known. */
export function refOf(known: Known): OperationRef {
  const { user, id } = 'record' in known ? known.operation : known;
  return { user, id };
}
