import { z } from 'zod';
import { activation } from '../responses/activation.ts';
import { bandwidthOrder } from '../responses/bandwidth-order.ts';
import { depositInfo } from '../responses/deposit-info.ts';
import { depositRecord } from '../responses/deposit-record.ts';
import { endedOrder } from '../responses/ended-order.ts';
import { energyOrder } from '../responses/energy-order.ts';
import { createdInvoice, invoice } from '../responses/invoice.ts';
import { packageTiers } from '../responses/package-tiers.ts';
import { prices } from '../responses/prices.ts';
import { profile } from '../responses/profile.ts';
import { rateLimited, refusal } from '../responses/refusal.ts';
import {
  activatedSubscription,
  deactivatedSubscription,
  subscription,
} from '../responses/smart-mode-subscription.ts';
import { smartModeTransfer } from '../responses/smart-mode-transfer.ts';
import { webhookConfiguration } from '../responses/webhook-configuration.ts';
import { webhookLogEntry } from '../responses/webhook-log-entry.ts';
import { withdrawal } from '../responses/withdrawal.ts';

/** Schemas of responses and event data, by their names in the OpenAPI document. */
export const resources = {
  Activation: activation,
  BandwidthOrder: bandwidthOrder,
  CreatedInvoice: createdInvoice,
  DepositInfo: depositInfo,
  DepositRecord: depositRecord,
  EndedOrder: endedOrder,
  EnergyOrder: energyOrder,
  Invoice: invoice,
  PackageTiers: packageTiers,
  Prices: prices,
  Profile: profile,
  SmartModeTransfer: smartModeTransfer,
  Subscription: subscription,
  ActivatedSubscription: activatedSubscription,
  DeactivatedSubscription: deactivatedSubscription,
  WebhookConfiguration: webhookConfiguration,
  WebhookLogEntry: webhookLogEntry,
  Withdrawal: withdrawal,
  Refusal: refusal,
  RateLimited: rateLimited,
} satisfies Record<string, z.ZodType>;

export type ResourceName = keyof typeof resources;

/** Returns a reference to a resource. */
export function reference(name: ResourceName) {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns the JSON Schema of a resource for OpenAPI 3.1. */
export function resourceSchema(name: ResourceName) {
  return withoutDialect(z.toJSONSchema(resources[name]));
}

/** Returns the JSON Schema of a request body, before it is transformed. */
export function bodySchema(body: z.ZodType) {
  return withoutDialect(z.toJSONSchema(body, { io: 'input' }));
}

function withoutDialect({ $schema: _, ...schema }: z.core.JSONSchema.JSONSchema) {
  return schema;
}
