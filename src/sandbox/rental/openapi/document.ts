import type { Endpoint } from '../endpoint.ts';
import { webhooks } from './events.ts';
import { codes, type Operation, operations } from './operations.ts';
import { bodySchema, type ResourceName, reference, resourceSchema, resources } from './resources.ts';

const integer = { type: 'integer', minimum: 0 };

/** Headers of every response (section 8). */
const headers = {
  'X-RateLimit-Limit': { description: 'Requests allowed in a minute.', schema: integer },
  'X-RateLimit-Remaining': { description: 'Requests left in this minute.', schema: integer },
  'X-RateLimit-Reset': { description: 'Seconds until the minute is over.', schema: integer },
};

/** Creates the OpenAPI 3.1 document. @throws RangeError if an endpoint has no entry in `operations`. */
export function openApiDocument(endpoints: readonly Endpoint[]) {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const operation = operations[endpoint.name];
    if (!operation) throw new RangeError(`${endpoint.name} isn't among the operations`);
    const path = `/api/v1${pathOf(endpoint)}`;
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describe(endpoint, operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Energy and bandwidth rental service (sandbox)',
      version: '1',
      description:
        'The simulated service, as it answers. What the specification does not show is listed in src/sandbox/README.md.',
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(Object.values(operations).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks: webhooks(),
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      headers,
      schemas: Object.fromEntries(
        Object.keys(resources).map((name) => [name, resourceSchema(name as ResourceName)]),
      ),
    },
  };
}

function describe(endpoint: Endpoint, { id, tag, summary, description, answer, list, refusals }: Operation) {
  const params = [...pathOf(endpoint).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: integer,
  }));
  const schema = reference(answer);
  const refused = Object.entries(refusals ?? {}).map(([status, reasons]) => [
    status,
    response('Refusal', reasons.map((code) => `\`${code}\`: ${codes[code]}`).join('; ')),
  ]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    'x-requests-per-minute': endpoint.perMinute,
    ...(params.length > 0 && { parameters: params }),
    ...(endpoint.body && {
      requestBody: { required: true, content: { 'application/json': { schema: bodySchema(endpoint.body) } } },
    }),
    responses: {
      200: answerOf(list ? { type: 'array', items: schema } : schema, 'Done'),
      ...Object.fromEntries(refused),
      401: response('Refusal', '`INVALID_API_KEY`: the key is missing or unknown'),
      ...((endpoint.body || params.length > 0) && {
        422: response('Refusal', 'A field is missing or breaks its rule; the words name it'),
      }),
      429: response('RateLimited', 'The limit of this minute is used up'),
    },
  };
}

function response(name: ResourceName, description: string) {
  return answerOf(reference(name), description);
}

function answerOf(schema: object, description: string) {
  return {
    description,
    headers: Object.fromEntries(
      Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    content: { 'application/json': { schema } },
  };
}

/** Returns the endpoint's path with parameters in braces. */
function pathOf({ name, method }: Endpoint): string {
  return name.slice(method.length + 1);
}
