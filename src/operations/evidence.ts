import { BigNumber } from 'bignumber.js';
import type { RentalEvent } from '../rental/webhook.ts';
import { readLoggedEvent } from '../rental/webhook.ts';
import type { OperationsRental, OrderReport } from './kinds/kind.ts';
import { kindOf } from './kinds/kinds.ts';
import type { Operation } from './operation.ts';
import type { Orders } from './orders.ts';
import type { RecentAttempts } from './recent-attempts.ts';

/** The service's clock and ours may differ by this much. */
const SKEW_MS = 30_000;
/** The service rounds prices to two decimals, so a fitting change may miss an estimate by less than this. */
const ROUNDING_TRX = '0.01';

/** What the traces of an operation say. Strong evidence names the order; a fitting balance is only *likely*. */
export type Evidence =
  | { kind: 'strong'; report: OrderReport }
  | { kind: 'likely' }
  | { kind: 'none'; balance: 'same' | 'moved' | 'unread' };

/** Reads an order's report out of an event; `undefined` for events that are about something else. */
export function orderReport(event: RentalEvent): OrderReport | undefined {
  const at = event.at === undefined ? undefined : Date.parse(event.at);
  if (event.order) {
    const { order_id, address, energy_amount } = event.order;
    return { order: order_id, status: 'filled', at, address, energyAmount: energy_amount };
  }
  const { order_id, address, energy_amount } = event.data;
  if (event.type !== 'order.failed' || typeof order_id !== 'number') return undefined;
  return {
    order: order_id,
    status: 'failed',
    at,
    address: typeof address === 'string' ? address : undefined,
    energyAmount: typeof energy_amount === 'number' ? energy_amount : undefined,
  };
}

/** Whether `report` is about an order made after this request was sent, and of just what it asked for. */
export function fits(operation: Operation, report: OrderReport): boolean {
  const after = report.at === undefined || report.at >= (operation.sentAt ?? 0) - SKEW_MS;
  return after && kindOf(operation.request).fits(operation.request, report);
}

export interface Search {
  /** Looks for traces of a sent operation: in the webhook logs, then in the balance. */
  look(operation: Operation, apiKey: string): Promise<Evidence>;
  /** Reports of one order in the webhook logs, whose event may never have arrived. */
  statusInLogs(order: number, apiKey: string): Promise<OrderReport['status'] | undefined>;
}

export function createSearch(deps: {
  rental: OperationsRental;
  orders: Orders;
  recentAttempts: RecentAttempts;
}): Search {
  const { rental, orders, recentAttempts } = deps;

  async function reports(apiKey: string): Promise<OrderReport[]> {
    const logs = await rental.webhookLogs(apiKey);
    if (logs.kind !== 'accepted') return [];
    return logs.value.flatMap((entry) => {
      const event = readLoggedEvent(entry);
      return (event && orderReport(event)) ?? [];
    });
  }

  /** Nobody else has the order, and nobody else's answer can still name it. */
  async function free(operation: Operation, report: OrderReport): Promise<boolean> {
    const owner = await orders.ownerOf(operation.account, report.order);
    if (owner) return owner.user === operation.user && owner.id === operation.id;
    const others = await recentAttempts.of(operation.account);
    return !others.some((other) => other.state === 'sent' && fits(other, report));
  }

  return {
    async look(operation, apiKey) {
      for (const report of await reports(apiKey)) {
        if (fits(operation, report) && (await free(operation, report))) {
          return { kind: 'strong', report };
        }
      }
      const profile = await rental.profile(apiKey);
      if (profile.kind !== 'accepted' || operation.balanceBefore === undefined) {
        return { kind: 'none', balance: 'unread' };
      }
      const fell = new BigNumber(operation.balanceBefore).minus(profile.value.balance_trx);
      if (fell.isZero()) return { kind: 'none', balance: 'same' };
      const alone = operation.estimate !== undefined && !(await recentAttempts.anyBeside(operation));
      const fitting =
        alone &&
        fell
          .minus(operation.estimate ?? 0)
          .abs()
          .lt(ROUNDING_TRX);
      return fitting ? { kind: 'likely' } : { kind: 'none', balance: 'moved' };
    },
    async statusInLogs(order, apiKey) {
      return (await reports(apiKey)).find((report) => report.order === order)?.status;
    },
  };
}
