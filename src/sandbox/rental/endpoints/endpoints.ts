import type { Endpoint } from '../endpoint.ts';
import { accountDeposit } from './account-deposit.ts';
import { accountDeposits } from './account-deposits.ts';
import { accountProfile } from './account-profile.ts';
import { accountWithdrawal } from './account-withdrawal.ts';
import { accountWithdrawals } from './account-withdrawals.ts';
import { bandwidthBuy } from './bandwidth-buy.ts';
import { energyActivate } from './energy-activate.ts';
import { energyBuy } from './energy-buy.ts';
import { invoicesCreate } from './invoices-create.ts';
import { invoicesGet } from './invoices-get.ts';
import { prices } from './prices.ts';
import { smartModeActivate } from './smart-mode-activate.ts';
import { smartModeDeactivate } from './smart-mode-deactivate.ts';
import { smartModeSubscriptions } from './smart-mode-subscriptions.ts';
import { smartModeToggle } from './smart-mode-toggle.ts';
import { transferPackagesTiers } from './transfer-packages-tiers.ts';
import { webhooksConfigure } from './webhooks-configure.ts';
import { webhooksLogs } from './webhooks-logs.ts';

/** All endpoints of the sandbox. */
export const endpoints: readonly Endpoint[] = [
  energyBuy,
  bandwidthBuy,
  energyActivate,
  invoicesCreate,
  invoicesGet,
  smartModeActivate,
  smartModeSubscriptions,
  smartModeToggle,
  smartModeDeactivate,
  transferPackagesTiers,
  accountProfile,
  accountDeposit,
  accountDeposits,
  accountWithdrawal,
  accountWithdrawals,
  prices,
  webhooksConfigure,
  webhooksLogs,
];
