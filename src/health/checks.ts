import type { Check } from './check.ts';
import { STORAGE, type StorageCheckDeps } from './checks/storage.ts';
import { WEBHOOK, type WebhookCheckDeps } from './checks/webhook.ts';

/** Dependencies of all checks. */
export type HealthDeps = StorageCheckDeps & WebhookCheckDeps;
/** Check with any problems. */
// biome-ignore lint/suspicious/noExplicitAny: the problems of a check are the parameter of its `repair`.
export type AnyCheck = Check<HealthDeps, any>;

/** All health checks, in the order in which they are shown. */
export const CHECKS: readonly AnyCheck[] = [STORAGE, WEBHOOK];
