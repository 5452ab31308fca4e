import { PNG } from 'pngjs';
import { describe, expect, test, vi } from 'vitest';
import type { BotUser, Users } from '../../src/accounts/users.ts';
import {
  cardFingerprint,
  type Invoice,
  type InvoiceCard,
  TRACKED_AFTER_EXPIRY_MS,
} from '../../src/invoices/invoice.ts';
import { createInvoiceMessages } from '../../src/notifications/messages.ts';
import type { Outbox } from '../../src/notifications/outbox.ts';
import { closedInvoiceSvg } from '../../src/pictures/invoice-picture.ts';
import { qrCode } from '../../src/pictures/qr-code.ts';
import type { RenderPicture } from '../../src/pictures/render.ts';
import { createMessageAttempts } from '../../src/platform/attempts.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { PhotoContent, Sender, Sent } from '../../src/telegram/sender.ts';
import { ANY, INVOICE_AT, invoiceOf } from '../invoices/invoices-setup.ts';
import { HASH } from '../operations/rental-stand-in.ts';
import { recordingLog } from '../support/log-lines.ts';
import { TEXTS } from '../support/texts.ts';

const CARD = 40;
const NEWS = 41;
const END = INVOICE_AT.expiresAt;

function desk({ at = INVOICE_AT.createdAt } = {}) {
  const clock = { now: at };
  const { log, lines } = recordingLog();
  const sender = {
    send: vi.fn<Sender['send']>(async () => ({ kind: 'sent', messageId: NEWS })),
    edit: vi.fn<Sender['edit']>(async (_chat, messageId) => ({ kind: 'sent', messageId })),
    delete: vi.fn<Sender['delete']>(async (_chat, messageId) => ({ kind: 'sent', messageId })),
    sendPhoto: vi.fn<Sender['sendPhoto']>(async () => ({ kind: 'sent', messageId: CARD })),
    editPhoto: vi.fn<Sender['editPhoto']>(async (_chat, messageId) => ({ kind: 'sent', messageId })),
  };
  /** Returns the SVG instead of a PNG. */
  const renderPicture = vi.fn<RenderPicture>(async (svg) => Buffer.from(svg));
  const users = { find: vi.fn<Users['find']>(async () => undefined) };
  const outbox = { add: vi.fn<Outbox['add']>(async () => undefined) };
  const show = createInvoiceMessages({
    supportUrl: undefined,
    sender,
    renderPicture,
    attempts: createMessageAttempts({ storage: createMemoryStorage({ now: () => clock.now }) }),
    texts: TEXTS,
    users,
    outbox,
    links: () => undefined,
    now: () => clock.now,
    log,
  });
  return { clock, sender, renderPicture, lines, users, outbox, show };
}

/** A card that shows the unpaid invoice. */
const cardOf = (more: Partial<InvoiceCard> = {}): InvoiceCard => ({
  chat: 502,
  language: 'en',
  isForMaker: true,
  message: CARD,
  fingerprint: cardFingerprint(invoiceOf(), INVOICE_AT.createdAt, { isForMaker: true }),
  notifiedStatus: 'pending',
  ...more,
});
/** A card that wasn't sent yet. */
const freshCard = (): InvoiceCard => {
  const { message: _, fingerprint: __, notifiedStatus: ___, ...fresh } = cardOf();
  return fresh;
};
const UNCLEAR: Sent = { kind: 'unclear', reason: 'UND_ERR_SOCKET' };
/** Result of showing a paid invoice on its card. */
const SHOWN_AS_PAID = { kind: 'updated', message: CARD, notifiedStatus: 'paid' };
const PAID = invoiceOf({ status: 'paid', paidAt: END - 60_000 });
const DELIVERED = invoiceOf({ status: 'delegated', txHash: HASH });
/** A card whose chat has a reply about the payment. */
const NOTIFIED_AS_PAID = cardOf({ followUp: NEWS, notifiedStatus: 'paid', fingerprint: 'paid ' });

const photoOf = ({ mock }: { mock: { lastCall?: unknown[] } }) =>
  mock.lastCall?.find((one) => typeof one === 'object' && one !== null && 'photo' in one) as PhotoContent;

