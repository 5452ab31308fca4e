import { z } from 'zod';
import type { Storage } from '../storage/storage.ts';
import type { OrderReport } from './kinds/kind.ts';
import type { OperationRef } from './operation.ts';

const KEPT_MS = 30 * 24 * 3600_000;

const refSchema = z.object({ user: z.number(), id: z.string() });
const reportSchema = z.object({ status: z.enum(['filled', 'failed']) });

/** An order of an account. Energy and bandwidth have numbers of their own, which may be the same. */
export interface OrderName {
  account: number;
  numbering: string;
  order: number;
}

/** Which order belongs to which operation, and what was reported of orders before that was known. */
export interface Orders {
  /** Binds an order to an operation; answers whether it is (still) that one's: an order proves one operation alone. */
  bind(name: OrderName, ref: OperationRef): Promise<boolean>;
  /** Gives it to this one, if `former` (or nobody) still has it; answers whether it is this one's. */
  take(name: OrderName, former: OperationRef | undefined, ref: OperationRef): Promise<boolean>;
  /** Takes it from this one again, if it has it. */
  release(name: OrderName, ref: OperationRef): Promise<void>;
  ownerOf(name: OrderName): Promise<OperationRef | undefined>;
  keepReport(account: number, report: OrderReport): Promise<void>;
  reportedStatus(name: OrderName): Promise<OrderReport['status'] | undefined>;
}

export function createOrders({ storage }: { storage: Storage }): Orders {
  const keyOf = ({ account, numbering, order }: OrderName) => `${account}:${numbering}:${order}`;
  const orderKey = (name: OrderName) => `order:${keyOf(name)}`;
  const reportKey = (name: OrderName) => `order-report:${keyOf(name)}`;

  async function ownerOf(name: OrderName) {
    const record = await storage.get(orderKey(name));
    return record === undefined ? undefined : refSchema.parse(JSON.parse(record));
  }

  return {
    async bind(name, ref) {
      if (await storage.add(orderKey(name), recordOf(ref), { ttlMs: KEPT_MS })) return true;
      const owner = await ownerOf(name);
      return owner !== undefined && isSame(owner, ref);
    },
    take(name, former, ref) {
      const [key, mine, kept] = [orderKey(name), recordOf(ref), { ttlMs: KEPT_MS }];
      return former ? storage.replace(key, recordOf(former), mine, kept) : storage.add(key, mine, kept);
    },
    async release(name, ref) {
      const owner = await ownerOf(name);
      if (owner && isSame(owner, ref)) await storage.delete(orderKey(name));
    },
    ownerOf,
    async keepReport(account, { numbering, order, status }) {
      const name = { account, numbering, order };
      await storage.set(reportKey(name), JSON.stringify({ status }), { ttlMs: KEPT_MS });
    },
    async reportedStatus(name) {
      const record = await storage.get(reportKey(name));
      return record === undefined ? undefined : reportSchema.parse(JSON.parse(record)).status;
    },
  };
}

function recordOf({ user, id }: OperationRef): string {
  return JSON.stringify({ user, id });
}

export function isSame(one: OperationRef, other: OperationRef): boolean {
  return one.user === other.user && one.id === other.id;
}
