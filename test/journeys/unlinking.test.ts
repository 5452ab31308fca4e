import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { linkOf, makeInvoice, onFirstInvoice } from '../support/invoicing.ts';
import type { Person, ShownMessage } from '../support/person.ts';
import { linkAccount, linkWithEvents } from '../support/steps.ts';
import { GUEST, HOLDER, inWorld, type World } from '../support/world.ts';
import { readEvents } from '../web/invoice-page/served-page.ts';

const CONFIGURE = 'POST /webhooks/configure';
const MERCHANTS = 1002;

/** To the question, which names what is at stake. */
async function askToUnlink(person: Person): Promise<ShownMessage> {
  const { message_id = 0 } = await person.say('/account');
  await person.readsBelow({ message_id }, 'Two-factor codes');
  await person.tap('Unlink account');
  return person.readsBelow({ message_id }, 'Unlink the account with key');
}

/** The page of an invoice, as an open browser tab has it. */
async function openPage(card: ShownMessage) {
  const url = card.keyboard?.flat().find(({ text }) => text.includes('Copy page link'))?.copy ?? '';
  const events = readEvents(await fetch(`${url}/events`));
  return {
    says: async () => (await fetch(url)).text(),
    /** Waits until the stream tells that it stands so. */
    async hears(standing: string): Promise<void> {
      for (;;) {
        const event = await events.next();
        if (event === undefined) throw new Error(`the stream ended before it told of ${standing}`);
        if (event.startsWith('data: ') && JSON.parse(event.slice(6)).face.startsWith(standing)) return;
      }
    },
    close: events.stop,
  };
}

/** The address that the invoice made last is paid to. */
async function paymentAddressOf(world: World): Promise<string> {
  const { invoices } = await world.control<{ invoices: { payment_address: string }[] }>(
    'GET',
    '/rental/state',
  );
  return invoices.at(-1)?.payment_address ?? '';
}

const urlOf = async (world: World) =>
  (await world.rental()).accounts.find(({ id }) => id === MERCHANTS)?.webhook?.url;

/** A merchant's invoice that a payer has before them, in a chat and in a browser. */
async function shareInvoice(world: World) {
  const [merchant, payer] = [world.person(HOLDER), world.person(GUEST)];
  await linkWithEvents(merchant, 'merchant-key');
  const own = await makeInvoice(merchant, { note: 'Order 17' });
  await payer.follow(linkOf(own));
  const shared = await payer.reads('Pay ');
  const page = await openPage(own);
  await page.hears('open');
  return { merchant, payer, own, shared, page, address: await paymentAddressOf(world) };
}

test.concurrent('an invoice of an account that is unlinked is named before, is no longer checked then, and is again once it is linked', () =>
  inWorld({}, async (world) => {
    const { merchant, payer, own, shared, page, address } = await shareInvoice(world);
    for (const shown of [own, shared]) expect(shown.caption).toContain(address);
    expect(await page.says()).toContain(address);
    const asked = await askToUnlink(merchant);
    const [, number = '', price = ''] = /Invoice (\d+) · ([\d.]+) TRX/.exec(asked.text ?? '') ?? [];
    expect(own.caption).toContain(`Invoice ${number}`);
    expect(own.caption).toContain(`Pay ${price} TRX`);
    expect(asked.text).toContain("Invoices of this account that aren't settled yet: 1");
    expect(asked.text).toContain('To be paid');
    expect(asked.text).toContain('What is paid the service delivers all the same');

    await merchant.tap('Yes, unlink');
    const done = await merchant.shows(asked, 'I have forgotten its key');
    expect(done.text).toContain(`I no longer check one invoice of account ${MERCHANTS}`);
    expect(done.text).toContain('The service no longer sends me the reports');
    for (const [person, card] of [[merchant, own] as const, [payer, shared] as const]) {
      const shown = await person.shows(card, "No longer checked. Don't pay this invoice any more.");
      expect(JSON.stringify(shown)).not.toContain(address);
      expect(shown.keyboard?.flat().some(({ copy }) => copy !== undefined)).toBe(false);
    }
    await page.hears('unchecked');
    const html = await page.says();
    expect(html).toContain('No longer checked');
    expect(html).not.toContain(address);
    expect(html).not.toContain('class="qr"');

    const reads = world.asked(`GET /invoices/${number}`);
    await world.advance(600);
    await linkAccount(merchant, 'merchant-key');
    for (const [person, card] of [[merchant, own] as const, [payer, shared] as const])
      expect((await person.shows(card, 'Pay ')).caption).toContain(address);
    await page.hears('open');
    expect(await page.says()).toContain(address);
    expect(world.asked(`GET /invoices/${number}`)).toBeGreaterThan(reads);
    await onFirstInvoice(world, 'pay');
    await world.advance(60);
    for (const [person, card] of [[merchant, own] as const, [payer, shared] as const])
      await person.shows(card, 'Paid. The energy is on its way');
    await page.hears('paid');
    await page.close();
  }));

