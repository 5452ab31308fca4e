import type { World } from './world.ts';

export const DEMO_ACCOUNT = 1001;

/** Returns a function that calls the rental API with an account's key, without the bot. */
export function accountApi(world: Pick<World, 'origin'>, key = 'demo-key') {
  return async <T = unknown>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${world.origin}/api/v1${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
}

/** Returns functions that cause changes and events of an account at the rental service. */
export function serviceActions(world: Pick<World, 'control'>, account = DEMO_ACCOUNT) {
  return {
    /** Adds a deposit, which is credited at once unless `confirm` is false. Returns its ID. */
    async deposit(amount: string, more: { confirm?: boolean; currency?: string } = {}): Promise<number> {
      const path = `/rental/accounts/${account}/deposit`;
      const made = await world.control<{ deposit: { id: number } }>('POST', path, { amount, ...more });
      return made.deposit.id;
    },
    /** Makes the service send an event of any type. */
    event: (event_type: string, data: object) =>
      world.control('POST', `/rental/accounts/${account}/events`, { event_type, data }),
    balance: (balance_trx: string) =>
      world.control('POST', `/rental/accounts/${account}/balance`, { balance_trx }),
  };
}

/** Repeats a received webhook delivery, optionally changed. Returns the HTTP status. */
export async function deliver(
  delivery: { url: string; signature: string; body: string },
  changed: Partial<typeof delivery> = {},
): Promise<number> {
  const { url, signature, body } = { ...delivery, ...changed };
  const headers = { 'content-type': 'application/json', 'x-webhook-signature': signature };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}
