import { expect } from 'vitest';
import { endpoints } from '../../../src/sandbox/rental/endpoints.ts';
import { operations, resources } from '../../../src/sandbox/rental/openapi.ts';

/**
 * Throws unless a response matches the OpenAPI document of its endpoint: status, code and every field. Unknown paths
 * and responses to faults aren't checked.
 */
export function expectDocumented(
  method: string,
  path: string,
  { status, json }: { status: number; json: unknown },
) {
  const name = nameOf(method, path);
  const operation = operations[name];
  const where = `${name} → ${status} ${JSON.stringify(json)}`;
  if (!operation || status >= 500) return;
  if (status === 200) {
    const { answer, list } = operation;
    const schema = list ? resources[answer].array() : resources[answer];
    expect(schema.safeParse(json).error?.issues, where).toBeUndefined();
    return;
  }
  const { data, error } = resources[status === 429 ? 'RateLimited' : 'Refusal'].safeParse(json);
  expect(error?.issues, where).toBeUndefined();
  const code = typeof data?.detail === 'object' ? data.detail.error.code : undefined;
  const told: Record<string, readonly (string | undefined)[] | undefined> = {
    401: ['INVALID_API_KEY'],
    422: [undefined],
    429: [undefined],
    ...operation.refusals,
  };
  expect(told[status], where).toContain(code);
}

/** Returns the name of an endpoint, for example `GET /invoices/{invoice_id}` for `GET` and `/invoices/7`. */
function nameOf(method: string, path: string): string {
  const [bare = ''] = path.split('?');
  const fits = (name: string) =>
    new RegExp(`^${name.replace(/\{\w+\}/g, '[^/]+')}$`).test(`${method} ${bare}`);
  return endpoints.find(({ name }) => fits(name))?.name ?? `${method} ${bare}`;
}
