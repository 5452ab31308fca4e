import type { Storage } from '../storage/storage.ts';
import type { OperationRef } from './operation.ts';

const INDEX = 'operations:dueIndex';

/** When which operation must be looked at next, by the storage's clock: replicas' clocks may differ. */
export interface DueIndex {
  putIn(ref: OperationRef, ms: number): Promise<void>;
  remove(ref: OperationRef): Promise<void>;
  /** What has come due, longest first, and at most `limit`. */
  due(limit: number): Promise<OperationRef[]>;
}

export function createDueIndex({ storage }: { storage: Storage }): DueIndex {
  const member = ({ user, id }: OperationRef) => `${user}/${id}`;
  return {
    putIn: (ref, ms) => storage.index.putIn(INDEX, member(ref), ms),
    remove: (ref) => storage.index.remove(INDEX, member(ref)),
    async due(limit) {
      const members = await storage.index.due(INDEX, limit);
      return members.map((text) => {
        const [user, id] = text.split('/');
        return { user: Number(user), id: id ?? '' };
      });
    },
  };
}
