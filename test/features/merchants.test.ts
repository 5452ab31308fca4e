import { describe, expect, test } from 'vitest';
import { buttonsOf } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';
import { sell } from './sold.ts';

type Chat = Awaited<ReturnType<typeof openChat>>;

const dataOf = (chat: Chat) => Object.values(buttonsOf(chat.last()));
const labelsOf = (chat: Chat) => Object.keys(buttonsOf(chat.last()));
const delivered = { status: 'delegated' };
const paid = { status: 'paid' };

describe('a merchant', () => {
  const FIRST = ['🧾 New invoice', '🧾 Invoices', '⚡ Buy energy'];

  test('has New invoice and Invoices first after the first shared invoice', async () => {
    const chat = await openChat('en');
    await sell(chat, { shared: false });
    await chat.write('/start');
    expect(labelsOf(chat)[0]).toBe('⚡ Buy energy');
    expect(labelsOf(chat)).toHaveLength(8);
    await sell(chat);
    await chat.write('/start');
    expect(labelsOf(chat).slice(0, 3)).toEqual(FIRST);
    expect(labelsOf(chat)).toHaveLength(8);
    expect(dataOf(chat)).not.toContain('smart-mode:open');
    await chat.tap('menu:more');
    expect(dataOf(chat)).toContain('smart-mode:open');
    await chat.tap('invoice:open');
    expect(chat.last().html).toContain('New invoice');
  });

  test('can change this in the settings, and later invoices do not override it', async () => {
    const chat = await openChat('en');
    await chat.write('/settings');
    await chat.tap('settings:sell:yes');
    expect(labelsOf(chat)).toContain('☑ I sell: New invoice first');
    await chat.write('/start');
    expect(labelsOf(chat).slice(0, 3)).toEqual(FIRST);
    await chat.tap('settings:sell:no');
    expect(labelsOf(chat)).toContain('☐ I sell: New invoice first');
    await sell(chat);
    await chat.write('/start');
    expect(labelsOf(chat)[0]).toBe('⚡ Buy energy');
  });

  test('stays a merchant with another account, but not without an account', async () => {
    const chat = await openChat('en');
    await sell(chat);
    await chat.links.link(USER, 1002, 'another-key-of-the-tests', 'en');
    await chat.write('/start');
    expect(labelsOf(chat).slice(0, 3)).toEqual(FIRST);
    await chat.links.unlink(USER);
    await chat.write('/settings');
    expect(dataOf(chat).some((data) => data.startsWith('settings:sell'))).toBe(false);
    await chat.tap('settings:sell:yes');
    await sell(chat);
    expect(await chat.links.find(USER)).toBeUndefined();
  });
});

describe('repeating an invoice for another customer', () => {
  test.each(['operation', 'invoice'])(
    'keeps everything except the note, from the card of the %s',
    async (feature) => {
      const chat = await openChat('en');
      const { id } = await sell(chat, { note: 'Order 17', duration_hours: 24, stands: delivered });
      await chat.tap(`${feature}:again:${id}`);
      expect(chat.last().html).toContain('Same again for another customer');
      expect(chat.last().html).toContain('🧾 Invoice · 2 transfers (130,000 energy) · 24 hours');
      expect(chat.last().html).toContain(`<code>${ADDRESS}</code>`);
      expect(chat.last().html).not.toContain('Order 17');
      await chat.write('Order 18');
      expect(chat.last().html).toContain('Check before you confirm');
      expect(chat.last().html).toContain('130,000 energy) · 24 hours');
      const made = await chat.deps.operations.drafts.find({ user: USER, id: operationIn(chat) });
      expect(made?.request).toEqual({
        kind: 'invoice',
        address: ADDRESS,
        transfers: 2,
        duration_hours: 24,
        shared: true,
        note: 'Order 18',
      });
    },
  );

  test('can change the address and omit the note', async () => {
    const chat = await openChat('en');
    const { id } = await sell(chat, { note: 'Order 17' });
    await chat.tap(`operation:again:${id}`);
    await chat.write('Another address');
    expect(chat.last().html).toContain('Which address sends the USDT this time?');
    await chat.write('TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4');
    expect(chat.last().html).toContain('<code>TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4</code>');
    await chat.write('Without a line');
    const made = await chat.deps.operations.drafts.find({ user: USER, id: operationIn(chat) });
    expect(made?.request).toMatchObject({ address: 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4', transfers: 2 });
    expect(made?.request).not.toHaveProperty('note');
  });

  test('treats an address typed as the note as the new address, and asks again', async () => {
    const chat = await openChat('en');
    const { id } = await sell(chat, { note: 'Order 17' });
    await chat.tap(`operation:again:${id}`);
    await chat.write('for TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4 please');
    expect(chat.last().html).toContain('<code>TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4</code>');
    await chat.write('Order 18');
    const made = await chat.deps.operations.drafts.find({ user: USER, id: operationIn(chat) });
    expect(made?.request).toMatchObject({
      address: 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4',
      note: 'Order 18',
    });
    expect(chat.last().html).toContain('The seller writes: <code>Order 18</code>');
  });

  test('keeps the note if the invoice was not paid', async () => {
    const chat = await openChat('en');
    const { id } = await sell(chat, { note: 'Order 17', stands: { status: 'expired' } });
    await chat.tap(`invoice:show:${id}`);
    expect(labelsOf(chat)).toContain('Another one');
    await chat.tap(`invoice:again:${id}`);
    expect(chat.last().html).toContain('Check before you confirm');
    const made = await chat.deps.operations.drafts.find({ user: USER, id: operationIn(chat) });
    expect(made?.request).toMatchObject({ note: 'Order 17' });
  });

  test('has its own button on the receipt and the card, in both languages', async () => {
    for (const [language, label] of [
      ['en', 'Same again for another customer'],
      ['ru', 'То же другому покупателю'],
    ] as const) {
      const chat = await openChat(language);
      const { id } = await sell(chat, { stands: paid });
      await chat.tap(`history:receipt:${id}`);
      expect(labelsOf(chat)).toContain(label);
      await chat.tap(`invoice:show:${id}`);
      expect(labelsOf(chat)).toContain(label);
    }
  });
});

function operationIn(chat: Chat): string {
  return /Operation (\w{8})/.exec(chat.last().html)?.[1] ?? '';
}
