import { rental } from '../api.js';
import { createAccounts } from './accounts.js';
import { createClock } from './clock.js';
import { createFaults } from './faults.js';
import { createLedger } from './ledger.js';
import { createOrders } from './orders.js';
import { createReset } from './reset.js';
import { createWebhooks } from './webhooks.js';

/** Lists are shown to this many entries. */
const SHOWN = 50;
/** The panel asks instead of listening: a browser gives all pages of an origin six connections, and the chat holds one. */
const EVERY_MS = 1000;

/**
 * The rental service seen from behind its counter, live.
 * @param {{ part: (id: string) => HTMLElement, notices: object }} page
 */
export function createPanel({ part, notices }) {
  const orders = createOrders(part('orders'), run);
  const accounts = createAccounts(part('accounts'), run, notices.copy);
  const webhooks = createWebhooks(part('webhooks'));
  const ledger = createLedger(part('ledger'));
  const faults = createFaults(
    { form: part('fault-form'), list: part('faults'), clear: part('clear-faults') },
    run,
  );
  const clock = createClock(
    { time: part('clock-time'), day: part('clock-day'), buttons: part('clock-buttons') },
    run,
  );
  createReset(part('reset'), run);

  let loading;
  let again = false;

  /** Does something and shows what it led to; says what went wrong. */
  async function run(action) {
    await action().catch((error) => notices.toast(error.message));
    await load();
  }

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
    clock.set(state.now);
    orders.show(state.orders.slice(0, SHOWN));
    accounts.show(state.accounts);
    webhooks.show(state.webhook_log.slice(0, SHOWN));
    ledger.show(state.ledger.slice(0, SHOWN));
    faults.show(state.faults);
  }

  const follow = () => document.hidden || load();
  document.addEventListener('visibilitychange', follow);
  setInterval(follow, EVERY_MS);
  load();
}
