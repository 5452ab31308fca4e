import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Book } from '../../src/accounts/address-book.ts';
import { callbackData } from '../../src/i18n/view.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { buttonsOf } from '../i18n/telegram-limits.ts';
import { CARD, ENERGY, USER } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';

afterEach(() => {
  vi.useRealTimers();
});

const data = (button: string, id: string) => callbackData('operation', button, id);

/** Opens a chat with a draft and a card of an update that was never committed. */
async function openWithDeadCard() {
  const chat = await openChat('en');
  const { drafts } = chat.setup.operations;
  const intent = { user: USER, account: ACCOUNT, language: 'en', request: ENERGY } as const;
  const draft = await drafts.draft({ ...intent, update: 9_000 });
  return { ...chat, draft };
}

test('Confirm on an uncommitted card shows a toast and repeats the card below', async () => {
  const { tap, draft, toast, last, lastMessage, setup } = await openWithDeadCard();
  await tap(data('confirm', draft.id), { message: CARD, carried: true });
  expect(toast()).toBe('This card stands further down.');
  expect(await setup.read(draft)).toMatchObject({ state: 'draft' });
  expect(last().html).toContain('Continued below');

  await tap(data('confirm', draft.id), { message: lastMessage(), carried: true });
  expect(await setup.read(draft)).toMatchObject({ state: 'claimed', card: lastMessage() });
});

test('forged data on another message shows no card, only a toast', async () => {
  const { tap, draft, toast, views } = await openWithDeadCard();
  await tap(data('confirm', draft.id), { message: CARD });
  expect(toast()).toBe('This card has been decided already.');
  expect(views()).toEqual([]);
});

test('a user has one open draft: the older of two cards cannot be confirmed', async () => {
  const { tap, draft, toast, last, lastMessage, setup } = await openWithDeadCard();
  await tap(data('confirm', draft.id), { message: CARD, carried: true });
  const older = lastMessage();
  setup.clock.now += 1;
  const { drafts } = setup.operations;
  const intent = { user: USER, account: ACCOUNT, language: 'en', request: ENERGY } as const;
  const newer = await drafts.draft({ ...intent, update: 9_001 });
  await tap(data('confirm', newer.id), { message: CARD + 1, carried: true });
  const present = lastMessage();

  await tap(data('confirm', draft.id), { message: older, carried: true });
  expect([toast(), last().html]).toEqual([
    'This card has been decided already.',
    expect.stringContaining('Replaced by a newer card'),
  ]);
  expect(await setup.read(draft)).toMatchObject({ state: 'replaced' });
  await tap(data('confirm', newer.id), { message: present, carried: true });
  expect(await setup.read(newer)).toMatchObject({ state: 'claimed' });
});

test.each(['confirm', 'cancel', 'back', 'again', 'show', 'checked'])(
  'shows a toast for %s on an unknown operation',
  async (button) => {
    const { tap, toast } = await openChat('en');
    await tap(data(button, 'ABCD1234'), { carried: true });
    expect(toast()).toMatch(/\w/);
  },
);

