import { type CardContext, operationCard } from '../../src/operations/card.ts';
import { createKinds, type OperationRequest } from '../../src/operations/kinds/kind.ts';
import {
  createOperationSchema,
  type Operation,
  refusalSchema,
  type SentOperation,
} from '../../src/operations/operation.ts';
import { KINDS } from '../../src/operations/operations.ts';
import type { View } from '../../src/views/view.ts';
import { TEXTS } from '../support/texts.ts';
import { ENERGY, START, USER } from './operations-setup.ts';
import { ACCOUNT, ADDRESS, HASH } from './rental-stand-in.ts';

export { ADDRESS };
export const en = TEXTS.in('en');
export const IN_FOURS = 'TR7N Hqje KQxG TCi8 q8ZY 4pL8 otSz gjLj 6t';
/** Similar address with the same first and last characters, in groups of four. */
export const ALMOST = 'TR7N Hxxx xxxx xxxx xxxx xxxx xxxx xxLj 6t';
export const SUPPORT = 'https://support.example/';
export const NUMBER = 'ABCD1234';
/** A request of each kind, in the order of `KINDS`. */
export const REQUESTS = KINDS.map(({ sample }) => sample);
type Fields<State extends Operation['state']> = Partial<
  Omit<Extract<Operation, { state: State }>, 'state' | 'receipt' | 'attempt'>
>;

/** Fields of an operation that a test can set. Those that don't belong to the operation's state are left out. */
export type OperationFields = Fields<'done'> &
  Fields<'refused'> & {
    receipt?: Partial<Operation['receipt']>;
    attempt?: Partial<SentOperation['attempt']>;
  };

/** Fields of an operation with their longest values. */
export const LONG: OperationFields = {
  estimate: '99999999.999999',
  balance: '0.000001',
  warnings: { lookalike: ALMOST.replaceAll(' ', ''), like: 'WXYZ9876', voided: 'WXYZ9876' },
  result: {
    order: Number.MAX_SAFE_INTEGER,
    status: 'x'.repeat(100),
    price: '1',
    txHash: HASH,
    transferFee: '99999999.999999',
    balanceLeft: '1',
  },
  refusal: { reason: 'other', code: 'C'.repeat(64), seconds: 99_999 },
  search: { count: 1_000, balance: 'moved', over: true, at: START },
};

const kinds = createKinds(KINDS);
const schema = createOperationSchema(kinds);
/** States of an operation, except `void`. */
export const STATES = schema.options
  .flatMap(({ shape }): Operation['state'][] => [...shape.state.values])
  .filter((one) => one !== 'void');
export const REASONS = refusalSchema.shape.reason.options;
export const kindOf = (request: OperationRequest) => kinds.of(request);
export const ABOUT: CardContext = { kind: kindOf(ENERGY), reported: false, supportUrl: SUPPORT, now: START };

/** Returns an energy purchase in this state. */
export function operationIn<State extends Operation['state']>(
  state: State,
  { receipt, attempt, ...more }: OperationFields = {},
) {
  return schema.parse({
    id: NUMBER,
    user: USER,
    account: ACCOUNT,
    language: 'en',
    request: ENERGY,
    warnings: {},
    epoch: 'first',
    state,
    createdAt: START,
    expiresAt: START,
    claimedAt: START,
    settledAt: START,
    result: {},
    refusal: { reason: 'other', code: '', seconds: 0 },
    receipt: { late: false, revision: 2, notified: 1, ...receipt },
    attempt: { sentAt: START, ...attempt },
    ...more,
  }) as Extract<Operation, { state: State }>;
}

/** Returns the English card of an operation in this state. */
export function card(state: Operation['state'], more: OperationFields = {}, reported = false): View {
  const operation = operationIn(state, more);
  return operationCard(en, operation, { ...ABOUT, kind: kindOf(operation.request), reported });
}
