import type { AccountTexts } from './keys/account.ts';
import type { ActivationTexts } from './keys/activation.ts';
import type { AddressesTexts } from './keys/addresses.ts';
import type { AdminTexts } from './keys/admin.ts';
import type { AdminLogTexts } from './keys/admin-log.ts';
import type { AnnouncementsTexts } from './keys/announcements.ts';
import type { BandwidthTexts } from './keys/bandwidth.ts';
import type { BroadcastMakingTexts } from './keys/broadcast-making.ts';
import type { BroadcastProgressTexts } from './keys/broadcast-progress.ts';
import type { DepositTexts } from './keys/deposit.ts';
import type { EnergyTexts } from './keys/energy.ts';
import type { EventsTexts } from './keys/events.ts';
import type { ForgetTexts } from './keys/forget.ts';
import type { HelpTexts } from './keys/help.ts';
import type { HistoryTexts } from './keys/history.ts';
import type { InvoiceTexts } from './keys/invoice.ts';
import type { InvoicesTexts } from './keys/invoices.ts';
import type { LinkTexts } from './keys/link.ts';
import type { MaintenanceTexts } from './keys/maintenance.ts';
import type { MenuTexts } from './keys/menu.ts';
import type { MovementsTexts } from './keys/movements.ts';
import type { NoticesTexts } from './keys/notices.ts';
import type { NotificationsTexts } from './keys/notifications.ts';
import type { OperationTexts } from './keys/operation.ts';
import type { OperationsTexts } from './keys/operations.ts';
import type { OperatorTexts } from './keys/operator.ts';
import type { PackagesTexts } from './keys/packages.ts';
import type { PageTexts } from './keys/page.ts';
import type { PeopleTexts } from './keys/people.ts';
import type { PricesTexts } from './keys/prices.ts';
import type { PrivacyTexts } from './keys/privacy.ts';
import type { ReportsTexts } from './keys/reports.ts';
import type { SettingsTexts } from './keys/settings.ts';
import type { SharedTexts } from './keys/shared.ts';
import type { SmartModeTexts } from './keys/smart-mode.ts';
import type { StateTexts } from './keys/state.ts';
import type { UnresolvedTexts } from './keys/unresolved.ts';
import type { WebhookLogTexts } from './keys/webhook-log.ts';
import type { WithdrawalTexts } from './keys/withdrawal.ts';

/** Every text that all languages have. Made by `npm run texts`. */
export interface TextKeys
  extends AccountTexts,
    ActivationTexts,
    AddressesTexts,
    AdminTexts,
    AdminLogTexts,
    AnnouncementsTexts,
    BandwidthTexts,
    BroadcastMakingTexts,
    BroadcastProgressTexts,
    DepositTexts,
    EnergyTexts,
    EventsTexts,
    ForgetTexts,
    HelpTexts,
    HistoryTexts,
    InvoiceTexts,
    InvoicesTexts,
    LinkTexts,
    MaintenanceTexts,
    MenuTexts,
    MovementsTexts,
    NoticesTexts,
    NotificationsTexts,
    OperationTexts,
    OperationsTexts,
    OperatorTexts,
    PackagesTexts,
    PageTexts,
    PeopleTexts,
    PricesTexts,
    PrivacyTexts,
    ReportsTexts,
    SettingsTexts,
    SharedTexts,
    SmartModeTexts,
    StateTexts,
    UnresolvedTexts,
    WebhookLogTexts,
    WithdrawalTexts {}

export type TextKey = keyof TextKeys;
