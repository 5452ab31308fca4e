import { expect, test, vi } from 'vitest';
import type { BotContext } from '../../../src/bot/context.ts';
import { type InvoiceDeps, sendInvoiceCard } from '../../../src/features/invoices/invoice-cards.ts';
import { cardFingerprint, type InvoiceCard } from '../../../src/invoices/invoice.ts';
import { INVOICE_AT, invoiceOf } from '../../invoices/invoices-setup.ts';
import { TEXTS } from '../../support/texts.ts';

test('records the state that the card shows, even if the invoice expires during the send', async () => {
  const clock = { now: INVOICE_AT.expiresAt - 1_000 };
  const before = clock.now;
  const setCard = vi.fn<(ref: unknown, card: InvoiceCard) => Promise<InvoiceCard[]>>(async () => []);
  const ctx = {
    ...{ chat: { id: 501 }, from: { id: 501 }, words: TEXTS.in('en') },
    tx: { signal: new AbortController().signal },
    async replyWithPhoto() {
      clock.now += 3_000;
      return { message_id: 7 };
    },
  } as unknown as BotContext;
  const invoice = invoiceOf({ user: 501 });
  await sendInvoiceCard(
    {
      invoices: {
        ...{ setCard, checkBeforePayment: async (one: unknown) => one },
        cards: { beginSend: async () => false },
      } as never,
      invoiceLinks: () => ({}) as never,
      texts: TEXTS,
      now: () => clock.now,
    } as unknown as InvoiceDeps,
    ctx,
    invoice,
  );
  const [, card] = setCard.mock.lastCall ?? [];
  expect(card?.fingerprint).toBe(cardFingerprint(invoice, before, { isForMaker: card?.isForMaker ?? false }));
  expect(card?.fingerprint).not.toBe(
    cardFingerprint(invoice, clock.now, { isForMaker: card?.isForMaker ?? false }),
  );
});
