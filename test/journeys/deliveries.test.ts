import { expect } from 'vitest';
import { shortenAddress } from '../../src/i18n/texts.ts';
import { eventually } from '../support/eventually.ts';
import { journey as it, journeysWith } from '../support/journey.ts';
import { buyEnergy, fillOrder, linkAccount, linkWithEvents, operationOf, toCard } from '../support/steps.ts';
import { ADDRESS } from '../support/world.ts';

it('updates only the receipt of the delivered order and sends one reply', async (person, world) => {
  await linkWithEvents(person);
  const other = await buyEnergy(person, 'Balance left');
  const card = await buyEnergy(person, 'Balance left');
  expect(card.text).toContain("Status: pending. I'll write to you when it has arrived.");
  const messages = (await person.messages()).length;
  await fillOrder(world);
  const reply = await person.reads('Bought and delivered', card);
  expect(reply.text).toBe(
    `✅ Bought and delivered · ⚡ 65,000 energy · 1 hour → ${shortenAddress(ADDRESS)} · Operation ${operationOf(card)}`,
  );
  expect(reply.reply_to).toBe(card.message_id);
  const filled = await person.shows(card, 'Status: filled. It has arrived at the address.');
  expect(filled.text).toContain('Charged: 2.32 TRX');
  expect(await person.messages()).toHaveLength(messages + 1);
  expect(await person.shows(other, 'Balance left')).toEqual(other);
  await eventually(async () =>
    expect((await world.rental()).webhook_log[0]).toMatchObject({ response_status: 200, attempts: 1 }),
  );
});

it('shows a delivery whose event arrives before the card is edited', async (person, world) => {
  await linkWithEvents(person);
  const card = await toCard(person);
  await world.telegramFault('editMessageText', 'latency', { ms: 500, times: 2 });
  await person.tap('Confirm');
  await eventually(async () => expect((await world.rental()).orders).toHaveLength(1));
  await fillOrder(world);
  await person.shows(card, 'Status: filled');
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
    await person.shows(card, 'Status: filled');
  },
);

journeysWith({ push: false })(
  'says on the card that deliveries are not reported without a public URL',
  async (person, world) => {
    await linkAccount(person);
    const card = await buyEnergy(person, 'Balance left');
    expect(card.text).toContain('I get no word when it arrives');
    const account = await person.sayAndRead('/account', 'Service reports: not offered by this bot');
    expect(account.keyboard?.flat().map(({ text }) => text)).not.toContainEqual(
      expect.stringContaining('service reports'),
    );
    expect(await world.countCallsWithText('Shall I tell you when your orders arrive')).toBe(0);
    expect(world.countRequests('POST /webhooks/configure')).toBe(0);
  },
);