test.concurrent('what was paid keeps saying so, and that it is no longer checked; linked again it is seen to be delivered', () =>
  inWorld({}, async (world) => {
    const { merchant, payer, own, shared, page } = await shareInvoice(world);
    await onFirstInvoice(world, 'pay');
    await world.advance(60);
    await payer.shows(shared, 'Paid. The energy is on its way');
    await page.hears('paid');
    expect((await askToUnlink(merchant)).text).toMatch(/Paid · Invoice \d+/);
    await merchant.tap('Yes, unlink');
    const shown = await payer.shows(shared, "I can't check it any more");
    expect(shown.caption).toMatch(/^💰 Paid\. The energy is on its way\./);
    await page.hears('paid unchecked');
    await onFirstInvoice(world, 'delegate');
    await world.advance(1_200);
    await world.settled();
    await merchant.say('/invoices');
    const list = await merchant.reads('Tap a number to see its card');
    expect(list.text).toContain('No longer checked');
    await linkAccount(merchant, 'merchant-key');
    for (const [person, card] of [[merchant, own] as const, [payer, shared] as const])
      await person.shows(card, 'Paid and delivered');
    await page.close();
  }));

test.concurrent('another account in place of one leaves its invoices behind, which is said before the key is asked for', () =>
  inWorld({}, async (world) => {
    const { merchant, payer, shared, page } = await shareInvoice(world);
    const { message_id = 0 } = await merchant.say('/account');
    await merchant.readsBelow({ message_id }, 'Two-factor codes');
    await merchant.tapData(message_id, 'link:open');
    const question = await merchant.readsBelow({ message_id }, 'Waiting for your key');
    expect(question.text).toContain("If you link another, I can't check them any more");
    await merchant.say('demo-key');
    await merchant.readsBelow(question, `I no longer check one invoice of account ${MERCHANTS}`);
    await payer.shows(shared, 'No longer checked');
    await page.close();
  }));

test.concurrent('the address at the service is removed before the key is erased; of one whose removal isn’t known it is said', () =>
  inWorld({}, async (world) => {
    const { merchant, payer, shared, page } = await shareInvoice(world);
    expect(await urlOf(world)).toContain(world.origin);
    await askToUnlink(merchant);
    await world.fault(CONFIGURE, 'hang-after');
    await merchant.tap('Yes, unlink');
    await eventually(async () => expect(await urlOf(world)).toBeUndefined());
    // Its answer isn't there yet, and the key still is: that it was paid is seen by it.
    await onFirstInvoice(world, 'pay');
    await world.advance(60);
    await payer.shows(shared, 'Paid. The energy is on its way');
    const done = await merchant.reads('I have forgotten its key');
    expect(done.text).toContain("I couldn't have the service stop sending me the reports");
    await payer.shows(shared, "I can't check it any more");
    await page.close();
  }));
