import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { formatTrx } from '../rental/money.ts';
import { changeRecord } from '../storage/change-record.ts';
import type { SignedRecords } from '../storage/signed-records.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { Operation } from './operation.ts';

const DAY_MS = 24 * 3600_000;

/** What the keys of what left within the day begin with. */
export const WITHDRAWN = 'withdrawn:';

const takenSchema = z.array(z.object({ operation: z.string(), trx: z.string(), until: z.number() }));
type Taken = z.infer<typeof takenSchema>;

/**
 * The most that leaves an account without two-factor codes within 24 hours, whoever confirms it. An operation takes its
 * part before its claim, for no longer than it could still be claimed; and again, for the day, before its request. What
 * may have left stays taken; only what came to nothing is given back.
 */
export interface DailyCap {
  /** TRX, decimal. */
  readonly trx: string;
  /** TRX, decimal: what is left of it now. */
  left(account: number): Promise<string>;
  /** Answers whether there was room; asked again for the same operation, its part is the same. */
  take(operation: Operation, until: 'decided' | 'next day'): Promise<boolean>;
  /** Gives back the part of what came to nothing: refused, or failed and given back by the service. */
  settle(operation: Operation): Promise<void>;
}

export function createDailyCap(deps: {
  records: SignedRecords;
  kinds: Kinds;
  trx: string;
  /** How long after its card's end a claim may still be committed. */
  commitMs: number;
  now: () => number;
}): DailyCap {
  const { records, kinds, trx, commitMs, now } = deps;
  const keyOf = (account: number) => `${WITHDRAWN}${account}`;

  function present(content: string | undefined): Taken {
    return content === undefined
      ? []
      : takenSchema.parse(JSON.parse(content)).filter(({ until }) => now() < until);
  }
  const restOf = (taken: Taken) => taken.reduce((rest, one) => rest.minus(one.trx), new BigNumber(trx));
  const nameOf = ({ user, id }: Operation) => `${user}/${id}`;

  return {
    trx: formatTrx(new BigNumber(trx)),
    async left(account) {
      const rest = restOf(present((await records.get(keyOf(account)))?.content));
      return formatTrx(BigNumber.max(rest, 0));
    },
    async take(operation, until) {
      const { account, request, expiresAt } = operation;
      const wanted = kinds.of(request).takesOut?.(request) ?? '0';
      const name = nameOf(operation);
      const lasts = until === 'decided' ? expiresAt + commitMs : now() + DAY_MS;
      let hasRoom = false;
      await changeRecord(
        records,
        keyOf(account),
        (content) => {
          const taken = present(content);
          const others = taken.filter((one) => one.operation !== name);
          hasRoom = restOf(others).gte(wanted);
          const before = taken.find((one) => one.operation === name)?.until ?? 0;
          // Never for a shorter time than it has already: it may have been sent.
          const part = { operation: name, trx: wanted, until: Math.max(before, lasts) };
          return JSON.stringify(hasRoom ? [...others, part] : taken);
        },
        { ttlMs: DAY_MS },
      );
      return hasRoom;
    },
    async settle(operation) {
      const { state, result, request } = operation;
      const isBack = state === 'refused' || (state === 'done' && result?.status === 'failed');
      if (!isBack || kinds.of(request).takesOut === undefined) return;
      const name = nameOf(operation);
      const without = (taken: Taken) => taken.filter((one) => one.operation !== name);
      const key = keyOf(operation.account);
      await changeRecord(records, key, (content) => JSON.stringify(without(present(content))), {
        ttlMs: DAY_MS,
      });
    },
  };
}
