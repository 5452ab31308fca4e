import { z } from 'zod';
import type { SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { OrderReport } from './kinds/kind.ts';
import type { OperationRef } from './operation.ts';

/** Key prefixes of order records and of order reports. */
export const ORDERS = 'order:';
export const REPORTS = 'order-report:';

const TTL_MS = 30 * 24 * 3600_000;

const refSchema = z.object({ user: z.number(), id: z.string() });
const reportSchema = z.object({
  order: z.number(),
  numbering: z.string(),
  status: z.enum(['filled', 'failed']),
  at: z.number().optional(),
  address: z.string().optional(),
  amount: z.number().optional(),
});

/** TTL of an account's list of recent reports after its last report, in milliseconds. */
const RECENT_MS = 24 * 3600_000;
/** Maximum recent reports of one account that serve as evidence. */
const MANY = 200;

/**
 * Identifies an order of an account. Energy and bandwidth orders are numbered separately, so both may have the same
 * number.
 */
export interface OrderName {
  account: number;
  numbering: string;
  order: number;
}

/** Bindings of orders to operations, and reports of orders that may not be bound yet. */
export interface Orders {
  /**
   * Binds an order to an operation. Returns whether the order is bound to it, now or already. An order proves only one
   * operation.
   */
  bind(name: OrderName, ref: OperationRef): Promise<boolean>;
  /**
   * Binds an order to `ref` if it is still bound to `former` (or unbound if `former` is `undefined`). Returns whether
   * it did.
   */
  take(name: OrderName, former: OperationRef | undefined, ref: OperationRef): Promise<boolean>;
  /** Unbinds an order if it is bound to this operation. */
  release(name: OrderName, ref: OperationRef): Promise<void>;
  ownerOf(name: OrderName): Promise<OperationRef | undefined>;
  keepReport(account: number, report: OrderReport): Promise<void>;
  reportedStatus(name: OrderName): Promise<OrderReport['status'] | undefined>;
  /** Returns the account's recent order reports, latest first. */
  recentReports(account: number): Promise<OrderReport[]>;
}

/** Creates the order store. All records are signed, because they decide outcomes. */
export function createOrders({
  storage,
  records,
  now,
}: {
  storage: Storage;
  records: SignedRecords;
  now: () => number;
}): Orders {
  const keyOf = ({ account, numbering, order }: OrderName) => `${account}:${numbering}:${order}`;
  const orderKey = (name: OrderName) => `${ORDERS}${keyOf(name)}`;
  const reportKey = (name: OrderName) => `${REPORTS}${keyOf(name)}`;
  const reportsKey = (account: number) => `reports-of-account:${account}`;

  async function reportAt(key: string): Promise<OrderReport | undefined> {
    const record = await records.get(key);
    return record && reportSchema.parse(JSON.parse(record.content));
  }

  async function ownerOf(name: OrderName) {
    const record = await records.get(orderKey(name));
    return record && refSchema.parse(JSON.parse(record.content));
  }

  return {
    async bind(name, ref) {
      if (await records.add(orderKey(name), recordOf(ref), { ttlMs: TTL_MS })) return true;
      const owner = await ownerOf(name);
      return owner !== undefined && isSame(owner, ref);
    },
    async take(name, former, ref) {
      const [key, kept] = [orderKey(name), { ttlMs: TTL_MS }];
      const present = await records.get(key);
      if (present === undefined) {
        // A record that fails verification would block `add`.
        if (await records.has(key)) await records.delete(key);
        return former === undefined && records.add(key, recordOf(ref), kept);
      }
      if (former === undefined || !isSame(refSchema.parse(JSON.parse(present.content)), former)) return false;
      return (await records.replace(key, present, recordOf(ref), kept)) !== undefined;
    },
    async release(name, ref) {
      const owner = await ownerOf(name);
      if (owner && isSame(owner, ref)) await records.delete(orderKey(name));
    },
    ownerOf,
    async keepReport(account, report) {
      const { numbering, order } = report;
      const key = reportKey({ account, numbering, order });
      // A report without a time gets its arrival time, so it can't match a request that is sent later.
      const dated = { ...report, at: report.at ?? now() };
      await Promise.all([
        records.set(key, JSON.stringify(dated), { ttlMs: TTL_MS }),
        storage.index.scheduleIn(reportsKey(account), key, 0, { ttlMs: RECENT_MS }),
      ]);
    },
    reportedStatus: async (name) => (await reportAt(reportKey(name)))?.status,
    async recentReports(account) {
      const keys = await storage.index.last(reportsKey(account), MANY);
      const reports = await Promise.all(keys.map(reportAt));
      return reports.filter((report) => report !== undefined);
    },
  };
}

function recordOf({ user, id }: OperationRef): string {
  return JSON.stringify({ user, id });
}

/** Returns whether both references name the same operation. */
export function isSame(one: OperationRef, other: OperationRef): boolean {
  return one.user === other.user && one.id === other.id;
}
