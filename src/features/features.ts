import type { Feature, FeatureDefinition } from '../bot/feature.ts';
import { accountFeature, linkFeature } from './account.ts';
import { addressesFeature } from './addresses/addresses.ts';
import { adminLogFeature } from './admin-screens/admin-log.ts';
import { eventsFeature } from './admin-screens/events.ts';
import { operationsFeature } from './admin-screens/operations.ts';
import { stateFeature } from './admin-screens/state.ts';
import { depositFeature } from './balance.ts';
import { broadcastFeature } from './broadcast/broadcast.ts';
import { helpFeature } from './help.ts';
import { historyFeature } from './history.ts';
import { invoiceFeature } from './invoices/invoice.ts';
import { invoicesFeature } from './invoices/invoices.ts';
import { questionsFeature } from './invoices/questions.ts';
import { menuFeature } from './menu.ts';
import { movementsFeature } from './movements.ts';
import { notificationsFeature } from './notifications/notifications.ts';
import { reportsFeature } from './notifications/reports.ts';
import { webhookLogFeature } from './notifications/webhook-log.ts';
import { codeFeature } from './operation/code.ts';
import { operationFeature } from './operation/operation.ts';
import { operatorFeature } from './operator.ts';
import { peopleFeature } from './people/people.ts';
import { packagesFeature } from './prices/packages.ts';
import { pricesFeature } from './prices/prices.ts';
import { forgetFeature } from './privacy/forget.ts';
import { privacyFeature } from './privacy/privacy.ts';
import { activationFeature, bandwidthFeature, energyFeature } from './purchases.ts';
import { announcementsFeature, settingsFeature } from './settings.ts';
import { smartModeFeature } from './smart-mode/smart-mode.ts';
import { unresolvedFeature } from './unresolved/unresolved.ts';
import { announcedFeature, withdrawFeature } from './withdraw/withdraw.ts';

const ALL = [
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
  questionsFeature,
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

/** Everything that at least one of the features needs: the intersection of what their factories take. */
export type AllFeatureDeps = (typeof ALL)[number]['create'] extends (deps: infer Deps) => Feature
  ? Deps
  : never;

/** All features, in the order of the menus and of Telegram's list of commands. */
export const FEATURES: readonly FeatureDefinition<AllFeatureDeps>[] = ALL;
