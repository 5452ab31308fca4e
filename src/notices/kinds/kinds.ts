import type { z } from 'zod';
import { createAddressNotice } from './address.ts';
import { createBroadcastNotice } from './broadcast.ts';
import { depositNotice } from './deposit.ts';
import { createHolderWithdrawal } from './holder-withdrawal.ts';
import { hookNotice } from './hook.ts';
import { createHouseNotice } from './house.ts';
import type { NoticeKind } from './kind.ts';
import { lowBalanceNotice } from './low-balance.ts';
import { createOperatorNotice } from './operator.ts';
import { createReportsOffer } from './reports-offer.ts';
import { serviceEventNotice } from './service-event.ts';
import { smartModeNotice } from './smart-mode.ts';
import { createUnreadableRecordNotice } from './unreadable-record.ts';
import { withdrawalNotice } from './withdrawal.ts';

type Deps = Parameters<typeof createAddressNotice>[0] &
  Parameters<typeof createHolderWithdrawal>[0] &
  Parameters<typeof createHouseNotice>[0] &
  Parameters<typeof createOperatorNotice>[0] &
  Parameters<typeof createReportsOffer>[0] &
  Parameters<typeof createUnreadableRecordNotice>[0];

/** Everything that people are told in a message of its own. A further kind is its file and a line here. */
const listOf = (deps: Deps) =>
  [
    depositNotice,
    withdrawalNotice,
    createHolderWithdrawal(deps),
    createAddressNotice(deps),
    createHouseNotice(deps),
    createBroadcastNotice(deps),
    createOperatorNotice(deps),
    lowBalanceNotice,
    smartModeNotice,
    hookNotice,
    createReportsOffer(deps),
    serviceEventNotice,
    createUnreadableRecordNotice(deps),
  ] as const;

type Kind = ReturnType<typeof listOf>[number];

/** What is told: of each kind its own data. `id` names it within its kind; the same is told once. */
export type News = {
  [Name in Kind['name']]: {
    kind: Name;
    id: string;
    data: z.infer<Extract<Kind, { name: Name }>['data']>;
  };
}[Kind['name']];

export interface NoticeKinds {
  /** By the name that is stored; `undefined` where a newer version has kept one that isn't known here. */
  of(name: string): NoticeKind | undefined;
}

export function createNoticeKinds(deps: Deps): NoticeKinds {
  const kinds = listOf(deps) as readonly unknown[] as readonly NoticeKind[];
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  return { of: (name) => byName.get(name) };
}
