import { type Context, Hono } from 'hono';
import type { Endpoint, RentalParts } from './endpoint.ts';
import { endpoints } from './endpoints/endpoints.ts';
import { answerWithFault } from './fault-answers.ts';
import type { Faults } from './faults.ts';
import { type RateLimits, rateLimitDetail, rateLimitHeaders } from './rate-limits.ts';
import { answerRefusal, coded, Refusal } from './refusal.ts';

/** Endpoint for unknown paths. */
const nowhere: Omit<Endpoint, 'method' | 'path'> = {
  name: '*',
  perMinute: 60,
  answer() {
    throw new Refusal(404, 'Not Found');
  },
};

/** Creates the specification's endpoints below `/v1`. Checks each request for a fault, then key, rate limit and body. */
export function createApi(deps: { parts: RentalParts; limits: RateLimits; faults: Faults }): Hono {
  const { parts, limits, faults } = deps;

  const execute = async (c: Context, endpoint: typeof nowhere) => {
    const account = parts.accounts.byKey(c.req.header('X-API-Key'));
    const allowance = account ? limits.take(account.key, endpoint) : limits.look(undefined, endpoint);
    for (const [name, value] of rateLimitHeaders(allowance)) c.header(name, value);
    try {
      if (!account)
        throw new Refusal(401, coded('INVALID_API_KEY', 'The X-API-Key header carries no known key'));
      if (!allowance.granted) throw new Refusal(429, rateLimitDetail(allowance.reset));
      return c.json(await endpoint.answer(account, c.req, parts));
    } catch (error) {
      return answerRefusal(error, c);
    }
  };

  const serve = (endpoint: typeof nowhere) => (c: Context) => {
    const fault = faults.take(endpoint.name);
    if (!fault) return execute(c, endpoint);
    return answerWithFault({
      c,
      fault,
      allowance: limits.look(c.req.header('X-API-Key'), endpoint),
      life: parts.world.life,
      execute: () => execute(c, endpoint),
    });
  };

  const api = new Hono();
  for (const endpoint of endpoints) api.on(endpoint.method, `/v1${endpoint.path}`, serve(endpoint));
  api.all('/v1/*', serve(nowhere));
  return api;
}
