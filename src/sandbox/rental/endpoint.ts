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

/** Parts of the rental service that endpoints and the control API use. */
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

/** Endpoint of section 4. */
export interface Endpoint {
  /** Name in the specification's short form: `POST /energy/buy`, `GET /invoices/{invoice_id}`. */
  name: string;
  method: 'GET' | 'POST';
  /** Path in the router's syntax: `/invoices/:invoice_id`. */
  path: string;
  /** Requests allowed per minute (section 8). */
  perMinute: number;
  /** Schema of the body, if the endpoint has one. */
  body?: z.ZodType;
  /** Executes the request. The returned value is sent as JSON. @throws Refusal */
  answer(account: Account, request: HonoRequest, parts: RentalParts): Promise<object> | object;
}

interface Call<Path extends string> {
  account: Account;
  parts: RentalParts;
  /** Values of the path's parameters. */
  params: PathParams<Path>;
}

const PER_MINUTE = 60;

/** Creates a GET endpoint. */
export function get<Path extends string>(path: Path, answer: (call: Call<Path>) => object): Endpoint {
  return {
    name: `GET ${path}`,
    method: 'GET',
    path: routePath(path),
    perMinute: PER_MINUTE,
    answer: (account, request, parts) => answer({ account, parts, params: readParams(path, request) }),
  };
}

/** Creates a POST endpoint with a body, which is validated first. `answer` is synchronous, so requests don't interleave. */
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

/** Creates a POST endpoint that ignores its body. */
export function postWithoutBody<Path extends string>(
  path: Path,
  answer: (call: Call<Path>) => object,
): Endpoint {
  return { ...get(path, answer), name: `POST ${path}`, method: 'POST' };
}
