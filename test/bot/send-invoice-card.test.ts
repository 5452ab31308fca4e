import { expect, test, vi } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { sendInvoiceCard } from '../../src/bot/invoice-cards.ts';
import { cardFingerprint, type InvoiceCard } from '../../src/invoices/invoice.ts';
import { INVOICE_AT, invoiceOf } from '../invoices/sample-invoices.ts';
import { TEXTS } from '../support/texts.ts';

test('records the state that the card shows, even if the invoice expires during the send', async () => {
  const texts = TEXTS;
  const clock = { now: INVOICE_AT.expiresAt - 1_000 };
  const before = clock.now;
  const setCard = vi.fn<(ref: unknown, card: InvoiceCard) => Promise<InvoiceCard[]>>(async () => []);
  const ctx = {
    ...{ chat: { id: 501 }, from: { id: 501 }, words: texts.in('en') },
    tx: { signal: new AbortController().signal },
    async replyWithPhoto() {
      clock.now += 3_000;
      return { message_id: 7 };
    },
  } as unknown as BotContext;
  const invoice = invoiceOf();
  await sendInvoiceCard(
    {
      invoices: {
        ...{ setCard, checkBeforePayment: async (one: unknown) => one },
        cards: { beginSend: async () => false },
      } as never,
      invoiceLinks: () => ({}) as never,
      texts,
      now: () => clock.now,
    },
    ctx,
    invoice,
  );
  const [, card] = setCard.mock.lastCall ?? [];
  expect(card?.fingerprint).toBe(cardFingerprint(invoice, before, { isForMaker: card?.isForMaker ?? false }));
  expect(card?.fingerprint).not.toBe(
    cardFingerprint(invoice, clock.now, { isForMaker: card?.isForMaker ?? false }),
  );
});
