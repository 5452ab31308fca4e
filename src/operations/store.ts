import type { Storage } from '../storage/storage.ts';
import { type Operation, type OperationRef, operationSchema } from './operation.ts';

const KEPT_MS = 90 * 24 * 3600_000;
const DRAFT_KEPT_MS = 3600_000;
const TRIES = 20;

/** An operation as it was read, with the text that a change is compared with. */
export interface Stored {
  operation: Operation;
  text: string;
}

export interface OperationStore {
  create(operation: Operation): Promise<void>;
  read(ref: OperationRef): Promise<Stored | undefined>;
  /**
   * Applies `change` to the operation as it is now; again, if somebody else was quicker. Where `change` answers
   * `undefined` nothing is written. Answers the operation as written, or `undefined`.
   */
  change(
    ref: OperationRef,
    change: (operation: Operation) => Operation | undefined,
  ): Promise<Operation | undefined>;
  /** The write that a chat's commit carries, in place of {@link change}. */
  claim(stored: Stored, changed: Operation): { key: string; expected: string; value: string };
}

export function createOperationStore({ storage }: { storage: Storage }): OperationStore {
  // The tag is the chat's, so that a chat's commit can write the operation too.
  const keyOf = ({ user, id }: OperationRef) => `operation:{${user}}:${id}`;
  const parse = (text: string) => operationSchema.parse(JSON.parse(text));

  async function read(ref: OperationRef): Promise<Stored | undefined> {
    const text = await storage.get(keyOf(ref));
    return text === undefined ? undefined : { operation: parse(text), text };
  }

  return {
    create: (operation) => storage.set(keyOf(operation), JSON.stringify(operation), { ttlMs: DRAFT_KEPT_MS }),
    read,
    async change(ref, change) {
      for (let tried = 0; tried < TRIES; tried++) {
        const stored = await read(ref);
        const changed = stored && change(stored.operation);
        if (!changed) return undefined;
        const ttlMs = changed.state === 'draft' ? DRAFT_KEPT_MS : KEPT_MS;
        if (await storage.replace(keyOf(ref), stored.text, JSON.stringify(changed), { ttlMs })) {
          return changed;
        }
      }
      throw new Error(`operation ${ref.id} kept changing`);
    },
    claim: (stored, changed) => ({
      key: keyOf(changed),
      expected: stored.text,
      value: JSON.stringify(changed),
    }),
  };
}
