import type { CreateFeature } from '../bot/feature-deps.ts';
import { createAccount } from './account.ts';
import { createActivation } from './activation.ts';
import { createAddresses } from './addresses.ts';
import { createAdminLogScreen } from './admin-log.ts';
import { createAnnounced } from './announced.ts';
import { createAnnouncements } from './announcements.ts';
import { createBandwidth } from './bandwidth.ts';
import { createBroadcast } from './broadcast.ts';
import { createCode } from './code.ts';
import { createDeposit } from './deposit.ts';
import { createEnergy } from './energy.ts';
import { createEvents } from './events.ts';
import { createForget } from './forget.ts';
import { createHelp } from './help.ts';
import { createHistory } from './history.ts';
import { createInvoice } from './invoice.ts';
import { createInvoices } from './invoices.ts';
import { createLink } from './link.ts';
import { createMenu } from './menu.ts';
import { createMovements } from './movements.ts';
import { createNotifications } from './notifications.ts';
import { createOperation } from './operation.ts';
import { createOperations } from './operations.ts';
import { createOperator } from './operator.ts';
import { createPackages } from './packages.ts';
import { createPeople } from './people.ts';
import { createPrices } from './prices.ts';
import { createPrivacy } from './privacy.ts';
import { createReports } from './reports.ts';
import { createSettings } from './settings.ts';
import { createSmartMode } from './smart-mode.ts';
import { createState } from './state.ts';
import { createUnresolved } from './unresolved.ts';
import { createWebhookLog } from './webhook-log.ts';
import { createWithdraw } from './withdraw.ts';

/**
 * All features, in the order of the menus and of Telegram's list of commands. To add one, write its file and add a line
 * here.
 */
export const FEATURES: readonly CreateFeature[] = [
  createMenu,
  createEnergy,
  createBandwidth,
  createActivation,
  createSmartMode,
  createDeposit,
  createWithdraw,
  createMovements,
  createHistory,
  createInvoice,
  createInvoices,
  createPrices,
  createLink,
  createAccount,
  createReports,
  createNotifications,
  createAddresses,
  createPackages,
  createWebhookLog,
  createSettings,
  createHelp,
  createPrivacy,
  createForget,
  createState,
  createBroadcast,
  createEvents,
  createOperator,
  createPeople,
  createOperations,
  createUnresolved,
  createAdminLogScreen,
  createOperation,
  createCode,
  createAnnounced,
  createAnnouncements,
];
