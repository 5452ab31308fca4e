import { expect } from 'vitest';
import { ENDPOINTS } from '../../src/rental-api/endpoints.ts';
import { eventually } from '../support/eventually.ts';
import { journey as it } from '../support/journey.ts';
import type { ShownMessage } from '../support/person.ts';
import { linkAccount, makeInvoice, TARGET } from '../support/steps.ts';
import { ADDRESS, type World } from '../support/world.ts';

const OTHER = '1002';
const NOTICE = 'Your API key now opens another account';
const [BALANCE, DEPOSITED, WITHDRAWN, LABEL] = ['777.17', '55.13', '41.19', 'label-of-another-account'];
const RECIPIENT = 'TJCLNmsxAudk8BnFmKvSQdyc18Fc5dxAwk';

/** Commands of the screens and flows that read from the account, and what each shows after the key was moved. */
const SCREENS = {
  '/start': 'Account 1001',
  '/balance': 'Account 1001',
  '/deposit': NOTICE,
  '/account': NOTICE,
  '/withdraw': NOTICE,
  '/smart': NOTICE,
  '/packages': NOTICE,
  '/webhooklog': NOTICE,
  '/prices': NOTICE,
  [`/buy ${ADDRESS} 65000 1`]: NOTICE,
  [`/bandwidth ${ADDRESS} 1000 1`]: NOTICE,
  [`/activate ${TARGET}`]: NOTICE,
  '/forget': 'Smart Mode may be on',
};

/** Returns the requests that read from the service, by the name of the endpoint. */
const READS = Object.values(ENDPOINTS).flatMap(({ kind, name, path }) =>
  kind === 'read' ? [{ name, request: new RegExp(`^GET ${path.replace(/\{\w+\}/g, '\\d+')}$`) }] : [],
);

/** Gives the other account an entry in each list of the service. Returns what identifies it in a message. */
async function fillOther({ origin, control }: World): Promise<string[]> {
  async function api(method: string, path: string, body?: object): Promise<Record<string, string>> {
    const headers = { 'x-api-key': 'merchant-key', 'content-type': 'application/json' };
    const response = await fetch(`${origin}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
    expect(response.status).toBe(200);
    return response.json() as Promise<Record<string, string>>;
  }
  const account = `/rental/accounts/${OTHER}`;
  await control('POST', `${account}/deposit`, { amount: DEPOSITED });
  await api('POST', '/webhooks/configure', { url: `${origin}/nowhere` });
  await api('POST', '/smart-mode/activate', { address: TARGET, label: LABEL });
  await api('POST', '/account/withdrawal', { to_address: RECIPIENT, amount_trx: WITHDRAWN });
  await control('POST', `${account}/events`, { event_type: 'order.filled', data: { address: RECIPIENT } });
  await control('POST', `${account}/balance`, { balance_trx: BALANCE });
  const { email = '', chain_address = '' } = await api('GET', '/account/profile');
  const { deposit_address = '' } = await api('GET', '/account/deposit');
  return [OTHER, BALANCE, DEPOSITED, WITHDRAWN, LABEL, RECIPIENT, email, chain_address, deposit_address];
}

/** Returns everything that the user can read or copy in a message. */
const contentOf = ({ html, keyboard = [] }: ShownMessage) =>
  [html, ...keyboard.flat().flatMap(({ text, copy = '' }) => [text, copy])].join('\n');

it('shows and reports nothing of the account to which the service has moved the key', async (person, world) => {
  const identifying = await fillOther(world);
  await linkAccount(person);
  await makeInvoice(person);
  await person.ask('/deposit', 'Send TRX');
  await person.ask('/notifications', 'Instant alerts');
  await person.tapAndRead('Turn on instant alerts', 'Get instant alerts?');
  await world.control('POST', `/rental/accounts/${OTHER}/key`, { key: 'demo-key' });
  const before = world.requestLog.length;

  for (const [command, shown] of Object.entries(SCREENS)) {
    const view = await person.ask(command, shown);
    const buttons = view.keyboard?.flat().map(({ text }) => text);
    if (shown === NOTICE)
      expect([command, buttons]).toEqual([command, expect.arrayContaining(['🔑 Link account'])]);
  }
  for (const label of ['Show deposits', 'Movements', 'Yes, turn on']) {
    const shown = await world.countCallsWithText(NOTICE);
    await person.tap(label);
    await eventually(async () => expect(await world.countCallsWithText(NOTICE)).toBe(shown + 1));
  }

  await world.advance(7 * 3600);
  await eventually(() => {
    const requests = world.requestLog.slice(before);
    for (const { name, request } of READS)
      expect(requests.filter((one) => request.test(one)).length, name).toBeGreaterThan(0);
  });
  await world.settled();
  const messages = (await person.messages()).filter(({ from }) => from === 'bot').map(contentOf);
  for (const text of identifying) expect(messages.join('\n')).not.toContain(text);
});
