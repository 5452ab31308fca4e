import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { accountApi, DEMO_ACCOUNT, deliver, serviceActions } from '../support/account-api.ts';
import { eventually } from '../support/eventually.ts';
import { journey as it } from '../support/journey.ts';
import { findButton } from '../support/person.ts';
import { linkAccount, linkWithEvents } from '../support/steps.ts';
import { ADDRESS, ADMIN, GUEST, HOLDER } from '../support/world.ts';

it('notifies of a credited deposit once, even if the deposits are read again', async (person, world) => {
  await linkWithEvents(person);
  await serviceActions(world).deposit('100');
  await person.reads('100 TRX was credited to your balance');
  const reads = world.countRequests('GET /account/deposits');
  await world.advance(3600);
  await eventually(() => expect(world.countRequests('GET /account/deposits')).toBeGreaterThan(reads));
  expect(await world.countCallsWithText('was credited')).toBe(1);
});

it('keeps the text of a notification when its button is tapped', async (person, world) => {
  await linkWithEvents(person);
  await serviceActions(world).deposit('100');
  const reply = await person.reads('100 TRX was credited to your balance');
  await person.tapAndRead('Menu', 'Account 1001', reply);
  const { text } = (await person.messages()).find(({ message_id: id }) => id === reply.message_id) ?? {};
  expect(text).toContain('100 TRX was credited');
});

it('notifies other account holders when a user turns service reports off', async (_person, world) => {
  const [one, other] = [world.person(HOLDER), world.person(ADMIN)];
  await linkWithEvents(one);
  await linkAccount(other);
  await other.say('/notifications');
  await other.tapAndRead('Turn off service reports', 'one other person who has linked');
  await other.tapAndRead('Turn off', 'the service no longer sends me those of this account');
  await one.reads('turned them off here, for everybody who has linked it');
  expect(await world.countCallsWithText('turned them off here')).toBe(1);
});

it('shows the credited TRX amount of a USDT deposit', async (person, world) => {
  await linkWithEvents(person);
  await serviceActions(world).deposit('10', { currency: 'USDT' });
  const reply = await person.reads('10 USDT came in');
  expect(reply.text).toMatch(/\d TRX was credited to your balance/);
});

it('notifies of a pending deposit without an event, and again when it is credited', async (person, world) => {
  await linkAccount(person);
  await person.say('/deposit');
  const id = await serviceActions(world).deposit('7', { confirm: false });
  await world.advance(61);
  await person.reads('7 TRX is on its way');
  await world.control('POST', `/rental/deposits/${id}/confirm`);
  await world.advance(61);
  await person.reads('7 TRX was credited');
  expect(await world.countCallsWithText('7 TRX</b>')).toBe(2);
});

it('notifies each holder of an account once, and no other user', async (_person, world) => {
  const [one, other, third] = [world.person(HOLDER), world.person(ADMIN), world.person(GUEST)];
  await linkWithEvents(one);
  await linkAccount(other);
  await linkAccount(third, 'empty-key');
  await serviceActions(world).deposit('12.5');
  for (const person of [one, other]) await person.reads('12.5 TRX was credited');
  await world.advance(60);
  expect(await world.countCallsWithText('12.5 TRX</b> was credited')).toBe(2);
});

it('sends one notification for a thousand copies of an event', async (person, world) => {
  await linkWithEvents(person);
  await serviceActions(world).deposit('3');
  await person.reads('3 TRX was credited');
  const [event] = world.events;
  if (event === undefined) throw new Error('no event was sent');
  const answers: number[] = [];
  for (let times = 0; times < 40; times += 1) {
    answers.push(...(await Promise.all(Array.from({ length: 25 }, () => deliver(event)))));
    await world.advance(1);
  }
  expect([...new Set(answers)]).toEqual([200]);
  await world.settled();
  expect(await world.countCallsWithText('3 TRX</b> was credited')).toBe(1);
});

