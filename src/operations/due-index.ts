import type { Storage } from '../storage/storage.ts';
import type { OperationRef } from './operation.ts';

const INDEX = 'operations:dueIndex';
const BATCH = 100;

/**
 * When which operation must be looked at next. An executor keeps moving its operation on while it works, and so
 * the index is its heartbeat too: what comes due belongs to nobody any more.
 */
export interface DueIndex {
  put(ref: OperationRef, at: number): Promise<void>;
  remove(ref: OperationRef): Promise<void>;
  due(now: number): Promise<OperationRef[]>;
}

export function createDueIndex({ storage }: { storage: Storage }): DueIndex {
  const member = ({ user, id }: OperationRef) => `${user}/${id}`;
  return {
    put: (ref, at) => storage.index.put(INDEX, member(ref), at),
    remove: (ref) => storage.index.remove(INDEX, member(ref)),
    async due(now) {
      const members = await storage.index.upTo(INDEX, now, BATCH);
      return members.map((text) => {
        const [user, id] = text.split('/');
        return { user: Number(user), id: id ?? '' };
      });
    },
  };
}
