import { ENDPOINTS, type EndpointName, type Endpoints } from '../../../src/rental-api/endpoints.ts';
import { ADDRESS } from './samples.ts';

/** An endpoint of section 4, with a valid body. */
export interface Endpoint {
  name: EndpointName;
  method: 'GET' | 'POST';
  /** Path below `/api/v1`. Path parameters are ids that don't exist. */
  path: string;
  /** Requests per minute (section 8). */
  perMinute: number;
  body?: Record<string, unknown>;
  /** Invalid values of each field: wrong types and violated limits. */
  wrong: Record<string, readonly unknown[]>;
  required: string[];
}

export const UNKNOWN_ID = 987_654_321;

const NO_ADDRESS = [7, null, '', 'T', ADDRESS.slice(1), ADDRESS.slice(0, -1), `${ADDRESS}T`, [ADDRESS]];
const NO_ENERGY = ['65000', null, true, 31_999, 5_000_001, -65_000, 65_000.5];
const NO_HOURS = ['1', null, 0, 2, 12, 23, 25, 1.5];

/** Invalid values of fields. A field that isn't listed is sent with wrong types. */
const WRONG: Partial<Record<EndpointName, Endpoint['wrong']>> = {
  buyEnergy: { energy_amount: NO_ENERGY, duration_hours: NO_HOURS },
  buyBandwidth: {
    bandwidth_amount: ['1000', null, false, 349, 100_001, -1_000, 1_000.5],
    duration_hours: ['24', null, 0, -1, 1.5],
  },
  createInvoice: { energy_amount: NO_ENERGY, duration_hours: NO_HOURS },
  withdraw: { amount_trx: [10, null, '', 'ten', '-1', '0', '1e3', '1.0000001', ' 1', '0x1'] },
  configureWebhook: {
    url: [
      7,
      null,
      'hook',
      'http://example.com/hook',
      'http://127.0.0.1.example.com/',
      'ftp://example.com/hook',
      'https://',
    ],
  },
};

/** Returns values of other types than that of a valid one. */
function wrongTypes(value: unknown): unknown[] {
  return [{}, [value], true, 7, 'text'].filter((other) => typeof other !== typeof value);
}

function describe({ name, kind, path, perMinute, request, sample }: Endpoints[EndpointName]): Endpoint {
  const isMissing = (field: string) => !request.safeParse({ ...sample.request, [field]: undefined }).success;
  const fields = Object.entries(sample.request ?? {}).filter(([field]) => !path.includes(`{${field}}`));
  const wrong = fields.map(([field, value]) => {
    const byType = /address/.test(field) ? NO_ADDRESS : wrongTypes(value);
    return [field, WRONG[name]?.[field] ?? byType] as const;
  });
  return {
    name,
    method: kind === 'read' ? 'GET' : 'POST',
    path: path.replace(/\{\w+\}/, String(UNKNOWN_ID)),
    perMinute,
    wrong: Object.fromEntries(wrong),
    required: fields.map(([field]) => field).filter(isMissing),
    ...(fields.length > 0 && { body: Object.fromEntries(fields) }),
  };
}

/** The endpoints of section 4 and `GET /prices`, with the samples of the client's definitions. */
export const endpoints: readonly Endpoint[] = Object.values(ENDPOINTS).map(describe);

/** GET endpoints without a path parameter. Any account can call them without changing anything. */
export const readable = endpoints.filter(
  ({ method, path }) => method === 'GET' && !path.endsWith(String(UNKNOWN_ID)),
);
