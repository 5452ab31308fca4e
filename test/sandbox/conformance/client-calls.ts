import type { Rental } from '../../../src/rental-api/client.ts';
import type { Outcome } from '../../../src/rental-api/http.ts';

/** Body as the client's method takes it. The client validates it. */
type Body<Method extends keyof Rental> = Parameters<Rental[Method]>[1];
type Call = (rental: Rental, key: string, body: unknown, id: number) => Promise<Outcome<unknown>>;

const calls: Record<string, Call> = {
  'POST /energy/buy': (rental, key, body) => rental.buyEnergy(key, body as Body<'buyEnergy'>),
  'POST /bandwidth/buy': (rental, key, body) => rental.buyBandwidth(key, body as Body<'buyBandwidth'>),
  'POST /energy/activate': (rental, key, body) =>
    rental.activateAddress(key, body as Body<'activateAddress'>),
  'POST /invoices': (rental, key, body) => rental.createInvoice(key, body as Body<'createInvoice'>),
  'GET /invoices/{id}': (rental, key, _, id) => rental.invoice(key, id),
  'POST /smart-mode/activate': (rental, key, body) =>
    rental.activateSmartMode(key, body as Body<'activateSmartMode'>),
  'GET /smart-mode/subscriptions': (rental, key) => rental.subscriptions(key),
  'POST /smart-mode/{id}/toggle': (rental, key, _, id) => rental.toggleSubscription(key, id),
  'POST /smart-mode/{id}/deactivate': (rental, key, _, id) => rental.deactivateSubscription(key, id),
  'GET /transfer-packages/tiers': (rental, key) => rental.packageTiers(key),
  'GET /account/profile': (rental, key) => rental.profile(key),
  'GET /account/deposit': (rental, key) => rental.depositInfo(key),
  'GET /account/deposits': (rental, key) => rental.deposits(key),
  'POST /account/withdrawal': (rental, key, body) => rental.withdraw(key, body as Body<'withdraw'>),
  'GET /account/withdrawals': (rental, key) => rental.withdrawals(key),
  'POST /webhooks/configure': (rental, key, body) => rental.configureWebhook(key, Object(body).url),
  'GET /webhooks/logs': (rental, key) => rental.webhookLogs(key),
  'GET /prices': (rental, key) => rental.prices(key),
};

/** Returns the client's call for a request, or `undefined` if it has none; then the specification has none either. */
export function clientCall(method: string, path: string, body: unknown) {
  const [, id] = /\/(\d{1,15})(?=\/|$)/.exec(path) ?? [];
  const call = calls[`${method} ${id === undefined ? path : path.replace(id, '{id}')}`];
  return call && ((rental: Rental, key: string) => call(rental, key, body, Number(id)));
}