test('tells a buyer and a customer, and notifies a seller, that the invoice has expired, once, although the clock was set back', async () => {
  const { clock, sender, outbox, show } = desk({ at: END });
  const EXPIRED = { kind: 'updated', message: CARD, notifiedStatus: 'expired' };
  const own = invoiceOf({ shared: false, checkedAt: END });
  expect(await show(own, cardOf())).toEqual({ ...EXPIRED, followUp: NEWS });
  const { html = '' } = sender.send.mock.lastCall?.[1] ?? {};
  expect(html).toContain(`Invoice ${own.number} expired.`);
  expect(html).toContain("Don't send more.");
  // The service reports it later.
  await show({ ...own, status: 'expired' }, cardOf({ notifiedStatus: 'expired' }));
  clock.now = END - 60_000;
  const known = await show(own, cardOf({ notifiedStatus: 'expired' }));
  expect(known).toEqual({ kind: 'updated', message: CARD });
  clock.now = END;
  expect(outbox.add).not.toHaveBeenCalled();
  const sold = invoiceOf({ shared: true, checkedAt: END });
  expect(await show(sold, cardOf())).toEqual(EXPIRED);
  await show({ ...sold, status: 'expired' }, cardOf({ notifiedStatus: 'expired' }));
  const { id, number, energy, hours, address, note, paymentAddress } = sold;
  const data = { id, number, energy, hours, address, note, paymentAddress, card: CARD };
  expect(outbox.add.mock.calls).toEqual([[{ kind: 'invoice-expired', id: sold.id, chat: 502, data }]]);
  expect(sender.send).toHaveBeenCalledOnce();
  // The customer who opened it, too.
  const opened = cardOf({ chat: 503, isForMaker: false });
  expect(await show(sold, opened)).toEqual({ ...EXPIRED, followUp: NEWS });
  expect(sender.send.mock.lastCall?.[0]).toBe(503);
  expect(sender.send.mock.lastCall?.[1].html).toMatch(
    new RegExp(`expired.*Don't send more.*\\n🔎 <a href="[^"]*${paymentAddress}">See what has arrived`),
  );
  await show({ ...sold, status: 'expired' }, { ...opened, notifiedStatus: 'expired' });
  expect(sender.send).toHaveBeenCalledTimes(2);
});

test.each([true, false])(
  "announces no expiry before the service has responded after the deadline (a seller's: %s)",
  async (shared) => {
    const { sender, outbox, show } = desk({ at: END });
    await show(invoiceOf({ shared, checkedAt: END - 1 }), cardOf({ notifiedStatus: 'pending' }));
    expect(photoOf(sender.editPhoto).html).toContain("I don't know whether it was paid");
    sender.editPhoto.mockResolvedValueOnce({ kind: 'gone' });
    await show(invoiceOf({ shared, checkedAt: END - 1 }), cardOf({ notifiedStatus: 'pending' }));
    for (const called of [sender.send, sender.sendPhoto, outbox.add]) expect(called).not.toHaveBeenCalled();
  },
);

test('writes the card and the reply in the language that the user has now', async () => {
  const { sender, users, show } = desk();
  users.find.mockResolvedValue({ language: 'ru' } as BotUser);
  await show(PAID, cardOf());
  expect(photoOf(sender.editPhoto).html).toContain('Оплачен. Энергия в пути.');
  expect(sender.send.mock.lastCall?.[1].html).toContain('Пока не отправляйте USDT');
});

