import type { Look } from '../look.ts';
import { createBalanceLook } from './balance.ts';
import { createDepositsLook } from './deposits.ts';
import { createLogLook } from './log.ts';
import { createWithdrawalsLook } from './withdrawals.ts';

type Deps = Parameters<typeof createBalanceLook>[0] &
  Parameters<typeof createDepositsLook>[0] &
  Parameters<typeof createLogLook>[0] &
  Parameters<typeof createWithdrawalsLook>[0];

/** Everything of an account that is looked at. A further one is its file and a line here. */
export function createAccountLooks(deps: Deps): readonly Look[] {
  return [
    createDepositsLook(deps),
    createWithdrawalsLook(deps),
    createLogLook(deps),
    createBalanceLook(deps),
  ];
}
