import { z } from 'zod';
import { chainAddressOf } from '../../../src/sandbox/rental/chain-address.ts';
import { eventually } from '../../support/eventually.ts';
import { receiveWebhooks } from '../rental/rental-server.ts';
import {
  AccountProfile,
  BandwidthOrder,
  EnergyOrder,
  Invoice,
  NewInvoice,
  NewSubscription,
  WebhookConfiguration,
  WebhookLogEntry,
  Withdrawal,
} from './resources.ts';
import type { Asked, SandboxTarget, Service } from './target.ts';

/**
 * Address that receives what is bought. For a live service it is the account's own address, so that nothing is lost.
 */
export const ADDRESS = process.env.CONFORMANCE_ADDRESS || 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

/** Returns the valid chain address of a label. Each label has its own, unused address. */
export const addressOf = (label: string) => chainAddressOf(`conformance ${label}`);

/**
 * Parses a decimal string exactly to its smallest unit: '9.80' is 9_800_000n. TRX and USDT both have six decimals.
 * Throws if the string is malformed.
 */
export function units(decimal: string): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(decimal) ?? [];
  if (sign === undefined) throw new Error(`"${decimal}" is not a decimal with up to six places`);
  return BigInt(`${sign}${whole}${fraction.padEnd(6, '0')}`);
}

/** Formats the smallest unit as a decimal string: 9_800_000n is '9.800000'. */
export function decimal(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(7, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** Smallest documented purchases, so that a run against a live service costs little. */
export const ENERGY = { address: ADDRESS, energy_amount: 32_000, duration_hours: 1 };
export const BANDWIDTH = { address: ADDRESS, bandwidth_amount: 1_000, duration_hours: 24 };
export const HALF_HOUR_MS = 30 * 60_000;

type Fields = Record<string, unknown>;

export const buyEnergy = (service: Service, fields: Fields = {}, asked?: Asked) =>
  service.post('/energy/buy', EnergyOrder, { ...ENERGY, ...fields }, asked);
export const buyBandwidth = (service: Service, fields: Fields = {}, asked?: Asked) =>
  service.post('/bandwidth/buy', BandwidthOrder, { ...BANDWIDTH, ...fields }, asked);
export const createInvoice = (service: Service, fields: Fields = {}, asked?: Asked) =>
  service.post('/invoices', NewInvoice, { ...ENERGY, ...fields }, asked);
export const fetchInvoice = (service: Service, { invoice_id }: { invoice_id: number }, asked?: Asked) =>
  service.get(`/invoices/${invoice_id}`, Invoice, asked);
export const activateSmartMode = (service: Service, fields: Fields = {}, asked?: Asked) =>
  service.post('/smart-mode/activate', NewSubscription, { address: ADDRESS, ...fields }, asked);
export const withdraw = (service: Service, fields: Fields = {}, asked?: Asked) =>
  service.post(
    '/account/withdrawal',
    Withdrawal,
    { to_address: ADDRESS, amount_trx: '10', ...fields },
    asked,
  );
export const withdrawals = (service: Service, asked?: Asked) =>
  service.get('/account/withdrawals', z.array(Withdrawal), asked);
export const configureWebhook = (service: Service, url: string, asked?: Asked) =>
  service.post('/webhooks/configure', WebhookConfiguration, { url }, asked);
export const webhookLog = (service: Service, asked?: Asked) =>
  service.get('/webhooks/logs', z.array(WebhookLogEntry), asked);

/** Returns the balance in sun. */
export const balance = async (service: Service, asked?: Asked) =>
  units((await service.get('/account/profile', AccountProfile, asked)).balance_trx);

/** Returns the amount in sun that `deed` took from the account's balance. */
export async function cost(service: Service, deed: () => Promise<unknown>): Promise<bigint> {
  const before = await balance(service);
  await deed();
  return before - (await balance(service));
}

/** Pays an invoice from an external address. */
export const pay = (target: SandboxTarget, { invoice_id }: { invoice_id: number }, how: Fields = {}) =>
  target.control('POST', `/invoices/${invoice_id}/pay`, how);

export async function delegatedInvoice(target: SandboxTarget, fields?: Fields) {
  const created = await createInvoice(target, fields);
  await pay(target, created);
  await target.control('POST', `/invoices/${created.invoice_id}/delegate`);
  return fetchInvoice(target, created);
}

/** Returns the events that the account's webhook receives while `deed` runs. */
export async function eventsOf(target: SandboxTarget, deed: () => Promise<unknown>, count = 1) {
  const { url, received } = await receiveWebhooks(200);
  const { secret } = await configureWebhook(target, url);
  await deed();
  await eventually(async () => {
    const log = await webhookLog(target);
    if (received.length < count || log.length < count) throw new Error('the events have not arrived yet');
  });
  const events = received.map(({ body }) => Event.parse(JSON.parse(body)));
  return { url, secret, received, events };
}

const Event = z.looseObject({ event: z.string(), data: z.record(z.string(), z.unknown()) });

const Wallet = z
  .looseObject({ trx: z.string(), energy: z.number(), bandwidth: z.number(), active: z.boolean() })
  .transform(({ trx, ...rest }) => ({ ...rest, trx: units(trx) }));

/** Returns the balances and resources of an address on the chain. */
export function wallet(target: SandboxTarget, address: string) {
  return target.controlled(Wallet, 'GET', `/chain/addresses/${address}`);
}

/** Makes a transfer on the chain, by default of TRX from an external address. */
export function transfer(
  target: SandboxTarget,
  transfer: { from?: string; to: string; currency?: 'TRX' | 'USDT'; amount: string },
) {
  return target.control('POST', '/transfers', { currency: 'TRX', ...transfer });
}
