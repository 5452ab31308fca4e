import { describe, expect, test } from 'vitest';
import { endpoints } from '../../../../src/sandbox/rental/endpoints.ts';
import { codes, openApiDocument, operations } from '../../../../src/sandbox/rental/openapi.ts';

/** Endpoints of section 4, with the requests per minute of section 8. */
const SPECIFIED: [method: string, path: string, perMinute: number][] = [
  ['post', '/api/v1/energy/buy', 30],
  ['post', '/api/v1/bandwidth/buy', 30],
  ['post', '/api/v1/energy/activate', 60],
  ['post', '/api/v1/invoices', 20],
  ['get', '/api/v1/invoices/{invoice_id}', 60],
  ['post', '/api/v1/smart-mode/activate', 10],
  ['get', '/api/v1/smart-mode/subscriptions', 60],
  ['post', '/api/v1/smart-mode/{subscription_id}/toggle', 60],
  ['post', '/api/v1/smart-mode/{subscription_id}/deactivate', 60],
  ['get', '/api/v1/transfer-packages/tiers', 60],
  ['get', '/api/v1/account/profile', 60],
  ['get', '/api/v1/account/deposit', 60],
  ['get', '/api/v1/account/deposits', 60],
  ['post', '/api/v1/account/withdrawal', 1],
  ['get', '/api/v1/account/withdrawals', 60],
  ['post', '/api/v1/webhooks/configure', 60],
  ['get', '/api/v1/webhooks/logs', 60],
  ['get', '/api/v1/prices', 60],
];

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

const document = JSON.parse(JSON.stringify(openApiDocument(endpoints)));
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
    method,
    path,
    operation['x-requests-per-minute'],
  ]);
  expect(found.sort()).toEqual([...SPECIFIED].sort());
  expect(endpoints.map(({ name }) => name.replace(' ', ' /api/v1')).sort()).toEqual(
    described.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort(),
  );
});

test('detects an endpoint without a description', () => {
  const [first] = endpoints;
  expect(first && (() => openApiDocument([{ ...first, name: 'GET /new' }]))).toThrow('GET /new');
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

describe.each(described)('$method $path', ({ path, method, operation }) => {
  const statuses = Object.keys(operation.responses);

  test('declares its path parameters as numbers', () => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(operation.parameters ?? []).toEqual(
      names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'integer', minimum: 0 } })),
    );
  });

  test('has a body if the specification has one', () => {
    const bodies = /(buy|activate|invoices|withdrawal|configure)$/;
    const wanted = method === 'post' && bodies.test(path) && !/\/(toggle|deactivate)$/.test(path);
    expect(operation.requestBody !== undefined).toBe(wanted);
    if (!operation.requestBody) return;
    const { schema } = operation.requestBody.content['application/json'] ?? {};
    expect(operation.requestBody.required).toBe(true);
    expect(schema).toMatchObject({
      type: 'object',
      properties: expect.any(Object),
      required: expect.any(Array),
    });
  });

  test('documents 200, 401 and 429, and 422 if there is an input', () => {
    expect(statuses).toEqual(expect.arrayContaining(['200', '401', '429']));
    const canBeWrong = operation.requestBody !== undefined || operation.parameters !== undefined;
    expect(statuses.includes('422')).toBe(canBeWrong);
  });

  test('has a description, the three headers and JSON in every response', () => {
    for (const [status, response] of Object.entries(operation.responses)) {
      expect(status).toMatch(/^(200|4\d\d)$/);
      expect(response.description).toMatch(/./);
      expect(Object.keys(response.headers)).toEqual([
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'X-RateLimit-Reset',
      ]);
      expect(Object.keys(response.content)).toEqual(['application/json']);
    }
  });
});

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

test('contains the limits of section 8 in the bodies', () => {
  const fieldsOf = (path: string) =>
    document.paths[path].post.requestBody.content['application/json'].schema.properties;
  const energy = { minimum: 32_000, maximum: 5_000_000 };
  expect(fieldsOf('/api/v1/energy/buy')).toMatchObject({
    energy_amount: energy,
    duration_hours: { enum: [1, 24] },
  });
  expect(fieldsOf('/api/v1/invoices')).toMatchObject({
    energy_amount: energy,
    transfer_count: { minimum: 1, maximum: 100 },
    duration_hours: { enum: [1, 24] },
  });
  expect(fieldsOf('/api/v1/bandwidth/buy')).toMatchObject({
    bandwidth_amount: { minimum: 350, maximum: 100_000 },
  });
  expect(fieldsOf('/api/v1/smart-mode/activate')).toMatchObject({ bw_guarantee: { default: true } });
});

test('uses every error code in an endpoint', () => {
  const told = Object.values(operations).flatMap(({ refusals }) => Object.values(refusals ?? {}).flat());
  expect([...new Set(told)].sort()).toEqual(Object.keys(codes).sort());
});

type Node = Record<string, unknown>;

function walk(node: unknown, visit: (node: Node) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) visit(node as Node);
  for (const child of Object.values(node)) walk(child, visit);
}
