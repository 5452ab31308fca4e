import type { Rental } from '../rental/client.ts';
import { OPERATORS, type OperatorInvoices } from '../rental/operator-invoices.ts';
import type { Outcome } from '../rental/outcome.ts';
import type { Result } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { Operation } from './operation.ts';
import type { Prepared } from './prepare.ts';

const NOBODY_PAYS = {
  kind: 'not-sent',
  reason: 'offline',
  message: 'there is no account for it',
} satisfies Outcome<Result>;

export interface RequestDeps {
  kinds: Kinds;
  rental: Rental;
  operatorInvoices: OperatorInvoices | undefined;
}

/** The one request of an operation, on its account: of the operator's, by a client that can do nothing else. */
export function createRequest({ kinds, rental, operatorInvoices }: RequestDeps) {
  return async (
    { account, request }: Pick<Operation, 'account' | 'request'>,
    { apiKey, code }: Prepared,
  ): Promise<Outcome<Result>> => {
    const kind = kinds.of(request);
    if (account === OPERATORS)
      return (operatorInvoices && kind.asOperator?.(operatorInvoices, request)) ?? NOBODY_PAYS;
    return apiKey === undefined ? NOBODY_PAYS : kind.send(rental, apiKey, request, code);
  };
}
