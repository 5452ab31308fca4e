import type { Journal } from './journal.ts';
import type { SandboxProcess } from './sandbox-process.ts';

interface Order {
  kind: 'energy' | 'bandwidth';
  address: string;
  energy_amount?: number;
  bandwidth_amount?: number;
  duration_hours: number;
}

/** Returns the requests that the service received, and how often it executed each purchase. */
export async function gather(
  sandbox: SandboxProcess,
): Promise<{ journal: Journal; executed: Map<string, number> }> {
  const journal = await sandbox.control<Journal>('GET', '/chaos/journal');
  const { orders } = await sandbox.control<{ orders: Order[] }>('GET', '/sandbox/rental/state');
  const executed = new Map<string, number>();
  for (const { kind, address, energy_amount, bandwidth_amount, duration_hours } of orders) {
    const purchase = `${kind}/${energy_amount ?? bandwidth_amount}/${duration_hours}/${address}`;
    executed.set(purchase, (executed.get(purchase) ?? 0) + 1);
  }
  // The service activates an address at most once, however often that is requested.
  for (const { purchase } of journal.money.filter((one) => one.purchase.startsWith('activation/'))) {
    const path = `/sandbox/rental/chain/addresses/${purchase.slice('activation/'.length)}`;
    const { active } = await sandbox.control<{ active: boolean }>('GET', path);
    if (active) executed.set(purchase, 1);
  }
  return { journal, executed };
}
