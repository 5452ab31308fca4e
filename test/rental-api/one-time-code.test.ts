import { expect, test } from 'vitest';
import { cutMidBody, hang, json } from '../support/rental-server.ts';
import { ADDRESS, clientOf, KEY } from './fixture.ts';

const CODE = '904173';
const request = { to_address: ADDRESS, amount_trx: '50', totp_code: CODE };

test('writes a one-time code to no message and no log, even if the service repeats it', async () => {
  const { rental, server, lines } = await clientOf(json(403, { detail: `Invalid code ${CODE} (${KEY})` }), {
    timeouts: { moneyMs: 500 },
  });
  const outcomes = [await rental.withdraw(KEY, request)];
  const answers = [
    json(403, { detail: { error: { code: `BAD_${CODE}`, message: `${CODE}${CODE}` } } }),
    json(200, { totp_code: CODE, [CODE]: CODE }),
    json(500, { detail: CODE }),
    cutMidBody,
    hang,
    json(429, { detail: `${CODE}: wait 0 s` }),
  ];
  for (const answer of answers) {
    server.answerWith(answer);
    outcomes.push(await rental.withdraw(KEY, request));
  }
  outcomes.push(await rental.withdraw(KEY, { ...request, totp_code: `${CODE}x` }));
  expect(server.requests).toHaveLength(7);
  expect(server.requests[0]?.body).toContain(CODE);
  expect(outcomes[0]).toMatchObject({ kind: 'rejected', code: 'HTTP_403', message: 'Invalid code … (…)' });
  expect(JSON.stringify(outcomes)).not.toContain(CODE);
  expect(lines).not.toEqual([]);
  expect(lines.join()).not.toContain(CODE);
});

test('removes nothing from the message if there is no code', async () => {
  const { rental } = await clientOf(json(400, { detail: '51 TRX needed, 904173 TRX available' }));
  expect(await rental.withdraw(KEY, { to_address: ADDRESS, amount_trx: '50' })).toMatchObject({
    message: '51 TRX needed, 904173 TRX available',
  });
});
