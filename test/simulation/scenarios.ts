import { toInvoiceCard } from '../support/invoicing.ts';
import type { Person, ShownMessage } from '../support/person.ts';
import { linkAccount, toCard } from '../support/steps.ts';
import { HOLDER } from '../support/world.ts';
import type { SimulatedWorld } from './world.ts';

/** Actions of a user, and how to count their effect at the service. */
export interface Scenario {
  name: string;
  /** Runs without faults. Returns the actions during which faults strike. */
  prepare(world: SimulatedWorld): Promise<() => Promise<void>>;
  /** Counts how often the service executed what the user confirmed. */
  executed(world: SimulatedWorld): Promise<number>;
  /** First words of the card once it is done. */
  done: string;
  /** A request without a reply may count as not made: an invoice that is never shown is never paid. */
  isSafeToRepeat?: true;
  /** States that some schedule must reach. */
  reaches: readonly string[];
}

const ALWAYS_REACHED = [
  'claimed',
  'sent',
  'done',
  'refused',
  'takeover',
  'duplicate-delivery',
  'stale-write',
];

/** Returns a scenario in which an account holder confirms the card of a flow. */
function confirmation(
  about: Omit<Scenario, 'prepare' | 'reaches'> & { toCard: (person: Person) => Promise<ShownMessage> },
): Scenario {
  const { toCard: openCard, ...scenario } = about;
  return {
    ...scenario,
    reaches: about.isSafeToRepeat ? ALWAYS_REACHED : [...ALWAYS_REACHED, 'unknown'],
    async prepare(world) {
      const person = world.person(HOLDER);
      await linkAccount(person);
      const card = await openCard(person);
      return async () => {
        await person.tap('Confirm');
        await person.shows(card, about.done);
      };
    },
  };
}

const inLedger = (kind: string) => async (world: SimulatedWorld) =>
  (await world.rental()).ledger.filter((entry) => entry.kind === kind).length;

export const SCENARIOS: readonly Scenario[] = [
  confirmation({ name: 'buy-energy', toCard, done: 'Bought', executed: inLedger('energy') }),
  confirmation({
    name: 'activate-address',
    async toCard(person) {
      const { message_id = 0 } = await person.say('/activate');
      await person.readsBelow({ message_id }, 'Which address');
      await person.say('TW9ZU7M77dAebvjw9d3bVNbKY9EteZyP1V');
      return person.readsBelow({ message_id }, 'Check before you confirm');
    },
    done: 'Activated',
    executed: inLedger('activation'),
  }),
  confirmation({
    name: 'make-invoice',
    toCard: (person) => toInvoiceCard(person, { note: 'Order 17' }),
    done: 'Invoice made',
    isSafeToRepeat: true,
    executed: async (world) => (await world.rental()).invoices.length,
  }),
];
