import { rental } from '../api.js';
import { listen } from '../stream.js';
import { createAccounts } from './accounts.js';
import { createClock } from './clock.js';
import { createFaults } from './faults.js';
import { createLedger } from './ledger.js';
import { createOrders } from './orders.js';
import { createReset } from './reset.js';
import { createWebhooks } from './webhooks.js';

/** Lists are shown to this many entries. */
const SHOWN = 50;

/**
 * The rental service seen from behind its counter, live.
 * @param {{ part: (id: string) => HTMLElement, notices: object }} page
 */
export function createPanel({ part, notices }) {
  const orders = createOrders(part('orders'), notices);
  const accounts = createAccounts(part('accounts'), notices);
  const webhooks = createWebhooks(part('webhooks'));
  const ledger = createLedger(part('ledger'));
  const faults = createFaults(
    { form: part('fault-form'), list: part('faults'), clear: part('clear-faults') },
    notices,
  );
  const clock = createClock(
    { time: part('clock-time'), day: part('clock-day'), buttons: part('clock-buttons'), moved: load },
    notices,
  );
  createReset(part('reset'), notices);

  let loading;
  let again = false;

  /** One load at a time; what changes meanwhile is loaded after it. */
  async function load() {
    again = true;
    loading ??= loadAll().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  async function loadAll() {
    while (again) {
      again = false;
      await rental.state().then(show, () => undefined);
    }
  }

  function show(state) {
    clock.set(typeof state.now === 'number' ? state.now : Date.parse(state.now));
    orders.show(state.orders.slice(0, SHOWN));
    accounts.show(state.accounts);
    webhooks.show(state.webhook_log.slice(0, SHOWN));
    ledger.show(state.ledger.slice(0, SHOWN));
    faults.show(state.faults);
  }

  listen(rental.changes, { opened: load, lost: () => undefined, events: { message: load } });
}
