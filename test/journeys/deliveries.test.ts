import { expect } from 'vitest';
import { shortenAddress } from '../../src/i18n/texts.ts';
import { accountApi, serviceActions } from '../support/account-api.ts';
import { eventually } from '../support/eventually.ts';
import { journey as it, journeysWith } from '../support/journey.ts';
import { buyEnergy, fillOrder, linkAccount, linkWithEvents, operationOf, toCard } from '../support/steps.ts';
import { ADDRESS, ADMIN } from '../support/world.ts';

const OTHER_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

it('updates only the receipt of the delivered order and sends one reply', async (person, world) => {
  await linkWithEvents(person);
  const other = await buyEnergy(person, 'Balance left');
  const card = await buyEnergy(person, 'Balance left');
  expect(card.text).toContain("Status: pending. I'll tell you when it arrives.");
  const messages = (await person.messages()).length;
  await fillOrder(world);
  const reply = await person.reads('Bought and delivered', card);
  expect(reply.text).toBe(
    `✅ Bought and delivered · ⚡ 65,000 energy · 1 h → ${shortenAddress(ADDRESS)} · Operation ${operationOf(card)}`,
  );
  expect(reply.reply_to).toBe(card.message_id);
  const filled = await person.shows(card, 'Status: delivered');
  expect(filled.text).toContain('Charged: 2.32 TRX');
  expect(await person.messages()).toHaveLength(messages + 1);
  expect(await person.shows(other, 'Balance left')).toEqual(other);
  await eventually(async () =>
    expect((await world.rental()).webhook_log[0]).toMatchObject({ response_status: 200, attempts: 1 }),
  );
});

it('reports orders from before alerts were turned on, delivered before or after', async (person, world) => {
  await linkAccount(person);
  await accountApi(world)('POST', '/webhooks/configure', { url: `${world.origin}/of-another-server` });
  const first = await buyEnergy(person, 'Balance left');
  await fillOrder(world);
  await eventually(async () =>
    expect((await world.rental()).webhook_log[0]).toMatchObject({ response_status: 404 }),
  );
  const second = await buyEnergy(person, 'Balance left');
  expect(await world.countCallsWithText('replaces any webhook')).toBe(1);
  await person.say('/account');
  await person.tap('Turn on delivery alerts');
  await person.tapAndRead('Yes, turn on', 'alerts are on');
  expect((await person.reads('Bought and delivered', second)).reply_to).toBe(first.message_id);
  await fillOrder(world);
  await person.shows(second, 'Status: delivered');
});

it('shows a delivery whose event arrives before the card is edited', async (person, world) => {
  await linkWithEvents(person);
  const card = await toCard(person);
  await world.telegramFault('editMessageText', 'latency', { ms: 500, times: 2 });
  await person.tap('Confirm');
  await eventually(async () => expect((await world.rental()).orders).toHaveLength(1));
  await fillOrder(world);
  await person.shows(card, 'Status: delivered');
});

it('shows how much of an order has arrived, and reports contradictions to admins', async (person, world) => {
  await linkWithEvents(person);
  const admin = world.person(ADMIN);
  await admin.say('/start');
  const card = await buyEnergy(person, 'Balance left');
  const [order] = (await world.rental()).orders;
  const filled = (data: object) =>
    serviceActions(world).event('order.filled', {
      ...{ order_id: order?.order_id, address: ADDRESS, energy_amount: 65_000 },
      ...data,
    });
  await filled({ address: OTHER_ADDRESS });
  await admin.reads(`The service contradicts energy order ${order?.order_id}`);
  await filled({ energy_amount: 65_001 });
  await filled({ energy_amount: 32_500 });
  const part = await person.reads('Partly delivered', card);
  expect(part.text).toContain('Delivered so far: 32,500 of 65,000 energy.');
  expect(part.reply_to).toBe(card.message_id);
  const receipt = await person.shows(card, 'Delivered so far: 32,500 of 65,000 energy.');
  expect(receipt.text).toMatch(/^🟠 Partly delivered\n/);
  expect(receipt.text).not.toContain('Saves');
  const history = await person.ask('/history', 'Tap a number');
  expect(history.text).toContain('🟠 32,500 of 65,000');
  await person.tapAndRead('1', 'Delivered so far: 32,500 of 65,000 energy.', history);
  await filled({});
  const whole = await person.reads('Bought and delivered', part);
  expect(whole.reply_to).toBe(card.message_id);
  await person.shows(card, 'Status: delivered');
  await filled({ energy_amount: 32_500, price_trx: '2.32' });
  await world.settled();
  await person.shows(card, 'Status: delivered');
  expect(await world.countCallsWithText('The service contradicts')).toBe(1);
  const logged = world.log.filter((line) => line.includes('contradicts an order'));
  expect(logged.join('\n')).toContain(
    `"field":"address","reason":"ordered ${ADDRESS}, reported ${OTHER_ADDRESS}"`,
  );
});

journeysWith({ onRedis: true })(
  'shows a delivery during downtime after the next start',
  async (person, world) => {
    await linkWithEvents(person);
    const card = await buyEnergy(person, 'Balance left');
    await world.stopApps();
    await fillOrder(world);
    for (const attempts of [1, 2, 3, 4]) {
      await eventually(async () => expect((await world.rental()).webhook_log[0]).toMatchObject({ attempts }));
      await world.advance(60);
    }
    await world.startApps();
    await person.shows(card, 'Status: delivered');
  },
);

journeysWith({ push: false })(
  'says without a public URL when an order usually arrives, where to look, and what it saved',
  async (person, world) => {
    await linkAccount(person);
    const card = await buyEnergy(person, 'Balance left');
    expect(card.text).toMatch(/2\.32 TRX ≈ \$0\.75\nSaves 4\.18 TRX \(64%\)/);
    expect(card.text).toMatch(/within a minute[\s\S]*Use it before \d\d:\d\d UTC[\s\S]*View address/);
    const account = await person.sayAndRead('/account', 'Delivery alerts: not available');
    expect(account.keyboard?.flat().map(({ text }) => text)).not.toContainEqual(
      expect.stringContaining('delivery alerts'),
    );
    expect(await world.countCallsWithText('Get delivery alerts?')).toBe(0);
    expect(world.countRequests('POST /webhooks/configure')).toBe(0);
  },
);
