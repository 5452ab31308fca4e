import { orTimeout } from '../../platform/async.ts';
import type { AccountReads } from '../../rental-api/account-reader.ts';
import { readServedTransfers, type ServedTransfer } from '../../rental-api/webhook.ts';

/** Maximum time to wait for the webhook log, in milliseconds. */
const TIMEOUT_MS = 2_000;

/**
 * Returns the transfers that Smart Mode has charged, as far as the account's webhook log contains them. `undefined` if the
 * log can't be read in time.
 */
export async function servedTransfers(reads: AccountReads): Promise<readonly ServedTransfer[] | undefined> {
  const log = await orTimeout(reads.webhookLogs(), TIMEOUT_MS);
  return log?.kind === 'accepted' ? readServedTransfers(log.value) : undefined;
}
