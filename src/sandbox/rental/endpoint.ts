import type { HonoRequest } from 'hono';
import type { z } from 'zod';
import type { Accounts } from './accounts.ts';
import type { Activation } from './activation.ts';
import type { Books } from './books.ts';
import type { Chain } from './chain.ts';
import type { Deposits } from './deposits.ts';
import { readBody } from './fields.ts';
import type { Invoices } from './invoices.ts';
import type { Orders } from './orders.ts';
import { type PathParams, readParams, routePath } from './path-params.ts';
import type { SecondFactor } from './second-factor.ts';
import type { SmartMode } from './smart-mode.ts';
import type { Account } from './state.ts';
import type { Webhooks } from './webhooks.ts';
import type { Withdrawals } from './withdrawals.ts';
import type { World } from './world.ts';

/** The parts of the rental service, for endpoints and the control side to act on. */
export interface RentalParts {
  world: World;
  chain: Chain;
  books: Books;
  accounts: Accounts;
  orders: Orders;
  deposits: Deposits;
  withdrawals: Withdrawals;
  activation: Activation;
  secondFactor: SecondFactor;
  invoices: Invoices;
  smartMode: SmartMode;
  webhooks: Webhooks;
}

/** One endpoint of section 4. */
export interface Endpoint {
  /** The specification's short form: `POST /energy/buy`, `GET /invoices/{invoice_id}`. */
  name: string;
  method: 'GET' | 'POST';
  /** As the router takes it: `/invoices/:invoice_id`. */
  path: string;
  /** Section 8. */
  perMinute: number;
  /** The rules of the body, where there is one. */
  body?: z.ZodType;
  /** Does what the account asks; the value is sent as JSON. @throws Refusal */
  answer(account: Account, request: HonoRequest, parts: RentalParts): Promise<object> | object;
}

interface Call<Path extends string> {
  account: Account;
  parts: RentalParts;
  /** The numbers that stand for the names in the path's braces. */
  params: PathParams<Path>;
}

const PER_MINUTE = 60;

/** An endpoint that reads. */
export function get<Path extends string>(path: Path, answer: (call: Call<Path>) => object): Endpoint {
  return {
    name: `GET ${path}`,
    method: 'GET',
    path: routePath(path),
    perMinute: PER_MINUTE,
    answer: (account, request, parts) => answer({ account, parts, params: readParams(path, request) }),
  };
}

/** An endpoint with a body, checked before `answer` is called; `answer` itself never waits, so nothing comes between. */
export function post<Path extends string, Body>(
  path: Path,
  { body, perMinute = PER_MINUTE }: { body: z.ZodType<Body>; perMinute?: number },
  answer: (call: Call<Path> & { body: Body }) => object,
): Endpoint {
  return {
    name: `POST ${path}`,
    method: 'POST',
    path: routePath(path),
    perMinute,
    body,
    answer: async (account, request, parts) =>
      answer({ account, parts, params: readParams(path, request), body: await readBody(request, body) }),
  };
}

/** An endpoint that acts, and has no body: one that is sent is not read. */
export function postWithoutBody<Path extends string>(
  path: Path,
  answer: (call: Call<Path>) => object,
): Endpoint {
  return { ...get(path, answer), name: `POST ${path}`, method: 'POST' };
}