it('does not notify a user who has unlinked the account', async (_person, world) => {
  const [one, other] = [world.person(HOLDER), world.person(ADMIN)];
  await linkWithEvents(one);
  await linkAccount(other);
  await one.say('/account');
  await one.tap('Unlink');
  await one.tapAndRead('Yes', 'unlinked');
  await serviceActions(world).deposit('4');
  await other.reads('4 TRX was credited');
  expect(await world.countCallsWithText('4 TRX</b> was credited')).toBe(1);
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

it('shows an event of an unknown type as plain text without links', async (person, world) => {
  await linkWithEvents(person);
  await serviceActions(world).event('promo.<b>won</b>', {
    link: 'https://evil.example/claim',
    note: `line\none\u202Eturned ${'long '.repeat(100)}`,
    '<i>name</i>': true,
    nested: { deep: 1 },
  });
  const reply = await person.reads("The service reports something this bot doesn't know yet");
  expect(reply.text).toContain('promo.<b>won</b>');
  expect(reply.html).not.toContain('<a ');
  expect(reply.text).not.toContain('\u202E');
  expect(reply.text).not.toContain('deep');
  expect(reply.text?.length).toBeLessThan(700);
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

it('batches simultaneous deposits into few messages without losing one', async (person, world) => {
  await linkWithEvents(person);
  const amounts = Array.from({ length: 12 }, (_, at) => 101 + at);
  await Promise.all(amounts.map((amount) => serviceActions(world).deposit(String(amount))));
  for (let times = 0; times < 10; times += 1) await world.advance(5);
  for (const amount of amounts) await person.reads(`${amount} TRX was credited`);
  const found = (await person.messages()).filter(({ text }) => text?.includes('was credited'));
  expect(found.length).toBeLessThanOrEqual(4);
  for (const amount of amounts) {
    expect(found.filter(({ text }) => text?.includes(`${amount} TRX was credited`))).toHaveLength(1);
  }
});

it('notifies only of kinds that are not muted', async (person, world) => {
  await linkWithEvents(person);
  await person.say('/notifications');
  await person.tap('Deposits');
  await person.until('that deposits are muted', (shown) => findButton(shown, '🔕 Deposits'));
  const reads = world.countRequests('GET /account/deposits');
  await serviceActions(world).deposit('21');
  await eventually(() => expect(world.countRequests('GET /account/deposits')).toBeGreaterThan(reads));
  // Events about money are processed before this one.
  await serviceActions(world).event('promo.started', { to: 'elsewhere' });
  await person.reads('promo.started');
  await world.advance(60);
  await person.tap('Deposits');
  await serviceActions(world).deposit('22');
  await person.reads('22 TRX was credited');
  expect(await world.countCallsWithText('21 TRX')).toBe(0);
});

it('notifies of a low balance once, and again only after it recovered', async (person, world) => {
  await linkWithEvents(person);
  await person.say('/notifications');
  await person.tap('low balance');
  await person.sayAndRead('50', "I'll tell you when your balance falls below");
  const { balance, event } = serviceActions(world);
  const pollAt = async (amount: string) => {
    await balance(amount);
    // An event about money triggers a poll of balance and deposits, then one poll each minute.
    await event('deposit.confirmed', { id: Math.random() });
    for (let times = 0; times < 4; times += 1) {
      const before = world.countRequests('GET /account/deposits');
      await world.advance(61);
      await eventually(() => expect(world.countRequests('GET /account/deposits')).toBeGreaterThan(before));
    }
  };
  await pollAt('49.5');
  await person.reads('49.50 TRX is left, below your mark of 50');
  await pollAt('48');
  await pollAt('60');
  await pollAt('12');
  await person.reads('12.00 TRX is left');
  expect(await world.countCallsWithText('is left, below your mark')).toBe(2);
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
  await person.reads('33 TRX was credited');
  await person.reads('promo.started');
  const reply = await person.reads("Service reports don't reach me any more");
  expect(reply.keyboard?.flat().map(({ text }) => text)).toContainEqual(
    expect.stringContaining('Turn on service reports'),
  );
  await serviceActions(world).event('promo.started', { to: 'further' });
  await world.advance(600);
  await person.reads('further');
  expect(await world.countCallsWithText("Service reports don't reach me any more")).toBe(1);
  otherServer.close();
});

it('sends missed notifications when a user unblocks the bot and sends /start', async (person, world) => {
  await linkWithEvents(person);
  await world.control('POST', `/telegram/chats/${HOLDER}/block`);
  await serviceActions(world).deposit('44');
  await eventually(async () => expect(await world.countCallsWithText('44 TRX</b> was credited')).toBe(1));
  await serviceActions(world).deposit('45');
  await world.advance(3600);
  await eventually(() => expect(world.events).toHaveLength(2));
  expect(await world.countCallsWithText('45 TRX</b> was credited')).toBe(0);
  await world.control('POST', `/telegram/chats/${HOLDER}/unblock`);
  await person.sayAndRead('/start', '44 TRX was credited');
  await person.reads('45 TRX was credited');
});

it('reads the webhook log right after a flood at the webhook path', async (person, world) => {
  await linkWithEvents(person);
  await serviceActions(world).event('promo.started', { to: 'elsewhere' });
  await person.reads('promo.started');
  const [event] = world.events;
  if (event === undefined) throw new Error('no event was sent');
  const forged = { body: '{}', signature: '0'.repeat(64) };
  const flood = () => Promise.all(Array.from({ length: 120 }, () => deliver(event, forged)));
  expect(await world.withStoppedClock(flood)).toContain(429);
  const reads = world.countRequests('GET /webhooks/logs');
  await world.advance(1);
  expect(await deliver(event, forged)).toBe(404);
  await eventually(() => expect(world.countRequests('GET /webhooks/logs')).toBeGreaterThan(reads));
});
