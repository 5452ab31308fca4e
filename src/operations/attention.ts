import type { Storage } from '../storage/storage.ts';
import type { OperationRef } from './operation.ts';

const INDEX = 'operations:attention';
const BATCH = 100;

/**
 * When which operation must be looked at next. An executor keeps moving its operation on while it works, and so
 * the index is its heartbeat too: what comes due belongs to nobody any more.
 */
export interface Attention {
  lookAt(ref: OperationRef, at: number): Promise<void>;
  done(ref: OperationRef): Promise<void>;
  due(now: number): Promise<OperationRef[]>;
}

export function createAttention({ storage }: { storage: Storage }): Attention {
  const member = ({ user, id }: OperationRef) => `${user}/${id}`;
  return {
    lookAt: (ref, at) => storage.index.put(INDEX, member(ref), at),
    done: (ref) => storage.index.remove(INDEX, member(ref)),
    async due(now) {
      const members = await storage.index.upTo(INDEX, now, BATCH);
      return members.map((text) => {
        const [user, id] = text.split('/');
        return { user: Number(user), id: id ?? '' };
      });
    },
  };
}
