import { expect, test, vi } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { placeInvoice } from '../../src/bot/invoice-cards.ts';
import { faceOf, type InvoiceCard } from '../../src/invoices/invoice.ts';
import { INVOICE_AT, invoiceOf } from '../invoices/cards.ts';
import { TEXTS } from '../support/texts.ts';

test('records the state that the card shows, even if the invoice expires during the send', async () => {
  const texts = TEXTS;
  const clock = { now: INVOICE_AT.expiresAt - 1_000 };
  const before = clock.now;
  const placed = vi.fn<(ref: unknown, card: InvoiceCard) => Promise<InvoiceCard[]>>(async () => []);
  const ctx = {
    ...{ chat: { id: 501 }, from: { id: 501 }, words: texts.in('en') },
    tx: { signal: new AbortController().signal },
    async replyWithPhoto() {
      clock.now += 3_000;
      return { message_id: 7 };
    },
  } as unknown as BotContext;
  const invoice = invoiceOf();
  await placeInvoice(
    {
      invoices: {
        ...{ placed, checkBeforePayment: async (one: unknown) => one },
        shows: { beginSend: async () => false },
      } as never,
      invoiceLinks: () => ({}) as never,
      texts,
      now: () => clock.now,
    },
    ctx,
    invoice,
  );
  const [, card] = placed.mock.lastCall ?? [];
  expect(card?.shown).toBe(faceOf(invoice, before, { own: card?.own ?? false }));
  expect(card?.shown).not.toBe(faceOf(invoice, clock.now, { own: card?.own ?? false }));
});
