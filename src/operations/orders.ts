import { z } from 'zod';
import type { Storage } from '../storage/storage.ts';
import type { OrderReport } from './kinds/kind.ts';
import type { OperationRef } from './operation.ts';

const KEPT_MS = 30 * 24 * 3600_000;

const refSchema = z.object({ user: z.number(), id: z.string() });
const reportSchema = z.object({ status: z.enum(['filled', 'failed']) });

/** Which order of an account belongs to which operation, and what was reported of orders before that was known. */
export interface Orders {
  /** Binds an order to an operation; answers whether it is (still) that one's: an order proves one operation alone. */
  bind(account: number, order: number, ref: OperationRef): Promise<boolean>;
  /** Gives it to this one, whoever had it; answers the other that had it. */
  take(account: number, order: number, ref: OperationRef): Promise<OperationRef | undefined>;
  ownerOf(account: number, order: number): Promise<OperationRef | undefined>;
  keepReport(account: number, report: OrderReport): Promise<void>;
  reportedStatus(account: number, order: number): Promise<OrderReport['status'] | undefined>;
}

export function createOrders({ storage }: { storage: Storage }): Orders {
  const orderKey = (account: number, order: number) => `order:${account}:${order}`;
  const reportKey = (account: number, order: number) => `order-report:${account}:${order}`;

  async function ownerOf(account: number, order: number) {
    const record = await storage.get(orderKey(account, order));
    return record === undefined ? undefined : refSchema.parse(JSON.parse(record));
  }

  return {
    async bind(account, order, { user, id }) {
      const record = JSON.stringify({ user, id });
      if (await storage.add(orderKey(account, order), record, { ttlMs: KEPT_MS })) return true;
      const owner = await ownerOf(account, order);
      return owner !== undefined && isSame(owner, { user, id });
    },
    async take(account, order, { user, id }) {
      const former = await ownerOf(account, order);
      if (former && isSame(former, { user, id })) return undefined;
      await storage.set(orderKey(account, order), JSON.stringify({ user, id }), { ttlMs: KEPT_MS });
      return former;
    },
    ownerOf,
    keepReport: (account, { order, status }) =>
      storage.set(reportKey(account, order), JSON.stringify({ status }), { ttlMs: KEPT_MS }),
    async reportedStatus(account, order) {
      const record = await storage.get(reportKey(account, order));
      return record === undefined ? undefined : reportSchema.parse(JSON.parse(record)).status;
    },
  };
}

function isSame(one: OperationRef, other: OperationRef): boolean {
  return one.user === other.user && one.id === other.id;
}
