import { toInvoiceCard } from '../support/invoicing.ts';
import { linkAccount, toCard } from '../support/steps.ts';
import { HOLDER } from '../support/world.ts';
import type { SimulatedWorld } from './world.ts';

/** What people do, and what must have come of it whatever strikes. */
export interface Scenario {
  name: string;
  /** Runs without faults. Returns what `act` needs. */
  prepare(world: SimulatedWorld): Promise<() => Promise<void>>;
  /** How often the service has carried out what was confirmed. */
  executed(world: SimulatedWorld): Promise<number>;
  /** First words of the card once it is done. */
  done: string;
  /** A request without a reply may count as not made: nobody pays an invoice that nobody sees. */
  isHarmless?: true;
  /** States that some schedule must reach. */
  reaches: readonly string[];
}

const CONFIRMED = ['claimed', 'sent', 'done', 'refused', 'unknown'] as const;

/** Confirms the card of a flow and waits for its outcome. */
async function confirming(
  world: SimulatedWorld,
  toTheCard: () => Promise<{ message_id: number }>,
  done: string,
) {
  const card = await toTheCard();
  const person = world.person(HOLDER);
  return async () => {
    await person.tap('Confirm');
    await person.shows(card, done);
  };
}

const inLedger = (kind: string) => async (world: SimulatedWorld) =>
  (await world.rental()).ledger.filter((entry) => entry.kind === kind).length;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'buy-energy',
    async prepare(world) {
      const person = world.person(HOLDER);
      await linkAccount(person);
      return confirming(world, () => toCard(person), 'Bought');
    },
    executed: inLedger('energy'),
    done: 'Bought',
    reaches: CONFIRMED,
  },
  {
    name: 'activate-address',
    async prepare(world) {
      const person = world.person(HOLDER);
      await linkAccount(person);
      return confirming(
        world,
        async () => {
          const { message_id = 0 } = await person.say('/activate');
          await person.readsBelow({ message_id }, 'Which address');
          await person.say('TW9ZU7M77dAebvjw9d3bVNbKY9EteZyP1V');
          return person.readsBelow({ message_id }, 'Check before you confirm');
        },
        'Activated',
      );
    },
    executed: inLedger('activation'),
    done: 'Activated',
    reaches: CONFIRMED,
  },
  {
    name: 'make-invoice',
    async prepare(world) {
      const person = world.person(HOLDER);
      await linkAccount(person);
      return confirming(world, () => toInvoiceCard(person, { note: 'Order 17' }), 'Invoice made');
    },
    executed: async (world) => (await world.rental()).invoices.length,
    done: 'Invoice made',
    isHarmless: true,
    reaches: ['claimed', 'sent', 'done', 'refused'],
  },
];
