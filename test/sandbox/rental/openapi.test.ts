import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../../src/rental-api/endpoints.ts';
import { createClock } from '../../../src/sandbox/clock.ts';
import { codes } from '../../../src/sandbox/rental/api-error.ts';
import { endpoints } from '../../../src/sandbox/rental/endpoints.ts';
import { openApiDocument } from '../../../src/sandbox/rental/openapi.ts';
import { createRentalSandbox } from '../../../src/sandbox/rental/rental-sandbox.ts';
import { demoSeed } from '../../../src/sandbox/rental/state.ts';
import { endpoints as specified, UNKNOWN_ID } from '../conformance/endpoints.ts';
import { ADDRESS, expectDocumented, ORDER, serveRental } from './rental-server.ts';

/** Names of the endpoints in the specification's form, with ids in the place of path parameters. */
const nameIn = (method: string, path: string) =>
  `${method.toUpperCase()} ${path.replace('/api/v1', '').replace(/\{\w+\}/, String(UNKNOWN_ID))}`;

interface Described {
  operationId: string;
  tags: string[];
  summary: string;
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<
    string,
    { description: string; headers: object; content: Record<string, { schema: object }> }
  >;
  'x-requests-per-minute': number;
}
const document = JSON.parse(JSON.stringify(openApiDocument()));
const described = Object.entries(document.paths as Record<string, Record<string, Described>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

test('is an OpenAPI 3.1 document with all required parts', () => {
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { title: expect.stringMatching(/./), version: expect.stringMatching(/./) },
    servers: [{ url: '/' }],
  });
  const allowed = ['openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components', 'webhooks'];
  expect(Object.keys(document).filter((name) => !allowed.includes(name))).toEqual([]);
});

test('documents exactly the served endpoints, including all of the specification, with their limits', () => {
  const found = described.map(({ path, method, operation }) => [
    nameIn(method, path),
    operation['x-requests-per-minute'],
  ]);
  expect(found.sort(), 'src/sandbox/rental/endpoints.ts must define the endpoints of the client').toEqual(
    specified.map(({ method, path, perMinute }) => [`${method} ${path}`, perMinute]).sort(),
  );
  expect(endpoints.map(({ name }) => name.replace(' ', ' /api/v1')).sort()).toEqual(
    described.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort(),
  );
});

test('requires the key in X-API-Key everywhere', () => {
  expect(document.security).toEqual([{ apiKey: [] }]);
  expect(document.components.securitySchemes.apiKey).toEqual({
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
  });
});

test('gives operations unique names and listed tags', () => {
  const ids = described.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  const tags = document.tags.map(({ name }: { name: string }) => name);
  for (const { operation } of described) expect(tags).toEqual(expect.arrayContaining(operation.tags));
});

test.each(described)(
  'documents the input and the responses of $method $path',
  ({ path, method, operation }) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(operation.parameters ?? []).toEqual(
      names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'integer', minimum: 0 } })),
    );
    const one = specified.find((each) => `${each.method} ${each.path}` === nameIn(method, path));
    expect(operation.requestBody !== undefined).toBe(one?.body !== undefined);
    if (operation.requestBody) {
      const { schema } = operation.requestBody.content['application/json'] ?? {};
      expect(operation.requestBody.required).toBe(true);
      const parts = { properties: expect.any(Object), required: expect.any(Array) };
      expect(schema).toMatchObject({ type: 'object', ...parts });
    }
    const statuses = Object.keys(operation.responses);
    expect(statuses).toEqual(expect.arrayContaining(['200', '401', '429']));
    const canBeWrong = operation.requestBody !== undefined || operation.parameters !== undefined;
    expect(statuses.includes('422')).toBe(canBeWrong);
    for (const [status, response] of Object.entries(operation.responses)) {
      expect(status).toMatch(/^(200|4\d\d)$/);
      expect(response.description).toMatch(/./);
      const limits = ['Limit', 'Remaining', 'Reset'].map((name) => `X-RateLimit-${name}`);
      expect(Object.keys(response.headers)).toEqual(limits);
      expect(Object.keys(response.content)).toEqual(['application/json']);
    }
  },
);

test('resolves every reference and uses every component', () => {
  const referred = new Set<string>();
  walk(document, ({ $ref }) => {
    if (typeof $ref === 'string') referred.add($ref);
  });
  const { schemas, headers } = document.components;
  const offered = [
    ...Object.keys(schemas).map((name) => `#/components/schemas/${name}`),
    ...Object.keys(headers).map((name) => `#/components/headers/${name}`),
  ];
  expect([...referred].sort()).toEqual(offered.sort());
});

test('uses JSON Schema 2020-12, with listed fields in every object and no dialect', () => {
  const types = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'];
  walk(document.components.schemas, (node) => {
    expect(node).not.toHaveProperty('$schema');
    expect(node).not.toHaveProperty('nullable');
    if (typeof node.type === 'string') expect(types).toContain(node.type);
    if (node.type === 'array') expect(node.items).toEqual(expect.any(Object));
    if (Array.isArray(node.required)) {
      expect(Object.keys(node.properties ?? {})).toEqual(expect.arrayContaining(node.required));
    }
  });
});

