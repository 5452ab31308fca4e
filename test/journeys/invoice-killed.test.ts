import { expect, test } from 'vitest';
import { startBotProcess } from '../support/bot-process.ts';
import { eventually } from '../support/eventually.ts';
import { linkOf, onFirstInvoice, toInvoiceCard } from '../support/invoicing.ts';
import { redisUrl } from '../support/redis.ts';
import { linkAccount } from '../support/steps.ts';
import { GUEST, HOLDER, inWorld, type World } from '../support/world.ts';

const CREATE = 'POST /invoices';
const TEST_MS = 90_000;

/** Runs a journey with the bot in a separate process that can be killed. */
async function withBot(
  journey: (world: World, bot: { kill(): Promise<void>; revive(): Promise<void> }) => Promise<void>,
): Promise<void> {
  await inWorld({ redisUrl: await redisUrl(), push: false, replicas: 0 }, async (world) => {
    let bot = await startBotProcess(world);
    try {
      await journey(world, {
        kill: () => bot.kill(),
        async revive() {
          await Promise.all([
            world.control('DELETE', '/telegram/faults'),
            world.control('DELETE', '/rental/faults'),
          ]);
          bot = await startBotProcess(world);
        },
      });
    } finally {
      await bot.kill();
    }
  });
}

test(
  'killed before the response: does not repeat the request, and offers another invoice',
  () =>
    withBot(async (world, { kill, revive }) => {
      const person = world.person(HOLDER);
      await linkAccount(person, 'merchant-key');
      const card = await toInvoiceCard(person, { note: 'Thank you' });
      await world.fault(CREATE, 'latency', { ms: 300_000 });
      await person.tap('Confirm');
      await eventually(() => expect(world.asked(CREATE)).toBe(1));
      await kill();
      await revive();
      await person.shows(card, 'just make another one');
      expect(await world.told("Don't repeat")).toBe(0);
      expect(world.asked(CREATE)).toBe(1);
      await person.tap('Another one');
      const next = await person.readsBelow(card, 'Check before you confirm');
      await person.tap('Confirm');
      await person.shows(next, 'Invoice made');
      await person.readsBelow(next, 'Pay ');
      expect(world.asked(CREATE)).toBe(2);
    }),
  TEST_MS,
);

test(
  'killed while Telegram rejects the card: shows it later, and notifies once of the delivery',
  () =>
    withBot(async (world, { kill, revive }) => {
      const person = world.person(HOLDER);
      await linkAccount(person, 'merchant-key');
      const draft = await toInvoiceCard(person, { note: 'Thank you' });
      for (const method of ['sendPhoto', 'sendMessage'])
        await world.telegramFault(method, 'error', { times: 1_000 });
      await person.tap('Confirm');
      await person.shows(draft, 'Invoice made');
      await kill();
      await revive();
      const card = await person.readsBelow(draft, 'Pay ');
      // An edit proves that the bot has stored the card's message ID. If killed earlier, it would send another card.
      await world.person(GUEST).follow(linkOf(card));
      await person.shows(card, 'The link was opened.');
      await world.telegramFault('editMessageMedia', 'hang', { times: 1_000 });
      await onFirstInvoice(world, 'pay');
      await onFirstInvoice(world, 'delegate');
      await world.advance(60);
      await kill();
      await revive();
      await world.advance(60);
      await person.shows(card, 'Paid and delivered');
      await person.readsBelow(card, 'Delivered:');
      await world.settled();
      const said = await person.messages();
      expect(said.filter(({ text = '' }) => text.includes('Delivered:'))).toHaveLength(1);
      expect(said.filter(({ photo }) => photo)).toHaveLength(1);
      expect(world.asked(CREATE)).toBe(1);
    }),
  TEST_MS,
);

test(
  'killed before storing the ID of a card: sends another one, and a tap repairs it',
  () =>
    withBot(async (world, { kill, revive }) => {
      const person = world.person(HOLDER);
      await linkAccount(person, 'merchant-key');
      const draft = await toInvoiceCard(person, { note: 'Thank you' });
      await world.telegramFault('sendPhoto', 'hang', { after: true });
      await person.tap('Confirm');
      const first = await person.readsBelow(draft, 'Pay ');
      await kill();
      await revive();
      const second = await person.readsBelow(first, 'Pay ');
      const cards = async () => (await person.messages()).filter(({ photo }) => photo);
      expect((await cards()).map(({ message_id }) => message_id)).toEqual([
        first.message_id,
        second.message_id,
      ]);
      // The second card contained no payment address until its ID was stored.
      const sent = await world.control<{ params: { caption?: string } }[]>(
        'GET',
        '/telegram/calls?method=sendPhoto',
      );
      expect(sent.map(({ params: { caption = '' } }) => caption.includes('to this address:'))).toEqual([
        true,
        false,
      ]);
      const check = first.keyboard?.flat().find(({ data = '' }) => data.startsWith('invoice:check:'));
      await person.tapData(first.message_id, check?.data ?? '');
      await eventually(async () => expect(await cards()).toHaveLength(1));
      await onFirstInvoice(world, 'pay');
      await onFirstInvoice(world, 'delegate');
      await world.advance(60);
      await person.shows(first, 'Paid and delivered');
      await person.readsBelow(first, 'Delivered:');
    }),
  TEST_MS,
);
