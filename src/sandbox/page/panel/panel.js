import { rental } from '../api.js';
import { createAccounts } from './accounts.js';
import { createAudit } from './audit.js';
import { createChain } from './chain.js';
import { createClock } from './clock.js';
import { updateCountdowns } from './countdown.js';
import { createDeposits } from './deposits.js';
import { createFaults } from './faults.js';
import { createInvoices } from './invoices.js';
import { createLedger } from './ledger.js';
import { createOrders } from './orders.js';
import { createPackages } from './packages.js';
import { createPrices } from './prices.js';
import { createReset } from './reset.js';
import { inSection } from './section.js';
import { createSmartMode } from './smart-mode.js';
import { createTransfers } from './transfers.js';
import { createWebhooks } from './webhooks.js';
import { createWithdrawals } from './withdrawals.js';

/** Poll interval. The panel polls because a browser allows six connections per origin and each chat uses one. */
const POLL_INTERVAL_MS = 1000;

/**
 * Creates the panel that shows and controls the rental service.
 * @param {{ part: (id: string) => HTMLElement, notices: object, ticked: (now: number) => void, loaded: (state: object) => void }} page
 *   `ticked` receives the sandbox's time at each tick of its clock, `loaded` the service's state after each load
 */
export function createPanel({ part, notices, ticked, loaded }) {
  const { copy, toast } = notices;
  const deposits = { form: part('deposit-form'), list: part('deposits') };
  const faults = { form: part('fault-form'), list: part('faults'), clear: part('clear-faults') };
  const time = { time: part('clock-time'), day: part('clock-day'), buttons: part('clock-buttons') };
  const transfers = createTransfers({ form: part('transfer-form'), known: part('addresses') }, run, toast);
  const chain = createChain({ list: part('chain'), transactions: part('transactions') }, copy);
  const clock = createClock(time, run, (now) => {
    updateCountdowns(part('panel'), now);
    ticked(now);
  });
  const audit = createAudit({ verdict: part('audit'), wallet: part('wallet') });
  createReset(part('reset'), run);

  /** Sections by their field of the state. */
  const sections = {
    orders: inSection(part('orders'), createOrders(part('orders'), run)),
    invoices: inSection(part('invoices'), createInvoices(part('invoices'), run, copy)),
    accounts: inSection(part('accounts'), createAccounts(part('accounts'), run, copy)),
    deposits: inSection(part('deposits'), createDeposits(deposits, run)),
    withdrawals: inSection(part('withdrawals'), createWithdrawals(part('withdrawals'), run)),
    subscriptions: inSection(part('subscriptions'), createSmartMode(part('subscriptions'), run)),
    packages: inSection(part('packages'), createPackages(part('packages'))),
    prices: inSection(part('price-form'), createPrices(part('price-form'), run, toast)),
    faults: inSection(part('faults'), createFaults(faults, run)),
    webhook_log: inSection(part('webhooks'), createWebhooks(part('webhooks'))),
    ledger: inSection(part('ledger'), createLedger(part('ledger'))),
    chain: inSection(part('chain'), {
      show(shown, state) {
        const addresses = withInvoices(shown.addresses ?? [], state.invoices);
        chain.show({ ...shown, addresses });
        transfers.offer(addresses);
      },
      count: () => '',
    }),
  };

  let loading;
  let isReloadNeeded = false;

  /** Runs an action and reloads the state. Shows an error as a toast. */
  async function run(action) {
    await action().catch((error) => toast(error.message));
    await load();
  }

  /** Loads the state, one load at a time. A call during a load starts another one after it. */
  async function load() {
    isReloadNeeded = true;
    loading ??= loadAll().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  async function loadAll() {
    while (isReloadNeeded) {
      isReloadNeeded = false;
      await rental.state().then(show, () => undefined);
    }
  }

  function show(state) {
    for (const [name, showPart] of Object.entries(sections)) showPart(state[name], state);
    audit(state.audit);
    clock.set(state.now);
    loaded(state);
  }

  const loadIfVisible = () => document.hidden || load();
  document.addEventListener('visibilitychange', loadIfVisible);
  setInterval(loadIfVisible, POLL_INTERVAL_MS);
  load();
}

/** Adds names to the payment addresses of invoices. */
function withInvoices(addresses, invoices = []) {
  const names = new Map(
    invoices.map((one) => [one.payment_address, `payments of invoice ${one.invoice_id}`]),
  );
  return addresses.map((wallet) => ({ ...wallet, name: wallet.name ?? names.get(wallet.address) }));
}
