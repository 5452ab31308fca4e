import { expect, test } from 'vitest';
import { closedPort, cutBeforeHead, json } from '../support/rental-server.ts';
import { clientOf, KEY, order, profile, purchase } from './fixture.ts';

test('sends every money POST over a new connection, because a used one may be closing', async () => {
  const answers = [json(200, profile), json(200, order), cutBeforeHead];
  const { rental, server } = await clientOf((res, received, answered) =>
    answers[answered]?.(res, received, answered),
  );
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'accepted' });
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'accepted' });
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'unknown', reason: 'cut' });
  await rental.close();
  expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2, 3]);
  expect(server.requests[1]?.headers.connection).toBe('close');
});

test('sends concurrent money POSTs once each if some connections are cut', async () => {
  const { rental, server } = await clientOf((res, received, answered) =>
    (answered % 2 ? cutBeforeHead : json(200, order))(res, received, answered),
  );
  const outcomes = await Promise.all(Array.from({ length: 40 }, () => rental.buyEnergy(KEY, purchase)));
  await rental.close();
  expect(outcomes.filter(({ kind }) => kind === 'unknown')).toHaveLength(20);
  expect(server.requests).toHaveLength(40);
});

test('does not send a money POST if the connection is refused', async () => {
  const port = await closedPort();
  const { rental } = await clientOf(json(200, order), { baseUrl: () => port });
  expect(await rental.buyEnergy(KEY, purchase)).toEqual({
    kind: 'not-sent',
    reason: 'offline',
    message: 'no connection: ECONNREFUSED',
  });
});

test('does not send a money POST if the host name cannot be resolved', async () => {
  const { rental } = await clientOf(json(200, order), { baseUrl: () => 'http://rental.invalid/api' });
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'not-sent', reason: 'offline' });
});

test('does not send a money POST if the server does not support TLS', async () => {
  const { rental, server } = await clientOf(json(200, order), {
    baseUrl: (url) => url.replace('http:', 'https:'),
  });
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'not-sent', reason: 'offline' });
  expect(server.requests).toEqual([]);
});