test.each([
  ['paid', PAID],
  ['delivered', DELIVERED],
  ['not delivered', invoiceOf({ status: 'failed' })],
])('names the note or the address to the seller of an invoice that is %s', async (_, invoice) => {
  const { sender, show } = desk();
  const said = () => sender.send.mock.lastCall?.[1].html;
  await show({ ...invoice, shared: true, note: 'Anna <4>' }, cardOf());
  expect(said()).toMatch(/\nNote: <code>Anna &#60;4&#62;<\/code>$/);
  await show({ ...invoice, shared: true }, cardOf());
  expect(said()).toMatch(/ energy → T\w{5}…\w{6}\n| for <code>T\w{33}</);
  await show({ ...invoice, shared: true, note: 'Anna' }, cardOf({ chat: 503, isForMaker: false }));
  expect(said()).not.toMatch(/Anna/);
});

test('lets the maker of a failed invoice make the same again below the reply', async () => {
  const { sender, show } = desk();
  const failed = { ...invoiceOf({ status: 'failed' }), shared: true };
  await show(failed, cardOf());
  expect(sender.send.mock.lastCall?.[1].html).toContain('Tap <i>Same again</i>.');
  const again = { text: 'Same again', callback_data: `invoice:again:${failed.id}` };
  expect(sender.send.mock.lastCall?.[1].keyboard).toEqual([[again]]);
  await show(failed, cardOf({ chat: 503, isForMaker: false }));
  expect(sender.send.mock.lastCall?.[1]).not.toHaveProperty('keyboard');
});

test('sends a new card with its code and no reply', async () => {
  const { sender, show } = desk();
  const shown = { kind: 'updated', message: CARD, notifiedStatus: 'pending' };
  expect(await show(invoiceOf(), freshCard())).toEqual(shown);
  expect(photoOf(sender.sendPhoto).photo).toEqual(qrCode(invoiceOf().paymentAddress));
  expect(sender.send).not.toHaveBeenCalled();
});

test('shows the invoice in a text message, or asks for a new one if that was deleted', async () => {
  const { sender, show } = desk();
  const { fingerprint: _, notifiedStatus: __, ...text } = cardOf({ isText: true });
  const shown = { kind: 'updated', message: CARD, notifiedStatus: 'pending' };
  expect(await show(invoiceOf(), text)).toEqual(shown);
  expect(sender.editPhoto.mock.lastCall?.[3]).toBe(false);
  sender.editPhoto.mockResolvedValueOnce({ kind: 'gone' });
  expect(await show(invoiceOf(), text)).toEqual({ kind: 'later', afterMs: 0, isLost: true });
  expect(sender.sendPhoto).not.toHaveBeenCalled();
});

test('keeps the picture until the deadline, then removes code and address to copy', async () => {
  const { clock, sender, show } = desk({ at: END - 60_000 });
  expect(await show(invoiceOf(), cardOf())).toMatchObject({ kind: 'updated', message: CARD });
  expect(sender.editPhoto.mock.lastCall?.[3]).toBe(true);
  clock.now = END;
  await show(invoiceOf(), cardOf({ fingerprint: 'ending ' }));
  const over = photoOf(sender.editPhoto);
  expect(sender.editPhoto.mock.lastCall?.[3]).toBe(false);
  expect(over.photo).toEqual(Buffer.from(closedInvoiceSvg()));
  const { paymentAddress } = invoiceOf();
  expect(JSON.stringify(over).replace(`address/${paymentAddress}`, '')).not.toContain(paymentAddress);
});

test("replaces the picture of a merchant's card when its link is another one", async () => {
  const { sender, show } = desk();
  const invoice = invoiceOf({ shared: true, share: 'sealed-new-token' });
  const fingerprint = cardFingerprint(
    { ...invoice, share: 'sealed-old-token' },
    INVOICE_AT.createdAt,
    cardOf(),
  );
  expect(fingerprint).not.toBe(cardFingerprint(invoice, INVOICE_AT.createdAt, cardOf()));
  await show(invoice, cardOf({ fingerprint }));
  expect(sender.editPhoto.mock.lastCall?.[3]).toBe(false);
});

test.each([
  ['en', PAID, ['Paid, on its way', '130,000 energy', 'for 1 h', 'Price: 4.64 TRX or 1.39 USDT']],
  ['en', DELIVERED, ['Delivered', '130,000 energy', 'for 1 h', 'Price: 4.64 TRX or 1.39 USDT']],
  ['ru', DELIVERED, ['Доставлено', '130 000 энергии', 'на 1 ч', 'Цена: 4,64 TRX или 1,39 USDT']],
] as const)('pictures a paid invoice in %s', async (language, invoice, parts) => {
  const { sender, show } = desk();
  await show(invoice, cardOf({ language }));
  expect(sender.editPhoto.mock.lastCall?.[3]).toBe(false);
  const svg = photoOf(sender.editPhoto).photo.toString().replaceAll('\u00a0', ' ');
  for (const part of parts) expect(svg).toContain(`>${part}</text>`);
});

test('replaces the QR code of a paid invoice although the new picture can not be rendered', async () => {
  const { sender, show, renderPicture } = desk();
  renderPicture.mockResolvedValue(undefined);
  expect(await show(DELIVERED, cardOf())).toMatchObject({ kind: 'updated' });
  expect(sender.editPhoto.mock.lastCall?.[3]).toBe(false);
  const { photo, html } = photoOf(sender.editPhoto);
  expect(html).toContain('Paid and delivered');
  const { data } = PNG.sync.read(photo);
  expect(data.every((value) => value === 255)).toBe(true);
});

describe.each<Sent>([
  { kind: 'refused', reason: 'PHOTO_INVALID_DIMENSIONS' },
  { kind: 'failed', reason: 'Internal Server Error' },
])('when Telegram responds to a picture with $kind', (answer) => {
  const asText = cardOf({ isText: true });

  test('sends the card as text, with address, amounts, deadline and buttons', async () => {
    const { sender, show, lines } = desk();
    sender.sendPhoto.mockResolvedValueOnce(answer);
    const shown = { kind: 'updated', message: NEWS, notifiedStatus: 'pending', isText: true };
    expect(await show(invoiceOf(), freshCard())).toEqual(shown);
    const [, { html, keyboard } = { html: '' }] = sender.send.mock.lastCall ?? [];
    expect(html).toContain(`<code>${invoiceOf().paymentAddress}</code>`);
    expect(html).toContain('4.64 TRX or 1.39 USDT');
    expect(html).toContain(`unix="${END / 1000}"`);
    expect(JSON.stringify(keyboard)).toContain('copy_text');
    expect(lines()).toMatchObject([
      { level: 'warn', invoice: 'op1', reason: 'reason' in answer && answer.reason },
    ]);
  });

  test('edits such a text and removes the address once the invoice is paid', async () => {
    const { sender, show } = desk();
    sender.editPhoto.mockResolvedValue(answer);
    expect(await show(PAID, asText)).toMatchObject({ ...SHOWN_AS_PAID, isText: true });
    expect(sender.edit.mock.lastCall?.[1]).toBe(CARD);
    expect(JSON.stringify(sender.edit.mock.lastCall)).not.toContain(invoiceOf().paymentAddress);
    expect(sender.sendPhoto).not.toHaveBeenCalled();
  });

  test('adds the picture once Telegram accepts it', async () => {
    const { sender, show } = desk();
    expect(await show(invoiceOf(), asText)).toEqual({ kind: 'updated', message: CARD });
    expect(photoOf(sender.editPhoto).photo).toEqual(qrCode(invoiceOf().paymentAddress));
    expect(sender.editPhoto.mock.lastCall?.[3]).toBe(false);
    expect(sender.edit).not.toHaveBeenCalled();
  });

  test('retries later if the text fails too', async () => {
    const { sender, show } = desk();
    sender.sendPhoto.mockResolvedValueOnce(answer);
    sender.send.mockResolvedValueOnce({ kind: 'failed', reason: 'Internal Server Error' });
    expect(await show(invoiceOf(), freshCard())).toEqual({
      kind: 'later',
      afterMs: 5_000,
      message: undefined,
    });
  });

  test('remembers a card that was sent as text if the reply to it fails', async () => {
    const { sender, show } = desk();
    sender.sendPhoto.mockResolvedValueOnce(answer);
    sender.send
      .mockResolvedValueOnce({ kind: 'sent', messageId: 90 })
      .mockResolvedValueOnce({ kind: 'away', reason: '' });
    expect(await show(PAID, freshCard())).toMatchObject({ kind: 'later', message: 90, isText: true });
  });
});

test('changes at least the text of a photo if Telegram refuses the new picture', async () => {
  const { sender, show } = desk();
  sender.editPhoto.mockResolvedValueOnce({ kind: 'refused', reason: 'MEDIA_EMPTY' });
  expect(await show(PAID, cardOf())).toMatchObject(SHOWN_AS_PAID);
  expect(sender.editPhoto.mock.calls.map((call) => call[3])).toEqual([false, true]);
  expect(photoOf(sender.editPhoto).html).not.toContain(invoiceOf().paymentAddress);
});

test('reports the delivery in a new reply, which replaces the one about the payment', async () => {
  const { sender, show } = desk();
  expect(await show(PAID, cardOf())).toEqual({ ...SHOWN_AS_PAID, followUp: NEWS });
  expect(sender.send.mock.lastCall?.[2]).toBe(CARD);
  expect(sender.send.mock.lastCall?.[1].html).toContain("Don't send your USDT yet");
  expect(sender.delete).not.toHaveBeenCalled();
  sender.send.mockResolvedValueOnce({ kind: 'sent', messageId: 77 });
  const shown = { kind: 'updated', message: CARD, followUp: 77, notifiedStatus: 'delegated' };
  expect(await show(DELIVERED, NOTIFIED_AS_PAID)).toEqual(shown);
  expect(sender.delete.mock.calls).toEqual([[502, NEWS]]);
  expect(sender.send.mock.lastCall?.[1].html).toContain('Delivered');
  expect(sender.send.mock.lastCall?.[2]).toBe(CARD);
  expect(photoOf(sender.editPhoto).html).toContain(HASH);
  expect(sender.edit).not.toHaveBeenCalled();
});

test.each<Sent>([{ kind: 'later', afterMs: 5_000 }, { kind: 'away', reason: '' }, UNCLEAR])(
  'sends no second reply while the first one stays: $kind',
  async (deleted) => {
    const { sender, show } = desk();
    sender.delete.mockResolvedValueOnce(deleted);
    expect(await show(DELIVERED, NOTIFIED_AS_PAID)).toMatchObject({ kind: 'later', afterMs: 5_000 });
    expect(sender.send).not.toHaveBeenCalled();
    expect(await show(DELIVERED, NOTIFIED_AS_PAID)).toMatchObject({ notifiedStatus: 'delegated' });
    expect(sender.send).toHaveBeenCalledTimes(1);
  },
);

test('reports the delivery although the reply about the payment can not be deleted', async () => {
  const { sender, show } = desk();
  sender.delete.mockResolvedValueOnce({ kind: 'refused', reason: 'message to delete not found' });
  expect(await show(DELIVERED, NOTIFIED_AS_PAID)).toMatchObject({ notifiedStatus: 'delegated' });
  expect(sender.send).toHaveBeenCalledTimes(1);
});

test.each([true, false])('reports a late payment (own: %s) and its delivery', async (own) => {
  const { sender, show } = desk({ at: END + 3600_000 });
  const late = invoiceOf({ status: 'paid', paidAt: END + 60_000 });
  await show(late, cardOf({ isForMaker: own, fingerprint: 'over ', notifiedStatus: 'expired' }));
  expect(sender.send.mock.lastCall?.[1].html).toContain('Paid too late');
  expect(photoOf(sender.editPhoto).html).toContain('Paid too late');
  await show(
    DELIVERED,
    cardOf({ isForMaker: own, fingerprint: 'late ', notifiedStatus: 'paid', followUp: NEWS }),
  );
  expect(sender.send.mock.lastCall?.[1].html).toContain('Delivered');
});

describe('a deleted card', () => {
  test('is not sent again while the invoice can be paid', async () => {
    const { sender, show } = desk({ at: END - 60_000 });
    sender.editPhoto.mockResolvedValue({ kind: 'gone' });
    expect(await show(invoiceOf(), cardOf())).toMatchObject({ kind: 'updated', message: CARD });
    expect(sender.sendPhoto).not.toHaveBeenCalled();
  });

  test.each([
    ['paid', PAID],
    ['delivered', DELIVERED],
    ['over', invoiceOf({ status: 'expired' })],
  ])('is sent again once the invoice is %s', async (_, invoice) => {
    const { sender, show } = desk();
    sender.editPhoto.mockResolvedValue({ kind: 'gone' });
    sender.sendPhoto.mockResolvedValueOnce({ kind: 'sent', messageId: 90 });
    expect(await show(invoice, cardOf())).toMatchObject({ kind: 'updated', message: 90 });
  });

  test('is dropped if its chat is gone too', async () => {
    const { sender, show } = desk();
    sender.editPhoto.mockResolvedValue({ kind: 'gone' });
    sender.sendPhoto.mockResolvedValue({ kind: 'gone' });
    expect(await show(PAID, cardOf())).toMatchObject({ kind: 'gone' });
  });
});

describe('a card that cannot be shown now', () => {
  const away: [string, Sent, number][] = [
    ['429', { kind: 'later', afterMs: 7_000 }, 7_000],
    ['no connection', { kind: 'failed', reason: 'ECONNREFUSED' }, 5_000],
  ];
  test.each(away)('is retried later after %s without forgetting its message', async (_, sent, afterMs) => {
    const { sender, show } = desk();
    sender.editPhoto.mockResolvedValueOnce(sent);
    expect(await show(PAID, cardOf())).toEqual({ kind: 'later', afterMs, message: CARD });
    expect(sender.send).not.toHaveBeenCalled();
    sender.send.mockResolvedValueOnce(sent);
    expect(await show(PAID, cardOf())).toEqual({ kind: 'later', afterMs, message: CARD });
    sender.send.mockResolvedValueOnce(sent);
    // A photo that was sent isn't sent again after its reply failed.
    expect(await show(PAID, freshCard())).toMatchObject({ kind: 'later', message: CARD });
  });

  test.each(['an edit', 'a new card'])('is shown again if the result of %s is unknown', async (what) => {
    const { sender, show } = desk();
    sender.editPhoto.mockResolvedValue(UNCLEAR);
    sender.sendPhoto.mockResolvedValue(UNCLEAR);
    const asked = what === 'a new card' ? freshCard() : cardOf();
    const later = what === 'an edit' ? { afterMs: 5_000, message: CARD } : { afterMs: 30_000 };
    expect(await show(PAID, asked)).toEqual({ kind: 'later', isUnclear: true, ...later });
    expect(sender.send).not.toHaveBeenCalled();
  });

  const died = () => Promise.reject(new Error('the process died'));
  test.each<[string, () => Promise<Sent>]>([
    ['got no response', async () => UNCLEAR],
    ['was cut off with its process', died],
  ])('sends a reply or card that %s a second time, but not a third time', async (_, send) => {
    const { sender, show } = desk();
    sender.send.mockImplementation(send);
    sender.sendPhoto.mockImplementation(send);
    for (let time = 0; time < 2; time++) {
      await show(DELIVERED, NOTIFIED_AS_PAID).catch(() => undefined);
      await show(PAID, freshCard()).catch(() => undefined);
    }
    expect(await show(DELIVERED, NOTIFIED_AS_PAID)).toEqual({
      ...SHOWN_AS_PAID,
      notifiedStatus: 'delegated',
    });
    expect(await show(PAID, freshCard())).toEqual({ kind: 'exhausted', notifiedStatus: 'paid' });
    expect(sender.send).toHaveBeenCalledTimes(2);
    expect(sender.sendPhoto).toHaveBeenCalledTimes(2);
    // Another status is another message.
    sender.send.mockResolvedValue({ kind: 'sent', messageId: NEWS });
    sender.sendPhoto.mockResolvedValue({ kind: 'sent', messageId: CARD });
    expect(await show(DELIVERED, freshCard())).toMatchObject({ message: CARD });
  });

  test('sends a card that certainly did not arrive until Telegram accepts it', async () => {
    const { sender, show } = desk();
    for (const sent of [
      { kind: 'later', afterMs: 1 },
      { kind: 'away', reason: '' },
      { kind: 'blocked' },
    ] as const)
      for (let time = 0; time < 3; time++) {
        sender.sendPhoto.mockResolvedValueOnce(sent);
        expect(await show(PAID, freshCard())).toMatchObject({ kind: 'later' });
      }
    expect(await show(PAID, freshCard())).toMatchObject({ message: CARD });
  });

  test('is retried while the bot is blocked and the invoice is followed', async () => {
    const { clock, sender, show } = desk();
    sender.editPhoto.mockResolvedValue({ kind: 'blocked' });
    expect(await show(PAID, cardOf())).toMatchObject({ kind: 'later', afterMs: 600_000 });
    clock.now = END + TRACKED_AFTER_EXPIRY_MS;
    expect(await show(PAID, cardOf())).toMatchObject({ kind: 'gone' });
  });

  test('is given up and logged if Telegram refuses it', async () => {
    const { sender, show, lines } = desk();
    sender.editPhoto.mockResolvedValue({ kind: 'refused', reason: 'MEDIA_EMPTY' });
    expect(await show(PAID, cardOf())).toMatchObject({ kind: 'gone' });
    expect(lines().map(({ reason }) => reason)).toContain('MEDIA_EMPTY');
  });
});

test.each<Partial<Invoice>>(ANY)('shows a payer nothing about the account, whatever %j', async (more) => {
  const { sender, show } = desk();
  const maker = { user: 987_654_321, account: 7_654_321, id: 'theid123' };
  await show(invoiceOf({ ...more, ...maker }), cardOf({ isForMaker: false, chat: 501 }));
  const said = JSON.stringify(
    [...sender.editPhoto.mock.calls, ...sender.send.mock.calls].map(([, ...rest]) => rest),
  );
  expect(said).not.toMatch(/987654321|7654321|theid123/);
});
