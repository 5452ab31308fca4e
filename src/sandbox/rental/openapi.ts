import { z } from 'zod';
import { codes } from './api-error.ts';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import * as responses from './responses.ts';

/** Components of the document: the shared schemas, and the response of each endpoint under the endpoint's id. */
const NAMES = new Map<z.ZodType, string>([
  ...endpoints.map(({ id, response }) => [itemOf(response), capitalize(id)] as const),
  ...Object.entries(responses).map(([name, schema]) => [schema, name] as const),
]);

/** Returns the JSON Schema of a response: a reference to its component, or an array of them. */
function responseSchema(response: z.ZodType): object {
  if (response instanceof z.ZodArray) return { type: 'array', items: responseSchema(itemOf(response)) };
  return { $ref: `#/components/schemas/${NAMES.get(response)}` };
}

function itemOf(response: z.ZodType): z.ZodType {
  return response instanceof z.ZodArray ? (response.element as z.ZodType) : response;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the JSON Schema for OpenAPI 3.1. `input` is that of a value before it is transformed. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output' = 'output') {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}

/** Events with their cause and the type of `data`. Section 6 documents only the first. */
export const events: Readonly<Record<string, { when: string; data: z.ZodType }>> = {
  'order.filled': { when: 'An order becomes filled.', data: responses.EndedOrder },
  'order.failed': { when: 'An order becomes failed and is refunded.', data: responses.EndedOrder },
  'deposit.confirmed': { when: 'A deposit is credited.', data: responses.DepositRecord },
  'invoice.paid': { when: 'An invoice is paid in full.', data: responses.Invoice },
  'invoice.delegated': { when: 'The energy of an invoice is delegated.', data: responses.Invoice },
  'smart_mode.transfer': { when: 'Smart Mode served a transfer.', data: responses.SmartModeTransfer },
  'withdrawal.completed': { when: 'A withdrawal is sent.', data: responses.Withdrawal },
};

const signature = {
  name: 'X-Webhook-Signature',
  in: 'header',
  required: true,
  description: 'Lower-case hexadecimal HMAC-SHA256 of the raw body, keyed with the secret.',
  schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
};

/** Returns the `webhooks` object of the OpenAPI 3.1 document. */
function webhooks() {
  return Object.fromEntries(
    Object.entries(events).map(([name, { when, data }]) => [
      name,
      {
        post: {
          summary: when,
          parameters: [signature],
          requestBody: delivery(name, data),
          responses: ACCEPTED,
        },
      },
    ]),
  );
}

const ACCEPTED = { '2XX': { description: 'Accepted. Any other response is retried up to three times.' } };

function delivery(name: string, data: z.ZodType) {
  const schema = {
    type: 'object',
    properties: {
      event: { const: name },
      data: responseSchema(data),
      timestamp: { type: 'string', format: 'date-time' },
    },
    required: ['event', 'data', 'timestamp'],
  };
  return { required: true, content: { 'application/json': { schema } } };
}

const integer = { type: 'integer', minimum: 0 };

/** Headers of every response (section 8). */
const headers = {
  'X-RateLimit-Limit': { description: 'Requests allowed in a minute.', schema: integer },
  'X-RateLimit-Remaining': { description: 'Requests left in this minute.', schema: integer },
  'X-RateLimit-Reset': { description: 'Seconds until the minute ends.', schema: integer },
};

/** Creates the OpenAPI 3.1 document. */
export function openApiDocument() {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = `/api/v1${pathOf(endpoint)}`;
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describe(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Energy and bandwidth rental service (sandbox)',
      version: '1',
      description:
        'API of the simulated service. docs/sandbox.md lists what the specification does not show.',
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks: webhooks(),
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      headers,
      schemas: Object.fromEntries([...NAMES].map(([schema, name]) => [name, jsonSchema(schema)])),
    },
  };
}

function describe(endpoint: Endpoint) {
  const { id, tag, summary, description, refusals } = endpoint;
  const params = [...pathOf(endpoint).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: integer,
  }));
  const refused = Object.entries(refusals ?? {}).map(([status, reasons]) => [
    status,
    response(responses.Refusal, reasons.map((code) => `\`${code}\`: ${codes[code]}`).join('; ')),
  ]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    'x-requests-per-minute': endpoint.perMinute,
    ...(params.length > 0 && { parameters: params }),
    ...(endpoint.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: jsonSchema(endpoint.body, 'input') } },
      },
    }),
    responses: {
      200: response(endpoint.response, 'Done'),
      ...Object.fromEntries(refused),
      401: response(responses.Refusal, '`INVALID_API_KEY`: the key is missing or unknown'),
      ...((endpoint.body || params.length > 0) && {
        422: response(responses.Refusal, 'A field is missing or invalid; the message names it'),
      }),
      429: response(responses.RateLimited, 'The rate limit of this minute is exceeded'),
    },
  };
}

function response(schema: z.ZodType, description: string) {
  return {
    description,
    headers: Object.fromEntries(
      Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    content: { 'application/json': { schema: responseSchema(schema) } },
  };
}

/** Returns the endpoint's path with parameters in braces. */
function pathOf({ name, method }: Endpoint): string {
  return name.slice(method.length + 1);
}
