import type { z } from 'zod';
import type { ChatChanges, Storage } from '../storage/storage.ts';
import type { Operation, OperationRef } from './operation.ts';

const KEPT_MS = 90 * 24 * 3600_000;
const DRAFT_KEPT_MS = 3600_000;
const TRIES = 20;

/** An operation as it was read or written, with the text that a change is compared with. */
export interface Stored {
  operation: Operation;
  text: string;
}

/** An operation to begin with: as it was last seen, or by its name alone. */
export type Known = Stored | OperationRef;

export interface OperationStore {
  /** Writes it where there is none yet; answers the one that there is. */
  create(operation: Operation): Promise<Stored>;
  read(ref: OperationRef): Promise<Stored | undefined>;
  /** The same, for who can do without it: a record that this version doesn't understand is no reason to fail. */
  readable(ref: OperationRef): Promise<Stored | undefined | 'unreadable'>;
  /**
   * Applies `change` to the operation as it is now; again, if somebody else was quicker. Where `change` answers
   * `undefined` nothing is written. Answers the operation as written, or `undefined`.
   */
  change(known: Known, change: (operation: Operation) => Operation | undefined): Promise<Stored | undefined>;
  /** The write that a chat's commit carries, in place of {@link change}. */
  claim(stored: Stored, changed: Operation): NonNullable<ChatChanges['claim']>;
}

export function createOperationStore({
  storage,
  schema,
}: {
  storage: Storage;
  schema: z.ZodType<Operation>;
}): OperationStore {
  // The tag is the chat's, so that a chat's commit can write the operation too.
  const keyOf = ({ user, id }: OperationRef) => `operation:{${user}}:${id}`;

  async function read(ref: OperationRef): Promise<Stored | undefined> {
    const text = await storage.get(keyOf(ref));
    return text === undefined ? undefined : { operation: schema.parse(JSON.parse(text)), text };
  }

  return {
    async create(operation) {
      const text = JSON.stringify(operation);
      if (await storage.add(keyOf(operation), text, { ttlMs: DRAFT_KEPT_MS })) return { operation, text };
      const found = await read(operation);
      if (found === undefined) throw new Error(`operation ${operation.id} went as it was made`);
      return found;
    },
    read,
    async readable(ref) {
      const text = await storage.get(keyOf(ref));
      if (text === undefined) return undefined;
      const { data: operation } = schema.safeParse(parse(text));
      return operation === undefined ? 'unreadable' : { operation, text };
    },
    async change(known, change) {
      let stored = 'text' in known ? known : await read(known);
      for (let tried = 0; tried < TRIES && stored; tried++) {
        const key = keyOf(stored.operation);
        const operation = change(stored.operation);
        if (operation === undefined) return undefined;
        const text = JSON.stringify(operation);
        const ttlMs = operation.state === 'draft' ? DRAFT_KEPT_MS : KEPT_MS;
        if (await storage.replace(key, stored.text, text, { ttlMs })) return { operation, text };
        stored = await read(stored.operation);
      }
      if (stored) throw new Error(`operation ${stored.operation.id} kept changing`);
      return undefined;
    },
    claim: (stored, changed) => ({
      key: keyOf(changed),
      expected: stored.text,
      value: JSON.stringify(changed),
      // What was cancelled before anything was sent is of no use to anybody.
      ttlMs: changed.state === 'cancelled' ? DRAFT_KEPT_MS : KEPT_MS,
    }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whose operation it is, however it is known. */
export function refOf(known: Known): OperationRef {
  const { user, id } = 'text' in known ? known.operation : known;
  return { user, id };
}
