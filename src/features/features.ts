import type { FeatureDefinition } from '../bot/feature.ts';
import { accountFeature } from './account.ts';
import { activationFeature } from './activation.ts';
import { addressesFeature } from './addresses.ts';
import { adminLogFeature } from './admin-log.ts';
import { announcedFeature } from './announced.ts';
import { announcementsFeature } from './announcements.ts';
import { bandwidthFeature } from './bandwidth.ts';
import { broadcastFeature } from './broadcast.ts';
import { codeFeature } from './code.ts';
import { depositFeature } from './deposit.ts';
import { energyFeature } from './energy.ts';
import { eventsFeature } from './events.ts';
import { forgetFeature } from './forget.ts';
import { helpFeature } from './help.ts';
import { historyFeature } from './history.ts';
import { invoiceFeature } from './invoice.ts';
import { invoicesFeature } from './invoices.ts';
import { linkFeature } from './link.ts';
import { menuFeature } from './menu.ts';
import { movementsFeature } from './movements.ts';
import { notificationsFeature } from './notifications.ts';
import { operationFeature } from './operation.ts';
import { operationsFeature } from './operations.ts';
import { operatorFeature } from './operator.ts';
import { packagesFeature } from './packages.ts';
import { peopleFeature } from './people.ts';
import { pricesFeature } from './prices.ts';
import { privacyFeature } from './privacy.ts';
import { reportsFeature } from './reports.ts';
import { settingsFeature } from './settings.ts';
import { smartModeFeature } from './smart-mode.ts';
import { stateFeature } from './state.ts';
import { unresolvedFeature } from './unresolved.ts';
import { webhookLogFeature } from './webhook-log.ts';
import { withdrawFeature } from './withdraw.ts';

/**
 * All features, in the order of the menus and of Telegram's list of commands. To add one, write its file and add a line
 * here.
 */
export const FEATURES: readonly FeatureDefinition[] = [
  menuFeature,
  energyFeature,
  bandwidthFeature,
  activationFeature,
  smartModeFeature,
  depositFeature,
  withdrawFeature,
  movementsFeature,
  historyFeature,
  invoiceFeature,
  invoicesFeature,
  pricesFeature,
  linkFeature,
  accountFeature,
  reportsFeature,
  notificationsFeature,
  addressesFeature,
  packagesFeature,
  webhookLogFeature,
  settingsFeature,
  helpFeature,
  privacyFeature,
  forgetFeature,
  stateFeature,
  broadcastFeature,
  eventsFeature,
  operatorFeature,
  peopleFeature,
  operationsFeature,
  unresolvedFeature,
  adminLogFeature,
  operationFeature,
  codeFeature,
  announcedFeature,
  announcementsFeature,
];
