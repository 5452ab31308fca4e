import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { accountApi, DEMO_ACCOUNT, serviceActions } from '../support/account-api.ts';
import { eventually } from '../support/eventually.ts';
import { journey as it } from '../support/journey.ts';
import { linkAccount, linkWithEvents } from '../support/steps.ts';
import { ADDRESS, ADMIN, GUEST, HOLDER } from '../support/world.ts';

it('notifies of a credited deposit once, even if the deposits are read again', async (person, world) => {
  await linkWithEvents(person);
  await serviceActions(world).deposit('100');
  await person.reads('100.00 TRX credited');
  const reads = world.countRequests('GET /account/deposits');
  await world.advance(3600);
  await eventually(() => expect(world.countRequests('GET /account/deposits')).toBeGreaterThan(reads));
  expect(await world.countCallsWithText('TRX</b> credited')).toBe(1);
});

it('notifies other account holders when a user turns service reports off', async (_person, world) => {
  const [one, other] = [world.person(HOLDER), world.person(ADMIN)];
  await linkWithEvents(one);
  await linkAccount(other);
  await other.say('/notifications');
  await other.tapAndRead('Turn off delivery alerts', 'who lose them too');
  await other.tapAndRead('Turn off', 'Delivery alerts are off');
  await one.reads('turned them off for everyone');
  expect(await world.countCallsWithText('turned them off for everyone')).toBe(1);
});

it('notifies of a pending deposit without an event, and again when it is credited', async (person, world) => {
  await linkAccount(person);
  await person.say('/deposit');
  const id = await serviceActions(world).deposit('7', { confirm: false });
  await world.advance(61);
  await person.reads('7.00 TRX is on its way');
  await world.control('POST', `/rental/deposits/${id}/confirm`);
  await world.advance(61);
  await person.reads('7.00 TRX credited');
  expect(await world.countCallsWithText('7.00 TRX</b>')).toBe(2);
});

it('notifies each holder of an account once, and no other user', async (_person, world) => {
  const [one, other, third] = [world.person(HOLDER), world.person(ADMIN), world.person(GUEST)];
  await linkWithEvents(one);
  await linkAccount(other);
  await linkAccount(third, 'empty-key');
  await serviceActions(world).deposit('12.5');
  for (const person of [one, other]) await person.reads('12.50 TRX credited');
  await world.advance(60);
  expect(await world.countCallsWithText('12.50 TRX</b> credited')).toBe(2);
});

it('notifies once of a Smart Mode delivery that is in the service’s log', async (person, world) => {
  await linkWithEvents(person);
  const made = await accountApi(world)<{ id: number }>('POST', '/smart-mode/activate', {
    address: ADDRESS,
  });
  await world.control('POST', `/rental/smart-mode/${made.id}/transfer`, { amount: '10' });
  const reply = await person.reads('65,000 energy, fee');
  expect(reply.text).toContain(ADDRESS);
  expect(await world.countCallsWithText('65,000 energy, fee')).toBe(1);
});

it('notifies of a withdrawal made outside the bot, and again when it is sent', async (person, world) => {
  await linkWithEvents(person);
  const withdrawal = { to_address: ADDRESS, amount_trx: '5' };
  const { id } = await accountApi(world)<{ id: number }>('POST', '/account/withdrawal', withdrawal);
  await world.advance(120);
  const reply = await person.reads('5.00 TRX is being sent');
  expect(reply.text).toContain(ADDRESS);
  await world.control('POST', `/rental/withdrawals/${id}/complete`);
  await person.reads('5.00 TRX was sent');
});

it('does not notify of a deposit event that the service does not list', async (person, world) => {
  await linkWithEvents(person);
  const reads = world.countRequests('GET /account/deposits');
  await serviceActions(world).event('deposit.confirmed', {
    id: 99,
    amount: '5000',
    currency: 'TRX',
    status: 'confirmed',
  });
  for (let times = 0; times < 8; times += 1) await world.advance(60);
  await eventually(() => expect(world.countRequests('GET /account/deposits')).toBeGreaterThan(reads + 2));
  await person.sayAndRead('/account', String(DEMO_ACCOUNT));
  expect(await world.countCallsWithText('5000')).toBe(0);
});

it('warns if the service reports go to another URL, but still notifies', async (person, world) => {
  await linkWithEvents(person);
  await world.advance(120);
  const otherServer = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await once(otherServer, 'listening');
  const { port } = otherServer.address() as AddressInfo;
  await accountApi(world)('POST', '/webhooks/configure', { url: `http://127.0.0.1:${port}/` });
  await serviceActions(world).deposit('33');
  await serviceActions(world).event('promo.started', { to: 'elsewhere' });
  await eventually(async () =>
    expect((await world.rental()).webhook_log).toContainEqual(
      expect.objectContaining({ event_type: 'promo.started', response_status: 200 }),
    ),
  );
  await world.advance(120);
  await person.reads('33.00 TRX credited');
  await person.reads('promo.started');
  const reply = await person.reads("Delivery alerts aren't arriving");
  expect(reply.keyboard?.flat().map(({ text }) => text)).toContainEqual(
    expect.stringContaining('Turn on delivery alerts'),
  );
  await serviceActions(world).event('promo.started', { to: 'further' });
  await world.advance(600);
  await person.reads('further');
  expect(await world.countCallsWithText("Delivery alerts aren't arriving")).toBe(1);
  otherServer.close();
});

it('sends missed notifications when a user unblocks the bot and sends /start', async (person, world) => {
  await linkWithEvents(person);
  await world.control('POST', `/telegram/chats/${HOLDER}/block`);
  await serviceActions(world).deposit('44');
  await eventually(async () => expect(await world.countCallsWithText('44.00 TRX</b> credited')).toBe(1));
  await serviceActions(world).deposit('45');
  await world.advance(3600);
  await eventually(() => expect(world.events).toHaveLength(2));
  expect(await world.countCallsWithText('45.00 TRX</b> credited')).toBe(0);
  await world.control('POST', `/telegram/chats/${HOLDER}/unblock`);
  await person.sayAndRead('/start', '44.00 TRX credited');
  await person.reads('45.00 TRX credited');
});
