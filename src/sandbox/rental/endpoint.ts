import type { HonoRequest } from 'hono';
import type { z } from 'zod';
import type { Accounts } from './accounts.ts';
import type { Deposits } from './deposits.ts';
import { readBody } from './fields.ts';
import type { Orders } from './orders.ts';
import type { Account } from './state.ts';
import type { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

/** The parts of the rental service, for endpoints and the control side to act on. */
export interface RentalParts {
  world: World;
  accounts: Accounts;
  orders: Orders;
  deposits: Deposits;
  webhooks: Webhooks;
}

/** One endpoint of section 4. */
export interface Endpoint {
  /** The specification's short form: `POST /energy/buy`. */
  name: string;
  method: 'GET' | 'POST';
  path: string;
  /** Section 8. */
  perMinute: number;
  /** Does what the account asks; the value is sent as JSON. @throws Refusal */
  answer(account: Account, request: HonoRequest, parts: RentalParts): Promise<object> | object;
}

interface Call {
  account: Account;
  parts: RentalParts;
}

const PER_MINUTE = 60;

/** An endpoint that reads. */
export function get(path: string, answer: (call: Call) => object): Endpoint {
  return {
    name: `GET ${path}`,
    method: 'GET',
    path,
    perMinute: PER_MINUTE,
    answer: (account, _request, parts) => answer({ account, parts }),
  };
}

/** An endpoint with a body, checked before `answer` is called; `answer` itself never waits, so nothing comes between. */
export function post<Body>(
  path: string,
  { body, perMinute = PER_MINUTE }: { body: z.ZodType<Body>; perMinute?: number },
  answer: (call: Call & { body: Body }) => object,
): Endpoint {
  return {
    name: `POST ${path}`,
    method: 'POST',
    path,
    perMinute,
    answer: async (account, request, parts) =>
      answer({ account, parts, body: await readBody(request, body) }),
  };
}
