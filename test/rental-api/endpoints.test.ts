import { expect, test } from 'vitest';
import { json } from '../support/rental-server.ts';
import { calls } from './calls.ts';
import { clientOf } from './fixture.ts';

test.each(calls)('sends $name as $request', async ({ call, request, body, answer }) => {
  const { rental, server } = await clientOf(json(200, answer));
  expect(await call(rental)).toMatchObject({ kind: 'accepted' });
  const [method, path] = request.split(' ');
  expect(server.requests).toMatchObject([{ method, path: `/api/v1${path}` }]);
  const [sent] = server.requests;
  expect(sent?.body && JSON.parse(sent.body)).toEqual(body ?? '');
  expect(sent?.headers['content-type']).toBe(body && 'application/json');
});

test('has a call for each of the 17 endpoints and GET /prices', async () => {
  const { rental } = await clientOf(json(200, {}));
  const methods = Object.keys(rental).filter((name) => name !== 'close');
  expect(methods).toHaveLength(18);
  expect(calls.map(({ name }) => name).sort()).toEqual(methods.sort());
});

const allowed = calls.flatMap(({ name, call, answer, alsoAllowed = [] }) =>
  alsoAllowed.map((more) => ({
    name,
    call,
    more,
    answer: Array.isArray(more) || Array.isArray(answer) ? more : Object.assign({}, answer, more),
  })),
);

test.each(allowed)(
  '$name accepts a response that the specification allows: $more',
  async ({ call, answer }) => {
    const { rental } = await clientOf(json(200, answer));
    expect(await call(rental)).toMatchObject({ kind: 'accepted' });
  },
);

const reads = calls.filter(({ request }) => request.startsWith('GET '));
const writes = calls.filter(({ request }) => request.startsWith('POST '));

test.each(reads)('$name is retried after a 503', async ({ call, answer }) => {
  const { rental, server } = await clientOf((res, received, answered) =>
    json(answered === 0 ? 503 : 200, answer)(res, received, answered),
  );
  expect(await call(rental)).toMatchObject({ kind: 'accepted' });
  expect(server.requests).toHaveLength(2);
});

test.each(writes)('$name is sent once, even after a 503', async ({ call }) => {
  const { rental, server } = await clientOf(json(503, {}));
  expect(await call(rental)).toMatchObject({ kind: 'unknown', status: 503 });
  expect(server.requests).toHaveLength(1);
});

test('reads a deposit history inside an object', async () => {
  const { rental } = await clientOf(
    json(200, { total: 1, deposits: [{ status: 'pending', amount: 'some' }] }),
  );
  expect(await rental.deposits('key')).toEqual({ kind: 'accepted', value: [{ status: 'pending' }] });
});

test.each(['subscriptions', 'withdrawals', 'deposits'] as const)(
  'reports %s as unknown if one entry is unreadable, because a missing one would matter',
  async (name) => {
    const answer = calls.find((call) => call.name === name)?.answer;
    const { rental } = await clientOf(json(200, [...(answer as object[]), { id: 6 }]));
    expect(await rental[name]('key')).toMatchObject({ kind: 'unknown', reason: 'mismatch' });
  },
);
