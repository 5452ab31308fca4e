import { randomBytes } from 'node:crypto';
import { keyOf } from '../identities.ts';
import type { Draft, Offer } from './messages.ts';

/** Prices of one unit of energy in sun, by duration such as `1h`. */
export type EnergyPrices = Record<string, number>;

interface Order {
  order_id: number;
  price_trx: string;
  status: string;
}

/** Creates a client of the rental service without retries, timeouts and checks of the responses. */
export function createRental(root: string) {
  async function request<Result>(
    person: number,
    method: string,
    path: string,
    body?: object,
  ): Promise<Result> {
    const response = await fetch(`${root}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-api-key': keyOf(person) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return (await response.json()) as Result;
  }

  async function energyPrices(person: number): Promise<EnergyPrices> {
    const { energy_sun } = await request<{ energy_sun: EnergyPrices }>(person, 'GET', '/prices');
    return energy_sun;
  }

  return {
    async offer(person: number, { hours }: Draft): Promise<Offer> {
      const [prices, { balance_trx }] = await Promise.all([
        energyPrices(person),
        request<{ balance_trx: string }>(person, 'GET', '/account/profile'),
      ]);
      const reference = randomBytes(4).toString('hex').toUpperCase();
      return { reference, balanceTrx: Number(balance_trx), priceSun: prices[`${hours}h`] ?? Number.NaN };
    },
    buy: (person: number, { address, energy, hours }: Draft) =>
      request<Order>(person, 'POST', '/energy/buy', {
        address,
        energy_amount: energy,
        duration_hours: hours,
      }),
  };
}
