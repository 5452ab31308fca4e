import type { Storage } from '../storage/storage.ts';
import type { OperationRef } from './operation.ts';

const INDEX = 'operations:dueIndex';
const ASIDE = 'operations:setAside';
const BATCH = 100;

/** When which operation must be looked at next, by the storage's clock: replicas' clocks may differ. */
export interface DueIndex {
  putIn(ref: OperationRef, ms: number): Promise<void>;
  /** The same, unless it is to be looked at sooner: never puts off. */
  putWithin(ref: OperationRef, ms: number): Promise<void>;
  remove(ref: OperationRef): Promise<void>;
  /** It isn't looked at again until a process, of a newer version perhaps, takes back what was set aside. */
  setAside(ref: OperationRef): Promise<void>;
  /** What was set aside comes due. */
  takeBack(): Promise<void>;
  /** What has come due, longest first, and at most `limit`. */
  due(limit: number): Promise<OperationRef[]>;
  /** For how long what is due the longest has been, in milliseconds; `undefined` where nothing is due. */
  overdueMs(): Promise<number | undefined>;
  /** What is to be looked at at any time, soonest first, and at most `limit`. */
  watched(limit: number): Promise<OperationRef[]>;
}

export function createDueIndex({ storage }: { storage: Storage }): DueIndex {
  const member = ({ user, id }: OperationRef) => `${user}/${id}`;
  return {
    putIn: (ref, ms) => storage.index.putIn(INDEX, member(ref), ms),
    putWithin: (ref, ms) => storage.index.putWithin(INDEX, member(ref), ms),
    remove: (ref) => storage.index.remove(INDEX, member(ref)),
    async setAside(ref) {
      await storage.index.putIn(ASIDE, member(ref), 0);
      await storage.index.remove(INDEX, member(ref));
    },
    async takeBack() {
      for (;;) {
        const members = await storage.index.upTo(ASIDE, Number.POSITIVE_INFINITY, BATCH);
        for (const name of members) {
          await storage.index.putIn(INDEX, name, 0);
          await storage.index.remove(ASIDE, name);
        }
        if (members.length < BATCH) return;
      }
    },
    overdueMs: () => storage.index.overdueMs(INDEX),
    watched: async (limit) =>
      (await storage.index.upTo(INDEX, Number.MAX_VALUE, limit)).map((name) => {
        const [user, id = ''] = name.split('/');
        return { user: Number(user), id };
      }),
    async due(limit) {
      const refs: OperationRef[] = [];
      for (const text of await storage.index.due(INDEX, limit)) {
        const [user, id = ''] = text.split('/');
        const ref = { user: Number(user), id };
        // A name that this house doesn't give would stay due for ever, in the way of all others.
        if (member(ref) === text) refs.push(ref);
        else await storage.index.remove(INDEX, text);
      }
      return refs;
    },
  };
}
