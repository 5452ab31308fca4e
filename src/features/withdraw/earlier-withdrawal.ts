import type { Payer } from '../../bot/context.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import {
  type EarlierWithdrawal,
  type WithdrawalRequest,
  withdrawal,
} from '../../operations/kinds/withdrawal.ts';
import { isUnresolved, type Operation } from '../../operations/operation.ts';
import { orTimeout } from '../../platform/async.ts';
import { DAY_MS } from '../../platform/clock.ts';
import type { Withdrawal } from '../../rental-api/schemas.ts';

/** Number of the user's latest withdrawals that are searched. */
const LATEST_READ = 10;
const READ_TIMEOUT_MS = 5_000;
/** Age up to which another withdrawal may be a repetition, in milliseconds. */
const RECENT_MS = DAY_MS;

interface Found {
  id?: number | undefined;
  state: 'pending' | 'sent' | 'uncertain';
  trx: string;
  /** Epoch milliseconds. */
  at: number;
  isOwn: boolean;
}

/**
 * Returns what is known of earlier withdrawals from the account to the address. The service's list has those of all holders,
 * also from before the account was linked. The user's operations have those that aren't listed yet.
 */
export async function findEarlierWithdrawal(
  { operations, now }: Pick<FeatureDeps, 'operations' | 'now'>,
  { user, account, read }: Payer,
  address: string,
): Promise<EarlierWithdrawal> {
  const [list, { operations: latest }] = await Promise.all([
    orTimeout(
      read((reads) => reads.withdrawals()),
      READ_TIMEOUT_MS,
    ),
    operations.history.page(user, { size: LATEST_READ, kind: withdrawal.name }),
  ]);
  const own = latest
    .filter((one) => one.account === account && withdrawal.target(requestOf(one)) === address)
    .flatMap(ownFound);
  const isListed = list?.kind === 'accepted';
  const listed = (isListed ? list.value : [])
    .filter((one) => one.to_address === address && one.status !== 'failed')
    .map((one) => listedFound(one, own));
  const ids = new Set(listed.map(({ id }) => id));
  const found = [...listed, ...own.filter(({ id }) => id === undefined || !ids.has(id))];
  const [newest] = found.toSorted((one, other) => other.at - one.at);
  if (newest === undefined) return isListed ? 'none' : 'unread';
  const { state, trx, at, isOwn } = newest;
  const ageMs = Math.max(0, now() - at);
  return ageMs < RECENT_MS || (state !== 'sent' && at > 0) ? { state, trx, ageMs, isOwn } : 'before';
}

const requestOf = ({ request }: Operation): WithdrawalRequest => withdrawal.request.parse(request);

function ownFound(operation: Operation): Found[] {
  const { trx } = requestOf(operation);
  if (isUnresolved(operation)) return [{ state: 'uncertain', trx, at: operation.claimedAt, isOwn: true }];
  if (operation.state !== 'done' || operation.result.status === 'failed') return [];
  const { order: id, status } = operation.result;
  return [
    { id, state: status === 'pending' ? 'pending' : 'sent', trx, at: operation.claimedAt, isOwn: true },
  ];
}

function listedFound(
  { id, status, amount_trx: trx, created_at: at }: Withdrawal,
  own: readonly Found[],
): Found {
  return {
    id,
    state: status === 'pending' ? 'pending' : 'sent',
    trx,
    at: at === undefined ? 0 : Date.parse(at),
    isOwn: own.some((one) => one.id === id),
  };
}
