import { ENDPOINTS } from '../../../src/rental-api/endpoints.ts';
import { personOf } from '../identities.ts';
import type { Call } from '../stand-in-server.ts';

/** Paths of the lists that the bot polls. */
const LISTS = [ENDPOINTS.deposits, ENDPOINTS.withdrawals, ENDPOINTS.webhookLogs].map(({ path }) => path);

const INVOICE = /\/invoices\/\d+$/;

const pathOf = ({ path }: Call) => path.replace(/\?.*$/, '');

/** Counts the polls of lists and of invoices, and the accounts whose webhook log was read. Times are in epoch milliseconds. */
export function createPollCount() {
  let [polls, requests, firstAt, lastAt] = [0, 0, 0, 0];
  const accounts = new Set<number>();
  const invoices = { polls: 0, firstAt: 0 };
  return {
    hear(call: Call): void {
      if (call.key === undefined) return;
      requests += 1;
      const path = pathOf(call);
      if (call.method === 'GET' && INVOICE.test(path)) {
        invoices.polls += 1;
        invoices.firstAt ||= Date.now();
      }
      if (call.method !== 'GET' || !LISTS.some((list) => path.endsWith(list))) return;
      polls += 1;
      lastAt = Date.now();
      firstAt ||= lastAt;
      if (path.endsWith(ENDPOINTS.webhookLogs.path)) accounts.add(personOf(call.key));
    },
    reset(): void {
      [polls, requests, firstAt, lastAt] = [0, 0, 0, 0];
      accounts.clear();
      Object.assign(invoices, { polls: 0, firstAt: 0 });
    },
    /** `firstAt`: 0 before the first poll. `requests`: all requests to the service, of which some aren't polls. */
    read: () => ({ polls, requests, firstAt, lastAt, accounts: accounts.size, invoices }),
    accounts: () => [...accounts],
  };
}

export type PollCount = ReturnType<ReturnType<typeof createPollCount>['read']>;