describe('a late tap on a card', () => {
  /** Opens a chat at the card of an activation. `edits` returns the texts of all edits of a message. */
  async function openOnCard() {
    const chat = await openChat('en');
    for (const answer of ['/activate', ADDRESS]) await chat.write(answer);
    const confirm = Object.values(buttonsOf(chat.last()))[0] ?? '';
    const edits = (message: number) =>
      chat.calls
        .filter(({ method, payload }) => method === 'editMessageText' && payload.message_id === message)
        .map(({ payload }) => String(payload.text));
    return { ...chat, confirm, card: chat.lastMessage(), edits };
  }

  test('edits an expired card, even if the tapped message has no buttons', async () => {
    const { setup, tap, confirm, card, edits, toast, write, last } = await openOnCard();
    setup.clock.now += 30 * 60_000;
    await tap(confirm);
    expect([toast(), edits(card)]).toEqual([
      'This card has expired.',
      [expect.stringContaining('This card has expired')],
    ]);
    await write('hello');
    expect(last().html).toContain("I didn't understand that");
  });

  test('edits a card replaced by a newer one, even if the replacement was not recorded', async () => {
    const { setup, tap, write, confirm, card, edits, toast } = await openOnCard();
    vi.spyOn(setup.operations.drafts, 'supersede').mockResolvedValueOnce(undefined);
    setup.clock.now += 1;
    await write(`/activate ${ADDRESS}`);
    await tap(confirm, { message: card, carried: true });
    expect([toast(), edits(card)]).toEqual([
      'A newer card has taken the place of this one.',
      [expect.stringContaining('Replaced by a newer card')],
    ]);
  });

  test('does not edit the card of a claimed operation, because the executor does', async () => {
    const { tap, confirm, card, edits, toast } = await openOnCard();
    await tap(confirm, { carried: true });
    await tap(confirm, { carried: true });
    expect([toast(), edits(card)]).toEqual(['Already on its way.', []]);
  });

  test('does not edit the card while the request is in flight', async () => {
    const chat = await openChat('en');
    const sent = await chat.setup.orphaned();
    await chat.tap('menu:open');
    const shown = chat.views().length;
    await chat.tap(data('confirm', sent.id), { message: CARD, carried: true });
    expect([chat.toast(), chat.views().length]).toEqual(['Already on its way.', shown]);
  });

  test('edits an old message of a card that was repeated below', async () => {
    const { tap, write, confirm, card, edits, toast, lastMessage } = await openOnCard();
    await write('hello');
    for (const words of ['This card stands further down.', 'Already on its way.']) {
      const before = edits(card).length;
      await tap(confirm, { message: card, carried: true });
      expect(toast()).toBe(words);
      expect(edits(card).slice(before)).toEqual([expect.stringContaining('Continued below')]);
      await tap(confirm, { message: lastMessage(), carried: true });
    }
    expect(edits(lastMessage())).toEqual([]);
  });

  test('does not edit the card if the tapped message has no such button', async () => {
    const { tap, write, confirm, card, edits, toast, trouble } = await openOnCard();
    trouble('editMessageText', { code: 400, description: "Bad Request: message can't be edited" });
    await write('cancel');
    trouble('editMessageText', undefined);
    const before = edits(card);
    await tap(confirm, { message: card });
    expect([toast(), edits(card)]).toEqual(['This card has been decided already.', before]);
    await tap(confirm, { message: card, carried: true });
    expect(edits(card).slice(before.length)).toEqual([expect.stringContaining('Cancelled')]);
  });

  test('does not edit again after a second tap on Cancel', async () => {
    const { tap, confirm, card, edits, toast } = await openOnCard();
    const cancel = confirm.replace('confirm', 'cancel');
    for (const _ of [1, 2]) await tap(cancel, { message: card, carried: true });
    expect(toast()).toBe('This card has been decided already.');
    expect(edits(card)).toEqual([expect.stringContaining('Cancelled')]);
  });
});

describe('an open card and a newer question', () => {
  /** Opens a chat at the card of an activation. */
  async function openAtCard() {
    const chat = await openChat('en');
    await chat.write('/activate');
    await chat.write(ADDRESS);
    const card = chat.lastMessage();
    const confirm = Object.values(buttonsOf(chat.last()))[0] ?? '';
    const ref = { user: USER, id: confirm.split(':').at(-1) ?? '' };
    return { ...chat, card, confirm, read: () => chat.setup.read(ref) };
  }

  test.each([
    ['a flow', (chat: Awaited<ReturnType<typeof openAtCard>>) => chat.write('/buy')],
    ['a key', (chat: Awaited<ReturnType<typeof openAtCard>>) => chat.tap('link:open')],
  ])('cancels the open card of an operation: %s', async (_, ask) => {
    const chat = await openAtCard();
    await ask(chat);
    expect(await chat.read()).toMatchObject({ state: 'cancelled' });
    expect(chat.calls.at(-1)?.payload).toMatchObject({
      message_id: chat.card,
      text: expect.stringContaining('Cancelled'),
    });
    await chat.tap(chat.confirm, { message: chat.card, carried: true });
    expect(chat.toast()).toBe('This card has been decided already.');
    expect(await chat.read()).toMatchObject({ state: 'cancelled' });
  });

  test('repeats a card that could not be cancelled instead of the question', async () => {
    const chat = await openAtCard();
    vi.spyOn(chat.setup.operations.drafts, 'cancelAbandoned').mockRejectedValueOnce(new Error('died'));
    await chat.write('/buy');
    await chat.tap(chat.confirm, { message: chat.card, carried: true });
    expect(chat.toast()).toBe('This card stands further down.');
    const { payload } = chat.calls.findLast(({ method }) => method === 'sendMessage') ?? {};
    expect(payload?.text).toMatch(/^<b>Check before you confirm/);
    expect(payload?.text).toContain(chat.words.html('left-flow'));
    expect(await chat.read()).toMatchObject({ state: 'draft' });
    await chat.tap(chat.confirm, { message: chat.lastMessage(), carried: true });
    expect(await chat.read()).toMatchObject({ state: 'claimed' });
  });

  test.each(['menu:open', 'help:open'])('keeps the card while no question is open: %s', async (data) => {
    const chat = await openAtCard();
    await chat.tap(data);
    await chat.tap(chat.confirm, { message: chat.card, carried: true });
    expect(await chat.read()).toMatchObject({ state: 'claimed' });
  });
});

