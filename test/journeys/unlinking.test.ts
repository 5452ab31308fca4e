import { expect } from 'vitest';
import { z } from 'zod';
import { eventually } from '../support/eventually.ts';
import { journey as it } from '../support/journey.ts';
import type { Person, ShownMessage } from '../support/person.ts';
import { linkAccount, linkOf, linkWithEvents, makeInvoice, onFirstInvoice } from '../support/steps.ts';
import { GUEST, HOLDER, type World } from '../support/world.ts';

const MERCHANTS = 1002;

/** Asks to unlink the account. Returns the bot's question. */
async function askToUnlink(person: Person): Promise<ShownMessage> {
  const { message_id = 0 } = await person.say('/account');
  await person.reads('2FA: ', { message_id });
  return person.tapAndRead('Unlink account', 'Unlink the account with key', { message_id });
}

/** Opens the page of an invoice, like a browser tab. */
function openPage(card: ShownMessage) {
  const url = card.keyboard?.flat().find(({ text }) => text.includes('Copy page link'))?.copy ?? '';
  return {
    says: async () => (await fetch(url)).text(),
    /** Polls the status until it is this state. */
    hears: (state: string) =>
      eventually(async () => {
        const { fingerprint } = z
          .object({ fingerprint: z.string() })
          .parse(await (await fetch(`${url}/status`)).json());
        expect(fingerprint).toMatch(new RegExp(`^${state}`));
      }),
  };
}

/** Returns the payment address of the last invoice in the list of the service. */
async function paymentAddressOf(world: World): Promise<string> {
  const { invoices } = await world.control<{ invoices: { payment_address: string }[] }>(
    'GET',
    '/rental/state',
  );
  return invoices.at(-1)?.payment_address ?? '';
}

/** Makes a merchant's invoice and opens it as a payer, in a chat and on its page. */
async function shareInvoice(world: World) {
  const [merchant, payer] = [world.person(HOLDER), world.person(GUEST)];
  await linkWithEvents(merchant, 'merchant-key');
  const own = await makeInvoice(merchant, { note: 'Order 17' });
  await payer.follow(linkOf(own));
  const shared = await payer.reads('Pay ');
  const page = openPage(own);
  await page.hears('open');
  return { merchant, payer, own, shared, page, address: await paymentAddressOf(world) };
}

it('does not check invoices of an unlinked account until it is linked again', async (_person, world) => {
  const { merchant, payer, own, shared, page, address } = await shareInvoice(world);
  for (const shown of [own, shared]) expect(shown.caption).toContain(address);
  expect(await page.says()).toContain(address);
  const question = await askToUnlink(merchant);
  const [, number = '', price = ''] = /Invoice (\d+) · ([\d.]+) TRX/.exec(question.text ?? '') ?? [];
  expect(own.caption).toContain(`Invoice ${number}`);
  expect(own.caption).toContain(`Pay ${price} TRX`);
  expect(question.text).toContain('Open invoices: 1');
  expect(question.text).toContain('Awaiting payment');
  expect(question.text).toContain('paid ones are still delivered');

  const done = await merchant.tapToShow('Yes, unlink', question, 'API key deleted');
  expect(done.text).toContain(`Invoices of account ${MERCHANTS} no longer checked: 1`);
  expect(done.text).toContain('Alerts of account');
  for (const [person, card, first] of [
    [merchant, own, "No longer checked. Your customer shouldn't pay it."],
    [payer, shared, "No longer checked. Don't pay this invoice."],
  ] as const) {
    const shown = await person.shows(card, first);
    expect(JSON.stringify(shown)).not.toContain(address);
    expect(shown.keyboard?.flat().some(({ copy }) => copy !== undefined)).toBe(false);
  }
  await page.hears('unchecked');
  const html = await page.says();
  expect(html).toContain('No longer checked');
  expect(html).not.toContain(address);
  expect(html).not.toContain('class="qr"');

  const reads = world.countRequests(`GET /invoices/${number}`);
  await world.advance(600);
  await linkAccount(merchant, 'merchant-key');
  for (const [person, card] of [[merchant, own] as const, [payer, shared] as const])
    expect((await person.shows(card, 'Pay ')).caption).toContain(address);
  await page.hears('open');
  expect(await page.says()).toContain(address);
  expect(world.countRequests(`GET /invoices/${number}`)).toBeGreaterThan(reads);
  await onFirstInvoice(world, 'pay');
  await world.advance(60);
  for (const [person, card] of [[merchant, own] as const, [payer, shared] as const])
    await person.shows(card, 'Paid. The energy is on its way');
  await page.hears('paid');
});
