import type { Endpoint } from '../endpoint.ts';
import { accountDeposit } from './account-deposit.ts';
import { accountDeposits } from './account-deposits.ts';
import { accountProfile } from './account-profile.ts';
import { energyBuy } from './energy-buy.ts';
import { prices } from './prices.ts';
import { webhooksConfigure } from './webhooks-configure.ts';
import { webhooksLogs } from './webhooks-logs.ts';

/** Every endpoint that the sandbox serves. */
export const endpoints: readonly Endpoint[] = [
  energyBuy,
  accountProfile,
  accountDeposit,
  accountDeposits,
  prices,
  webhooksConfigure,
  webhooksLogs,
];
