import { Hono } from 'hono';
import type { RentalParts } from '../endpoint.ts';
import type { Faults } from '../faults.ts';
import { answerRefusal } from '../refusal.ts';
import { controlAccounts } from './accounts.ts';
import { controlChain } from './chain.ts';
import { streamChanges } from './changes.ts';
import { controlDeposits } from './deposits.ts';
import { controlFaults } from './faults.ts';
import { controlInvoices } from './invoices.ts';
import { controlOrders } from './orders.ts';
import { controlSmartMode } from './smart-mode.ts';
import { controlTransfers } from './transfers.ts';
import { ledgerView, stateView } from './views.ts';
import { controlWithdrawals } from './withdrawals.ts';

/** Creates the control API, which isn't part of the specification. It shows the service's state and triggers events. */
export function createControl({ parts, faults }: { parts: RentalParts; faults: Faults }): Hono {
  const { world } = parts;
  const whole = () => stateView(world.state, world.clock.now());
  const control = new Hono();
  control.onError(answerRefusal);
  control.get('/state', (c) => c.json(whole()));
  control.get('/changes', (c) => streamChanges(c, world));
  control.get('/ledger', (c) => {
    const kind = c.req.query('kind');
    const entries = world.state.ledger.filter((entry) => kind === undefined || entry.kind === kind);
    return c.json(entries.map(ledgerView).reverse());
  });
  control.route('/orders', controlOrders(parts.orders));
  control.route('/accounts', controlAccounts(parts));
  control.route('/deposits', controlDeposits(parts.deposits));
  control.route('/withdrawals', controlWithdrawals(parts.withdrawals));
  control.route('/invoices', controlInvoices(parts));
  control.route('/smart-mode', controlSmartMode(parts));
  control.route('/transfers', controlTransfers(parts.chain));
  control.route('/chain', controlChain(world));
  control.route('/faults', controlFaults(faults));
  control.post('/reset', (c) => {
    world.reset();
    return c.json(whole());
  });
  return control;
}
