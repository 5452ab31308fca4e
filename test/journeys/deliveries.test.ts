import { expect } from 'vitest';
import { shortenAddress } from '../../src/i18n/texts.ts';
import { eventually } from '../support/eventually.ts';
import { journey as it, journeysWith } from '../support/journey.ts';
import type { Person, ShownMessage } from '../support/person.ts';
import { linkAccount, linkWithEvents, operationOf, toCard } from '../support/steps.ts';
import { ADDRESS, type World } from '../support/world.ts';

async function buy(person: Person): Promise<ShownMessage> {
  const card = await toCard(person);
  return person.confirm(card, 'Balance left');
}

/** Fills or fails the latest order at the rental service. */
async function end(world: World, how: 'fill' | 'fail'): Promise<void> {
  const [order] = (await world.rental()).orders;
  await world.control('POST', `/rental/orders/${order?.order_id}/${how}`);
}

it('updates only the receipt of the delivered order and sends one reply', async (person, world) => {
  await linkWithEvents(person);
  const other = await buy(person);
  const card = await buy(person);
  expect(card.text).toContain("Status: pending. I'll write to you when it has arrived.");
  const messages = (await person.messages()).length;
  await end(world, 'fill');
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

it('shows a failed order on its card and in a reply, with the charge', async (person, world) => {
  await linkWithEvents(person);
  const card = await buy(person);
  await end(world, 'fail');
  await person.shows(card, 'It had charged 2.32 TRX: look at Balance → Movements');
  await person.reads('It had charged 2.32 TRX: look at Balance → Movements', card);
});

it('shows a delivery whose event arrives before the card is edited', async (person, world) => {
  await linkWithEvents(person);
  const card = await toCard(person);
  await world.telegramFault('editMessageText', 'latency', { ms: 500, times: 2 });
  await person.tap('Confirm');
  await eventually(async () => expect((await world.rental()).orders).toHaveLength(1));
  await end(world, 'fill');
  await person.shows(card, 'Status: filled');
});

it('finds a delivery whose event was lost in the webhook log', async (person, world) => {
  await linkWithEvents(person);
  const card = await buy(person);
  world.loseEvents();
  await end(world, 'fill');
  await eventually(() => expect(world.events).toHaveLength(1));
  await world.advance(600);
  await person.shows(card, 'Status: filled');
});

journeysWith({ onRedis: true })(
  'shows a delivery during downtime after the next start',
  async (person, world) => {
    await linkWithEvents(person);
    const card = await buy(person);
    await world.stopApps();
    await end(world, 'fill');
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
    const card = await buy(person);
    expect(card.text).toContain('I get no word when it arrives');
    const account = await person.sayAndRead('/account', 'Service reports: not offered by this bot');
    expect(account.keyboard?.flat().map(({ text }) => text)).not.toContainEqual(
      expect.stringContaining('service reports'),
    );
    expect(await world.countCallsWithText('Shall I tell you when your orders arrive')).toBe(0);
    expect(world.countRequests('POST /webhooks/configure')).toBe(0);
  },
);

it('offers service reports once after a purchase, and keeps the existing URL on Not now', async (person, world) => {
  const url = 'https://shop.example/events';
  await fetch(`${world.origin}/api/v1/webhooks/configure`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'demo-key' },
    body: JSON.stringify({ url }),
  });
  await linkAccount(person);
  const card = await buy(person);
  expect(card.text).toContain('I get no word when it arrives');
  const question = await person.reads('this replaces the one that is set there now', card);
  await person.tapToShow('Not now', question, 'You can turn service reports on in your account at any time');
  await buy(person);
  expect(await world.countCallsWithText('this replaces the one that is set there now')).toBe(1);
  expect(world.countRequests('POST /webhooks/configure')).toBe(1);
  expect((await world.rental()).accounts[0]?.webhook?.url).toBe(url);
});

it('tells the user if the service rejects the webhook URL or its response is lost', async (person, world) => {
  await linkAccount(person);
  const turnOn = async () => {
    await person.say('/account');
    await person.tap('Turn on service reports');
    await person.tap('turn them on');
  };
  await world.fault('POST /webhooks/configure', 'rate-limit', { ms: 1_000 });
  await turnOn();
  await person.reads('The service refused to send its reports to me');
  await world.advance(2);
  await world.fault('POST /webhooks/configure', 'cut-after');
  await turnOn();
  await person.reads("so I can't tell whether it now sends its reports to me");
  await turnOn();
  await person.reads('Service reports are on');
  const card = await buy(person);
  await end(world, 'fill');
  await person.shows(card, 'Status: filled');
});