test('uses every error code in an endpoint', () => {
  const told = endpoints.flatMap(({ refusals }) => Object.values(refusals ?? {}).flat());
  expect([...new Set(told)].sort()).toEqual(Object.keys(codes).sort());
});
type Node = Record<string, unknown>;
function walk(node: unknown, visit: (node: Node) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) visit(node as Node);
  for (const child of Object.values(node)) walk(child, visit);
}

const sandbox = () => createRentalSandbox({ clock: createClock() });

test('is served without a key', async () => {
  const response = await sandbox().api.request('/openapi.json');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch('application/json');
  expect(await response.json()).toMatchObject({ openapi: '3.1.0' });
});

test.each([
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/docs.css', 'text/css; charset=utf-8'],
  ['/docs/docs.js', 'text/javascript; charset=utf-8'],
  ['/docs/schema.js', 'text/javascript; charset=utf-8'],
])('serves %s as %s without access to other origins', async (path, type) => {
  const response = await sandbox().api.request(path);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(type);
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await response.text()).not.toMatch(/https?:\/\//);
});

test.each(['/docs/', '/docs/routes.ts', '/docs/../routes.ts', '/docs/none.js'])(
  'does not serve %s',
  async (path) => {
    expect((await sandbox().api.request(path)).status).toBe(404);
  },
);

const BROKEN = 'TKVSaJQDWeKFSEXmA44pjxduGTxy999999';
const {
  packages: [PACKAGE] = [],
  accounts: [SMART_MODE],
} = demoSeed();
const withdrawal = { to_address: ADDRESS, amount_trx: '5' };
/** Refusals that need a day to pass or a changed file. */
const SEEN_IN_SMART_MODE_TEST = ['INSUFFICIENT_BALANCE', 'PACKAGE_CONFLICT'].map(
  (code) => `POST /smart-mode/{subscription_id}/toggle → ${code}`,
);

/** Opens a visitor that sends requests, checks the responses against the document and records them. */
async function visitor() {
  const rental = await serveRental();
  const seen = new Set<string>();
  const visit = async (name: string, asked: { id?: number; key?: string; body?: unknown } = {}) => {
    const { id, ...more } = asked;
    const [method = '', path = ''] = name.replace(/\{\w+\}/, String(id)).split(' ');
    const { status, json } = await rental.ask<Record<string, unknown>>(method, path, more);
    const detail = json.detail as { error?: { code: string } } | undefined;
    seen.add(`${name} → ${detail?.error?.code ?? status}`);
    return json;
  };
  return { rental, seen, visit };
}

test('rejects requests for every documented reason', async () => {
  const { rental, seen, visit } = await visitor();
  await visit('POST /smart-mode/activate', { body: { address: SMART_MODE?.chain_address } });

  for (const { path, sample } of Object.values(ENDPOINTS)) {
    const body = sample.request;
    if (body === undefined || !('address' in body)) continue;
    const name = `POST ${path}`;
    await visit(name, { key: 'empty-key', body });
    for (const address of [body.address, body.address, BROKEN, PACKAGE?.address, SMART_MODE?.chain_address])
      await visit(name, { body: { ...body, address } });
  }

  const [subscription] = (await visit('GET /smart-mode/subscriptions')) as unknown as { id: number }[];
  for (const action of ['toggle', 'deactivate']) {
    const name = `POST /smart-mode/{subscription_id}/${action}`;
    await visit(name, { id: subscription?.id, key: 'merchant-key' });
    await visit(name, { id: subscription?.id });
    await visit(name, { id: subscription?.id });
  }
  await visit('POST /smart-mode/{subscription_id}/toggle', { id: subscription?.id });

  await visit('GET /invoices/{invoice_id}', { id: 99 });

  const withdraw = async (key: string, body: object) => {
    await visit('POST /account/withdrawal', { key, body });
    rental.clock.advance(61_000);
  };
  await withdraw('demo-key', { ...withdrawal, to_address: BROKEN });
  await withdraw('demo-key', { ...withdrawal, amount_trx: '100000' });
  await withdraw('totp-key', withdrawal);
  await withdraw('totp-key', { ...withdrawal, totp_code: '000000' });

  const documented = endpoints.flatMap(({ name, refusals }) =>
    Object.values(refusals ?? {}).flatMap((codes) => codes.map((code) => `${name} → ${code}`)),
  );
  const unseen = documented.filter((one) => !seen.has(one) && !SEEN_IN_SMART_MODE_TEST.includes(one));
  expect(
    unseen,
    "Cause each of these `refusals`: by the endpoint's sample with another address, or with a `visit` here",
  ).toEqual([]);
});

test('detects a response that is not documented', () => {
  const order = { order_id: 1, ...ORDER, price_trx: '2.32', status: 'pending' };
  const check =
    (json: unknown, status = 200) =>
    () =>
      expectDocumented('POST', '/energy/buy', { status, json });
  const refusal = (code: string) => ({ detail: { error: { code, message: '' } } });
  check(order)();
  check(refusal('INSUFFICIENT_BALANCE'), 400)();
  expect(check({ ...order, more: 1 })).toThrow('more');
  expect(check({ ...order, price_trx: 2.32 })).toThrow('price_trx');
  expect(check(refusal('INVOICE_NOT_FOUND'), 400)).toThrow('INVOICE_NOT_FOUND');
  expect(check({ error: 'no' }, 422)).toThrow('error');
});
