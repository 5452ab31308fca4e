import { expect, test } from 'vitest';
import { shortenAddress } from '../../src/i18n/texts.ts';
import { eventually } from '../support/eventually.ts';
import { journey as it, journeysWith } from '../support/journey.ts';
import type { Person, ShownMessage } from '../support/person.ts';
import { buyEnergy, fillOrder, linkAccount, linkWithEvents, toCard } from '../support/steps.ts';
import { ADDRESS, HOLDER, inWorld, type World } from '../support/world.ts';

/** Fills the order of the receipt. Asserts that only the receipt changes and one reply is added. */
async function expectOnlyReceiptChanges(world: World, receipt: ShownMessage): Promise<void> {
  const person = world.person(HOLDER);
  await world.settled();
  const before = await person.messages();
  await fillOrder(world);
  await person.shows(receipt, 'Bought and delivered');
  await person.until('a reply', (shown) => shown.length > before.length);
  const after = await person.messages();
  const untouched = (shown: ShownMessage[]) =>
    shown.filter(({ message_id }) => message_id !== receipt.message_id);
  expect(untouched(after).slice(0, -1)).toEqual(untouched(before));
  expect(after.at(-1)).toMatchObject({ reply_to: receipt.message_id });
}

async function inPurchase(journey: (world: World, person: Person, receipt: ShownMessage) => Promise<void>) {
  await inWorld({}, async (world) => {
    const person = await linkWithEvents(world.person(HOLDER));
    await journey(world, person, await buyEnergy(person, 'Balance left'));
  });
}

test.concurrent('a delivery while another card is open changes only its receipt; the card can be confirmed', () =>
  inPurchase(async (world, person, receipt) => {
    const card = await toCard(person);
    await expectOnlyReceiptChanges(world, receipt);
    await person.confirm(card, 'Bought');
    expect(world.countRequests('POST /energy/buy')).toBe(2);
  }));
test.concurrent('taps below a receipt open new messages, even with the data of other buttons', () =>
  inPurchase(async (world, person, receipt) => {
    for (const data of [
      'menu:open',
      'menu:more',
      'energy:open',
      'account:open',
      'help:open',
      'settings:open',
    ]) {
      await person.tapData(receipt.message_id, data);
    }
    const fresh = await person.tapAndRead('Buy again', 'Review and confirm', receipt);
    expect(fresh.text).toContain(`Energy for (the sender): ${ADDRESS}`);
    expect(fresh.text).toContain('65,000 energy · 1 h');
    await world.settled();
    expect(await person.shows(receipt, 'Balance left')).toEqual(receipt);
  }));

it('updates only the receipt of the delivered order and sends one reply', async (person, world) => {
  await linkWithEvents(person);
  const other = await buyEnergy(person, 'Balance left');
  const card = await buyEnergy(person, 'Balance left');
  expect(card.text).toMatch(/^⏳ Bought, on its way[\s\S]*I'll tell you when it arrives\./);
  const messages = (await person.messages()).length;
  await fillOrder(world);
  const reply = await person.reads('Energy delivered', card);
  expect(reply.text?.split('\n')).toEqual([
    expect.stringMatching(/^✅ Energy delivered\. Send your USDT by \d\d:\d\d UTC\.$/),
    expect.stringMatching(new RegExp(`^⚡ 65,000 energy · 1 h → ${shortenAddress(ADDRESS)} · Order \\d+$`)),
  ]);
  expect(reply.reply_to).toBe(card.message_id);
  const filled = await person.shows(card, 'Bought and delivered');
  expect(filled.text).toContain('Charged: 2.32 TRX');
  expect(await person.messages()).toHaveLength(messages + 1);
  expect(await person.shows(other, 'Balance left')).toEqual(other);
  await eventually(async () =>
    expect((await world.rental()).webhook_log[0]).toMatchObject({ response_status: 200, attempts: 1 }),
  );
});

journeysWith({ onRedis: true, replicas: 2 })(
  'looks for the refunds of failed orders in the balance, also after a restart, and reports each once',
  async (person, world) => {
    await linkWithEvents(person);
    const first = await buyEnergy(person, 'Balance left');
    const failLatestOrder = async () => {
      const { orders } = await world.rental();
      await world.control('POST', `/rental/orders/${orders[0]?.order_id}/fail`);
    };
    const addToBalance = async (trx: number) => {
      const [account] = (await world.rental()).accounts;
      const balance_trx = (Number(account?.balance_trx) + trx).toFixed(6);
      await world.control('POST', `/rental/accounts/${account?.id}/balance`, { balance_trx });
    };

    await failLatestOrder();
    const seen = 'The balance is up 2.32 TRX: probably the refund.';
    const reply = await person.reads(seen, first);
    expect(reply).toMatchObject({
      reply_to: first.message_id,
      text: expect.stringMatching(/^❌ Not delivered/),
    });
    await person.shows(first, seen);

    // The second refund is late.
    const second = await buyEnergy(person, 'Balance left');
    await addToBalance(-2.32);
    await failLatestOrder();
    const waiting = await person.reads('No refund seen yet', second);
    await world.restart();
    await addToBalance(2.32);
    await world.advance(16);
    const late = await person.reads(seen, waiting);
    expect(late.reply_to).toBe(second.message_id);
    await person.shows(second, seen);
    await world.advance(3_600);
    await world.settled();
    expect((await person.messages()).at(-1)).toEqual(late);
  },
);

it('notifies a user who blocked the bot during a purchase once after unblocking it', async (person, world) => {
  const act = (what: 'block' | 'unblock') => world.control('POST', `/telegram/chats/${HOLDER}/${what}`);
  await linkAccount(person);
  const card = await toCard(person);
  await world.fault('POST /energy/buy', 'latency', { ms: 1_500 });
  await person.confirm(card, 'Buying');
  await act('block');
  await eventually(async () => expect((await world.rental()).orders).toHaveLength(1));
  await eventually(() => expect(world.log.join('\n')).toContain('an operation went through'));
  await eventually(async () => {
    const calls = await world.control<{ status: number }[]>('GET', '/telegram/calls?method=editMessageText');
    expect(calls.some(({ status }) => status === 403)).toBe(true);
  });

  await act('unblock');
  const reply = await person.reads('Bought', card);
  expect(reply.reply_to).toBe(card.message_id);
  await person.shows(card, 'Bought');
  await person.sayAndRead('/start', 'Energy and bandwidth on TRON', reply);
  await world.settled();
  const found = (await person.messages()).filter(
    ({ message_id, text }) => message_id > card.message_id && text?.includes('Bought'),
  );
  expect(found).toHaveLength(1);
});

it('finds by the balance that an order without alerts failed, and ends with the rental time otherwise', async (person, world) => {
  await linkAccount(person);
  const failed = await buyEnergy(person, 'Usually there within a minute');
  expect(failed.text).not.toMatch(/✅|You save/);
  const [order] = (await world.rental()).orders;
  await world.control('POST', `/rental/orders/${order?.order_id}/fail`);
  await world.advance(40);
  await person.reads('probably the order failed and was refunded', failed);
  await person.shows(failed, 'probably the order failed and was refunded');
  const unseen = await buyEnergy(person, 'Usually there within a minute');
  await world.advance(3_700);
  const { text } = await person.shows(unseen, 'Rental over.');
  expect(text).toContain('Your balance shows no refund.');
  await person.sayAndRead('/history', '⌛ 65,000 energy');
  const { text: history } = await person.sayAndRead('/history', '↩️ 65,000 energy');
  expect(history).toContain(`order ${order?.order_id}`);
});