test('"I have checked" on a settled operation shows a toast and updates the card', async () => {
  const { tap, setup, toast, last } = await openChat('en');
  const done = await setup.claimed();
  await setup.advance(done);
  await tap('menu:open');
  await tap(data('checked', done.id), { message: CARD, carried: true });
  expect(toast()).toBe('This card has been decided already.');
  expect(last().html).toContain('Bought');
});

test('a repeated update edits its earlier card instead of sending another', async () => {
  const { write, again, lastMessage, setup, calls } = await openChat('en');
  for (const answer of ['/activate', ADDRESS]) {
    if (answer === ADDRESS) vi.spyOn(setup.storage.chats, 'commit').mockResolvedValueOnce('conflict');
    await write(answer).catch(() => undefined);
  }
  const card = lastMessage();
  await again();
  expect(lastMessage()).toBe(card);
  expect(calls.findLast(({ method }) => method === 'editMessageText')?.payload).toMatchObject({
    message_id: card,
    text: expect.stringContaining('Check before you confirm'),
  });
});

test('rejects Confirm if the payments gate has closed since the card was shown', async () => {
  const paymentsGate = {
    closed: async () => undefined,
    closedNow: async () => ({ by: 'storage', why: 'appendonly is off' }) as const,
  };
  const { tap, setup, last } = await openChat('en', { paymentsGate });
  const draft = await setup.draft();
  await tap(data('confirm', draft.id), { message: CARD, carried: true });
  expect(last().html).toContain("I can't take any money right now");
  expect(await setup.read(draft)).toMatchObject({ state: 'draft' });
});

test('"I have checked" does not resolve the operation after its handler was aborted', async () => {
  const { tap, setup } = await openChat('en');
  const lost = await setup.lost();
  const { drafts } = setup.operations;
  const found = await drafts.find(lost);
  await tap('menu:open');
  let answer = (_found: Operation | undefined) => {};
  const slow = new Promise<Operation | undefined>((resolve) => {
    answer = resolve;
  });
  vi.spyOn(drafts, 'find').mockReturnValueOnce(slow);
  vi.useFakeTimers();
  const cutOff = expect(tap(data('checked', lost.id), { message: CARD, carried: true })).rejects.toThrow(
    'more than 8000 ms',
  );
  await vi.advanceTimersByTimeAsync(8_000);
  await cutOff;
  answer(found);
  await vi.advanceTimersByTimeAsync(0);
  expect(await setup.read(lost)).toMatchObject({ state: 'unknown' });
});

test('a handler aborted just before its card creates no draft afterwards', async () => {
  const { write, deps, setup, lastMessage } = await openChat('en');
  await write('/activate');
  const question = lastMessage();
  const empty: Book = { addresses: [] };
  let answer = (_known: Book) => {};
  const slow = new Promise<Book>((resolve) => {
    answer = resolve;
  });
  const known = vi.fn(async (): Promise<Book> => empty);
  // The question reads the address book twice for its buttons and names before this.
  known.mockResolvedValueOnce(empty).mockResolvedValueOnce(empty).mockReturnValueOnce(slow);
  vi.spyOn(deps.addressBook, 'readAhead').mockReturnValue(known);
  vi.useFakeTimers();
  const cutOff = expect(write(ADDRESS)).rejects.toThrow('more than 8000 ms');
  await vi.advanceTimersByTimeAsync(8_000);
  await cutOff;
  expect(known).toHaveBeenCalledTimes(3);
  answer(empty);
  await vi.advanceTimersByTimeAsync(0);
  expect(await setup.storage.keys('operation:')).toEqual([]);
  expect((await deps.addressBook.get(USER)).addresses).toEqual([]);
  expect(lastMessage()).toBe(question);
});

test.each(['confirm', 'cancel', 'back'])(
  'a tap on %s of a card without a record says that it may have been used',
  async (way) => {
    const { write, tap, last, lastMessage, setup, toast, words } = await openChat('en');
    await write('/activate');
    await write(ADDRESS);
    const card = lastMessage();
    const [key = ''] = await setup.storage.keys('operation:');
    await setup.storage.delete(key);
    await tap(callbackData('operation', way, key.split(':').at(-1)), { message: card, carried: true });
    expect(last().keyboard).toEqual([]);
    expect(last().html).toContain(words.html('operation-no-record'));
    expect(last().html).toContain(ADDRESS);
    expect(toast()).toBe(words.plain('toast-no-operation'));
  },
);
