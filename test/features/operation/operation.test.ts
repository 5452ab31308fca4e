import { afterEach, describe, expect, vi } from 'vitest';
import type { Book } from '../../../src/accounts/address-book.ts';
import { withoutTags } from '../../../src/i18n/texts.ts';
import type { Operation } from '../../../src/operations/operation.ts';
import { callbackData } from '../../../src/views/callback-data.ts';
import { tapUpdate } from '../../bot/stand-in-bot.ts';
import { CARD, ENERGY, USER } from '../../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted } from '../../operations/rental-stand-in.ts';
import { storedKeys } from '../../support/stored-keys.ts';
import { OTHER_ADDRESS, openChat, sell, testWith } from '../chat.ts';

afterEach(() => {
  vi.useRealTimers();
});

const data = (button: string, id: string) => callbackData('operation', button, id);

/** Opens a chat with a draft and a card of an update that was never committed. */
async function openWithDeadCard() {
  const chat = await openChat('en');
  const { drafts } = chat.setup.operations;
  const intent = { user: USER, account: ACCOUNT, language: 'en', request: ENERGY, estimate: '2.32' } as const;
  const draft = await drafts.draft({ ...intent, update: 9_000 });
  return { ...chat, draft };
}

const test = testWith(() => openChat('en'));

test('Confirm on an uncommitted card shows a toast and repeats the card below', async () => {
  const chat = await openWithDeadCard();
  await chat.tap(data('confirm', chat.draft.id), { message: CARD, carried: true });
  expect(chat.toast()).toBe('The card is further down.');
  expect(await chat.setup.read(chat.draft)).toMatchObject({ state: 'draft' });
  expect(chat.payloads('deleteMessage')).toEqual([{ chat_id: USER, message_id: CARD }]);

  await chat.tap(data('confirm', chat.draft.id), { message: chat.lastMessage(), carried: true });
  expect(await chat.setup.read(chat.draft)).toMatchObject({
    state: 'claimed',
    receipt: { card: chat.lastMessage() },
  });
});

test('forged data on another message shows no card, only a toast', async () => {
  const chat = await openWithDeadCard();
  await chat.tap(data('confirm', chat.draft.id), { message: CARD });
  expect(chat.toast()).toBe('Already handled.');
  expect(chat.views()).toEqual([]);
});

test('a user has one open draft: the older of two cards cannot be confirmed', async () => {
  const chat = await openWithDeadCard();
  await chat.tap(data('confirm', chat.draft.id), { message: CARD, carried: true });
  const older = chat.lastMessage();
  chat.setup.clock.now += 1;
  const { drafts } = chat.setup.operations;
  const intent = { user: USER, account: ACCOUNT, language: 'en', request: ENERGY, estimate: '2.32' } as const;
  const newer = await drafts.draft({ ...intent, update: 9_001 });
  await chat.tap(data('confirm', newer.id), { message: CARD + 1, carried: true });
  const present = chat.lastMessage();

  await chat.tap(data('confirm', chat.draft.id), { message: older, carried: true });
  expect([chat.toast(), chat.html()]).toEqual([
    'Already handled.',
    expect.stringContaining('Replaced by a newer card'),
  ]);
  expect(await chat.setup.read(chat.draft)).toMatchObject({ state: 'replaced' });
  await chat.tap(data('confirm', newer.id), { message: present, carried: true });
  expect(await chat.setup.read(newer)).toMatchObject({ state: 'claimed' });
});

test.each(['confirm', 'cancel', 'back', 'again', 'show', 'checked'])(
  'shows a toast for %s on an unknown operation',
  async (button) => {
    const chat = await openChat('en');
    await chat.tapShown(data(button, 'ABCD1234'));
    expect(chat.toast()).toMatch(/\w/);
  },
);

/** Opens a chat at the card of an activation. `edits` returns the texts of all edits of a message. */
async function openOnCard() {
  const chat = await openChat('en');
  await chat.input('/activate', ADDRESS);
  const confirm = chat.data()[0] ?? '';
  const ref = { user: USER, id: confirm.split(':').at(-1) ?? '' };
  const edits = (message: number) =>
    chat.calls
      .filter(({ method, payload }) => method === 'editMessageText' && payload.message_id === message)
      .map(({ payload }) => String(payload.text));
  return { ...chat, confirm, card: chat.lastMessage(), edits, read: () => chat.setup.read(ref) };
}

describe('a late tap on a card', () => {
  test('edits an expired card, even if the tapped message has no buttons', async () => {
    const chat = await openOnCard();
    chat.setup.clock.now += 30 * 60_000;
    await chat.tap(chat.confirm);
    expect([chat.toast(), chat.edits(chat.card)]).toEqual([
      'Card expired. Nothing was charged. Start again.',
      [expect.stringContaining('This card has expired')],
    ]);
    await chat.expectReply('qwerty', "I didn't understand that");
  });

  test('repeats an expired card below it, not in its place', async () => {
    const chat = await openOnCard();
    chat.setup.clock.now += 30 * 60_000;
    const id = chat.confirm.split(':').at(-1);
    await chat.tap(`operation:again:${id}`, { message: chat.card, carried: true });
    expect(chat.payloads('sendMessage').at(-1)?.text).toContain('Review and confirm');
    expect(chat.edits(chat.card).join()).not.toContain('Review and confirm');
  });

  test('shows a void card as such, and again below it with a warning that stays', async () => {
    const chat = await openOnCard();
    const id = chat.confirm.split(':').at(-1) ?? '';
    chat.setup.storage.continuity = async () => ({ epoch: 'later', cause: 'restarted', ageMs: 0 });
    await chat.setup.continuity.check();
    await chat.tap(chat.confirm, { message: chat.card, carried: true });
    expect([chat.toast(), chat.edits(chat.card)]).toEqual([
      'This card may be used already. Check balance and history.',
      [expect.stringContaining('This card may already have been used')],
    ]);
    await chat.tap(data('again', id), { message: chat.card, carried: true });
    expect(chat.edits(chat.card)).toHaveLength(1);
    const warning = `Your earlier card ${id} may already have been used`;
    expect(chat.html()).toContain(warning);
    await chat.tap(chat.data().find((one) => one.includes(':back:')) ?? '', { message: chat.lastMessage() });
    await chat.write(ADDRESS);
    expect(chat.html()).toContain(warning);
    const repeated = { user: USER, id: chat.data()[0]?.split(':').at(-1) ?? '' };
    expect(await chat.setup.read(repeated)).toMatchObject({ epoch: 'later', warnings: { voided: id } });
  });

  test('edits a card replaced by a newer one, even if the replacement was not recorded', async () => {
    const chat = await openOnCard();
    vi.spyOn(chat.setup.operations.drafts, 'supersede').mockResolvedValueOnce(undefined);
    chat.setup.clock.now += 1;
    await chat.write(`/activate ${ADDRESS}`);
    await chat.tap(chat.confirm, { message: chat.card, carried: true });
    expect([chat.toast(), chat.edits(chat.card)]).toEqual([
      'A newer card replaced this one.',
      [expect.stringContaining('Replaced by a newer card')],
    ]);
  });

  test('does not edit the card of a claimed operation, because the executor does', async () => {
    const chat = await openOnCard();
    await chat.tapShown(chat.confirm);
    await chat.tapShown(chat.confirm);
    expect([chat.toast(), chat.edits(chat.card)]).toEqual(['Already on its way.', []]);
  });

  test('does not edit the card while the request is in flight', async ({ chat }) => {
    const { operation: sent } = await chat.setup.underWay();
    await chat.tap('menu:open');
    const shown = chat.views().length;
    await chat.tap(data('confirm', sent.id), { message: CARD, carried: true });
    expect([chat.toast(), chat.views().length]).toEqual(['Already on its way.', shown]);
  });

  test('edits an old message of a card that was repeated below', async () => {
    const chat = await openOnCard();
    await chat.write('hello');
    for (const words of ['The card is further down.', 'Already on its way.']) {
      const before = chat.edits(chat.card).length;
      await chat.tap(chat.confirm, { message: chat.card, carried: true });
      expect(chat.toast()).toBe(words);
      expect(chat.edits(chat.card).slice(before)).toEqual([expect.stringContaining('Continued below')]);
      await chat.tap(chat.confirm, { message: chat.lastMessage(), carried: true });
    }
    expect(chat.edits(chat.lastMessage())).toEqual([]);
  });

  test('does not edit the card if the tapped message has no such button', async () => {
    const chat = await openOnCard();
    chat.trouble('editMessageText', { code: 400, description: "Bad Request: message can't be edited" });
    await chat.write('cancel');
    chat.trouble('editMessageText', undefined);
    const before = chat.edits(chat.card);
    await chat.tap(chat.confirm, { message: chat.card });
    expect([chat.toast(), chat.edits(chat.card)]).toEqual(['Already handled.', before]);
    await chat.tap(chat.confirm, { message: chat.card, carried: true });
    expect(chat.edits(chat.card).slice(before.length)).toEqual([expect.stringContaining('Cancelled')]);
  });

  test('does not edit again after a second tap on Cancel', async () => {
    const chat = await openOnCard();
    const cancel = chat.confirm.replace('confirm', 'cancel');
    for (const _ of [1, 2]) await chat.tap(cancel, { message: chat.card, carried: true });
    expect(chat.toast()).toBe('Already handled.');
    expect(chat.edits(chat.card)).toEqual([expect.stringContaining('Cancelled')]);
  });
});

test.each(['hello', '/prices'])('leaves no former card above the one below %s', async (input) => {
  const chat = await openOnCard();
  await chat.write(input);
  expect(chat.payloads('deleteMessage')).toContainEqual({ chat_id: USER, message_id: chat.card });
  expect(chat.edits(chat.card)).toEqual([]);
  expect(chat.dataWith('confirm')).toBe(chat.confirm);
});

test('shortens a former card that Telegram does not delete', async () => {
  const chat = await openOnCard();
  chat.trouble('deleteMessage', { code: 400, description: "Bad Request: message can't be deleted" });
  await chat.write('hello');
  expect(chat.edits(chat.card)).toEqual([expect.stringContaining('Continued below')]);
});

test.each(['/menu', 'menu'])('stays open below the menu: %s', async (input) => {
  const chat = await openOnCard();
  await chat.write(input);
  expect(chat.allHtml()).toContain('Energy and bandwidth on TRON');
  expect(chat.payloads('deleteMessage')).toContainEqual({ chat_id: USER, message_id: chat.card });
  await chat.tap(chat.confirm, { message: chat.lastMessage(), carried: true });
  expect(chat.toast()).not.toBe('Already handled.');
});

describe('an open card and a newer question', () => {
  test.each([
    ['a flow', '/buy'],
    ['a key', 'link:open'],
  ])('cancels the open card of an operation: %s', async (_, input) => {
    const chat = await openOnCard();
    await chat.input(input);
    expect(await chat.read()).toMatchObject({ state: 'cancelled' });
    expect(chat.calls.at(-1)?.payload).toMatchObject({
      message_id: chat.card,
      text: expect.stringContaining('Cancelled'),
    });
    await chat.tap(chat.confirm, { message: chat.card, carried: true });
    expect(chat.toast()).toBe('Already handled.');
    expect(await chat.read()).toMatchObject({ state: 'cancelled' });
  });

  test('repeats a card that could not be cancelled instead of the question', async () => {
    const chat = await openOnCard();
    vi.spyOn(chat.setup.operations.drafts, 'cancelAbandoned').mockRejectedValueOnce(new Error('died'));
    await chat.write('/buy');
    await chat.tap(chat.confirm, { message: chat.card, carried: true });
    expect(chat.toast()).toBe('The card is further down.');
    const { payload } = chat.calls.findLast(({ method }) => method === 'sendMessage') ?? {};
    expect(payload?.text).toMatch(/^<b>Review and confirm/);
    expect(await chat.read()).toMatchObject({ state: 'draft' });
    await chat.tap(chat.confirm, { message: chat.lastMessage(), carried: true });
    expect(await chat.read()).toMatchObject({ state: 'claimed' });
  });

  test.each(['menu:open', 'help:open'])('keeps the card while no question is open: %s', async (data) => {
    const chat = await openOnCard();
    await chat.tap(data);
    await chat.tap(chat.confirm, { message: chat.card, carried: true });
    expect(await chat.read()).toMatchObject({ state: 'claimed' });
  });
});

test('"Mark as checked" on a settled operation shows a toast and updates the card', async ({ chat }) => {
  const done = await chat.setup.claimed();
  await chat.setup.advance(done);
  await chat.tap('menu:open');
  await chat.tap(data('checked', done.id), { message: CARD, carried: true });
  expect(chat.toast()).toBe('Already handled.');
  expect(chat.html()).toContain('Bought');
});

test('a receipt shows when its reminder comes, once reminders are on', async ({ chat }) => {
  const { id } = await chat.setup.executed();
  await chat.tap(data('remind', id), { message: CARD, carried: true });
  expect(chat.html()).toContain('⏰ Reminder: <tg-time');
  expect(chat.html()).toContain('>12:50 UTC</tg-time>');
  expect(chat.data()).not.toContain(data('remind', id));
  await chat.expectReply('cancel reminder', 'Notifications');
  expect(chat.data()).toContain('notifications:mute:rentals');
  await chat.tap(data('unremind', id), { message: CARD, carried: true });
  expect(chat.toast()).toBe('Reminders are off.');
  const { text, reply_markup: keyboard } = chat.payloads('editMessageText').at(-1) ?? {};
  expect(text).not.toContain('⏰ Reminder');
  expect(JSON.stringify(keyboard)).toContain(data('remind', id));
});

test.each(['remind', 'sell'])(
  '"%s" below a copy of a receipt is offered by neither afterwards',
  async (name) => {
    const chat = await openChat('en');
    const { id } = name === 'sell' ? await sell(chat) : await chat.setup.executed();
    const { card } = (await chat.setup.read({ user: USER, id })).receipt;
    const copy = 77;
    await chat.tap(data(name, id), { message: copy, carried: true });
    const edits = chat.payloads('editMessageText').slice(-2);
    expect(edits.map(({ message_id: message }) => message)).toEqual([card, copy]);
    expect(JSON.stringify(edits)).not.toContain(data(name, id));
  },
);

test('a reminder that would come too late is not set, but later rentals get one', async ({ chat }) => {
  const { id } = await chat.setup.executed();
  chat.setup.clock.now += 52 * 60_000;
  await chat.tap(data('remind', id), { message: CARD, carried: true });
  expect(chat.toast()).toBe('This one ends too soon. Later rentals get a reminder.');
  expect(await chat.setup.storage.index.upTo('rental-reminders', Number.MAX_VALUE, 9)).toEqual([]);
  expect(await chat.deps.notificationSettings.get(USER)).toMatchObject({ turnedOn: ['rentals'] });
});

test('a repeated update edits its earlier card instead of sending another', async ({ chat }) => {
  for (const answer of ['/activate', ADDRESS]) {
    if (answer === ADDRESS) vi.spyOn(chat.setup.storage.chats, 'commit').mockResolvedValueOnce('conflict');
    await chat.write(answer).catch(() => undefined);
  }
  const card = chat.lastMessage();
  await chat.again();
  expect(chat.lastMessage()).toBe(card);
  expect(chat.payloads('editMessageText').at(-1)).toMatchObject({
    message_id: card,
    text: expect.stringContaining('Review and confirm'),
  });
});

test('rejects Confirm if the payments gate has closed since the card was shown', async () => {
  const chat = await openChat('en');
  const closed = { by: 'storage', why: 'appendonly is off' } as const;
  vi.spyOn(chat.deps.paymentsGate, 'closedNow').mockResolvedValue(closed);
  const draft = await chat.setup.draft();
  await chat.tap(data('confirm', draft.id), { message: CARD, carried: true });
  expect(chat.html()).toContain('Payments and withdrawals are paused');
  expect(await chat.setup.read(draft)).toMatchObject({ state: 'draft' });
});

test('"Mark as checked" does not resolve the operation after its handler was aborted', async ({ chat }) => {
  const lost = await chat.setup.lost();
  const { drafts } = chat.setup.operations;
  const found = await drafts.find(lost);
  await chat.tap('menu:open');
  let answer = (_found: Operation | undefined) => {};
  const slow = new Promise<Operation | undefined>((resolve) => {
    answer = resolve;
  });
  vi.spyOn(drafts, 'find').mockReturnValueOnce(slow);
  vi.useFakeTimers();
  const cutOff = expect(chat.tap(data('checked', lost.id), { message: CARD, carried: true })).rejects.toThrow(
    'more than 8000 ms',
  );
  await vi.advanceTimersByTimeAsync(8_000);
  await cutOff;
  answer(found);
  await vi.advanceTimersByTimeAsync(0);
  expect(await chat.setup.read(lost)).toMatchObject({ state: 'unknown' });
});

test('a handler aborted just before its card creates no draft afterwards', async ({ chat }) => {
  await chat.write('/activate');
  const question = chat.lastMessage();
  const empty: Book = { addresses: [] };
  let answer = (_known: Book) => {};
  const slow = new Promise<Book>((resolve) => {
    answer = resolve;
  });
  const known = vi.fn(async (): Promise<Book> => empty);
  // The question reads the address book once for its buttons before this.
  known.mockResolvedValueOnce(empty).mockReturnValueOnce(slow);
  vi.spyOn(chat.deps.addressBook, 'readAhead').mockReturnValue(known);
  vi.useFakeTimers();
  const cutOff = expect(chat.write(ADDRESS)).rejects.toThrow('more than 8000 ms');
  await vi.advanceTimersByTimeAsync(8_000);
  await cutOff;
  expect(known).toHaveBeenCalledTimes(2);
  answer(empty);
  await vi.advanceTimersByTimeAsync(0);
  expect(await storedKeys(chat.setup.storage, 'operation:')).toEqual([]);
  expect((await chat.deps.addressBook.get(USER)).addresses).toEqual([]);
  expect(chat.lastMessage()).toBe(question);
});

test('a tap on a card without a record assumes no invoice after its user was erased', async () => {
  const chat = await openChat('en');
  await chat.input('/activate', ADDRESS);
  const card = chat.lastMessage();
  const [key = ''] = await storedKeys(chat.setup.storage, 'operation:');
  await chat.setup.storage.delete(key);
  await chat.links.unlink(USER);
  const confirm = callbackData('operation', 'confirm', key.split(':').at(-1));
  await chat.tap(confirm, { message: card, carried: true });
  chat.shows('If you confirmed it, it may have gone through.', ADDRESS);
});

test.each(['confirm', 'cancel', 'back'])(
  'a tap on %s of a card without a record says that it may have been used',
  async (way) => {
    const chat = await openChat('en');
    await chat.input('/activate', ADDRESS);
    const card = chat.lastMessage();
    const [key = ''] = await storedKeys(chat.setup.storage, 'operation:');
    await chat.setup.storage.delete(key);
    await chat.tap(callbackData('operation', way, key.split(':').at(-1)), { message: card, carried: true });
    chat.shows(chat.words.html('operation-no-record', { reader: 'holder' }), ADDRESS);
    expect(chat.data()).toContain('menu:open');
    expect(chat.toast()).toBe(chat.words.plain('toast-card-old'));
    await chat.tapShown(chat.buttons()[chat.words.plain('button-try-again')] ?? '');
    chat.shows(chat.words.html('address-use'), ADDRESS);
  },
);

test.each(['en', 'ru'] as const)(
  'the order card of a guest without a record leads to a new order in %s',
  async (language) => {
    const chat = await openChat(language, { linked: false });
    await chat.write(`${ADDRESS} 65k 1h`);
    const [confirm, message] = [chat.dataWith('confirm'), chat.lastMessage()];
    const [key = ''] = await storedKeys(chat.setup.storage, 'operation:');
    await chat.setup.storage.delete(key);
    await chat.tap(confirm, { message, carried: true });
    chat.shows('/invoices', ADDRESS);
    expect(chat.html()).not.toMatch(/balance|баланс|history|TRX/);
    await chat.tapShown(chat.buttons()[chat.words.plain('button-try-again')] ?? '');
    expect(await chat.requested()).toMatchObject({ kind: 'invoice', address: ADDRESS });
  },
);

test('Try again of an expired card without a record leads to a new order', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.write(`${ADDRESS} 65k 1h`);
  const [confirm, message] = [chat.dataWith('confirm'), chat.lastMessage()];
  chat.setup.clock.now += 6 * 60_000;
  await chat.tap(confirm, { message, carried: true });
  const again = chat.dataWith('again');
  const [key = ''] = await storedKeys(chat.setup.storage, 'operation:');
  await chat.setup.storage.delete(key);
  await chat.tap(again, { message, carried: true });
  expect(chat.toast()).toBe(chat.words.plain('toast-card-old'));
  expect(await chat.requested()).toMatchObject({ kind: 'invoice', address: ADDRESS });
});

test('ignores a Confirm within 0.7 seconds of the card, which may be a second tap on an answer', async () => {
  const chat = await openChat('en', { confirmableAfterMs: undefined });
  await chat.write(`/buy ${ADDRESS} 65000 1`);
  const [confirm, message] = [chat.dataWith('confirm'), chat.lastMessage()];
  const ref = { user: USER, id: confirm.split(':').at(-1) ?? '' };
  const { clock } = chat.setup;
  clock.now += 699;
  await chat.tap(confirm, { message, carried: true });
  expect(chat.toast()).toBe('Check the details, then tap again.');
  expect(await chat.setup.read(ref)).toMatchObject({ state: 'draft' });
  clock.now += 1;
  await chat.tap(confirm, { message, carried: true });
  expect(await chat.setup.read(ref)).toMatchObject({ state: 'claimed' });
});

test.each([
  ['sendMessage', 'is sent', [`/buy ${ADDRESS}`]],
  ['editMessageText', 'replaces another', []],
])('counts the 0.7 seconds from when Telegram accepted %s, if the card %s', async (method, _, inputs) => {
  const chat = await openChat('en', { confirmableAfterMs: undefined });
  const { clock } = chat.setup;
  if (inputs.length === 0) await chat.write(`/buy ${ADDRESS}`);
  clock.now += 5_000;
  chat.trouble(method, {
    during: () => {
      clock.now += 3_000;
    },
  });
  if (inputs.length === 0) await chat.tapShown(chat.dataWith('energy131000'));
  else await chat.input(...inputs);
  const [confirm, message] = [chat.dataWith('confirm'), chat.lastMessage()];
  const ref = { user: USER, id: confirm.split(':').at(-1) ?? '' };
  for (const [ms, state] of [
    [699, 'draft'],
    [1, 'claimed'],
  ] as const) {
    clock.now += ms;
    await chat.tap(confirm, { message, carried: true });
    expect(await chat.setup.read(ref)).toMatchObject({ state });
  }
});

test.each([
  ['an hour', 'claimed', -3600_000],
  ['20 seconds', 'claimed', -20_000],
  ['0.1 seconds', 'draft', -100],
])('Confirm on a card from %s in the future leaves it %s', async (_, state, ms) => {
  const chat = await openChat('en', { confirmableAfterMs: undefined });
  await chat.write(`/buy ${ADDRESS} 65000 1`);
  const confirm = chat.dataWith('confirm');
  chat.setup.clock.now += ms;
  await chat.tap(confirm, { message: chat.lastMessage(), carried: true });
  const ref = { user: USER, id: confirm.split(':').at(-1) ?? '' };
  expect(await chat.setup.read(ref)).toMatchObject({ state });
});

test('the card that repeats a purchase refused for its price shows both prices until it is changed', async ({
  chat,
}) => {
  const { rental, executed } = chat.setup;
  rental.prices.mockResolvedValue(accepted({ energySunPerUnit: { 1: '60', 24: '80' } }));
  const { id } = await executed();
  await chat.tap(data('again', id), { message: CARD, carried: true });
  expect(chat.html()).toContain('about <b>3.90 TRX</b> (was 2.32 TRX)');
  await chat.tapShown(chat.dataWith('hours24'));
  expect(chat.html()).toContain('about <b>5.20 TRX</b>');
  expect(chat.html()).not.toContain('was 2.32');
});

test('rejects Confirm on a message whose text differs from the card', async ({ chat }) => {
  await chat.write(`/buy ${ADDRESS} 65000 1`);
  const [confirm, message] = [chat.dataWith('confirm'), chat.lastMessage()];
  const text = withoutTags(chat.html());
  for (const other of [text.replace(ADDRESS, OTHER_ADDRESS), text.replace('65,000', '165,000'), '']) {
    expect(other).not.toBe(text);
    const tap = tapUpdate(0, confirm, { chat: USER, message });
    if (tap.callback_query?.message) Object.assign(tap.callback_query.message, { text: other });
    await chat.receive(tap);
    expect(chat.toast()).toBe(chat.words.plain('toast-expired'));
  }
  await chat.tap(confirm, { message, carried: true });
  const ref = { user: USER, id: confirm.split(':').at(-1) ?? '' };
  expect(await chat.setup.read(ref)).toMatchObject({ state: 'claimed' });
});

test.each([
  ['is deleted if the newer one is a change of it', '131k', true],
  ['stays in the chat if the newer one is for another address', OTHER_ADDRESS, false],
  ['stays in the chat if the newer one is of another kind', `/activate ${ADDRESS}`, false],
])('a replaced card %s', async (_, text, isDeleted) => {
  const chat = await openChat('en');
  await chat.write(ADDRESS);
  const card = chat.lastMessage();
  chat.setup.clock.now += 1_000;
  await chat.write(text);
  const deleted = chat.payloads('deleteMessage').map(({ message_id }) => message_id);
  expect(deleted.includes(card)).toBe(isDeleted);
  const edits = chat.payloads('editMessageText').filter(({ message_id }) => message_id === card);
  expect(edits.map((edit) => String(edit.text).split('\n')[0])).toEqual(
    isDeleted ? [] : [expect.stringContaining('Replaced by a newer card')],
  );
});

test('a repeated void card keeps its warning when it is changed', async ({ chat }) => {
  await chat.write(ADDRESS);
  const [card, confirm] = [chat.lastMessage(), chat.dataWith('confirm')];
  const id = confirm.split(':').at(-1) ?? '';
  chat.setup.storage.continuity = async () => ({ epoch: 'later', cause: 'restarted', ageMs: 0 });
  await chat.setup.continuity.check();
  await chat.tap(confirm, { message: card, carried: true });
  await chat.tap(data('again', id), { message: card, carried: true });
  const warning = `Your earlier card ${id} may already have been used`;
  for (const [input, title] of [
    ['hours24', '65,000 energy · 24 h'],
    ['131k', '131,000 energy · 24 h'],
  ] as const) {
    chat.setup.clock.now += 1_000;
    await (input === 'hours24' ? chat.tapShown(chat.dataWith(input)) : chat.write(input));
    chat.shows(title, warning);
  }
});

describe('a choice on a card', () => {
  /** Returns the states of the user's operations, oldest first. */
  async function statesIn({ setup }: Pick<Awaited<ReturnType<typeof openChat>>, 'setup'>) {
    const keys = await storedKeys(setup.storage, 'operation:');
    const stored = await Promise.all(
      keys.map((key) => setup.read({ user: USER, id: key.split(':').at(-1) ?? '' })),
    );
    return stored.toSorted((one, other) => one.createdAt - other.createdAt).map(({ state }) => state);
  }

  /** Opens a chat at a card of energy. `option`: the data of its button for 131,000. */
  async function openOnEnergyCard() {
    const chat = await openChat('en');
    await chat.write(ADDRESS);
    chat.setup.clock.now += 1_000;
    return { ...chat, card: chat.lastMessage(), option: chat.dataWith('energy131000') };
  }

  test('changes the draft once if it is tapped twice', async () => {
    const chat = await openOnEnergyCard();
    await chat.tap(chat.option, { message: chat.card, carried: true });
    const shown = chat.views().length;
    await chat.tap(chat.option, { message: chat.card, carried: true });
    expect(chat.toast()).toBe('Already handled.');
    expect(chat.views()).toHaveLength(shown);
    expect(await statesIn(chat)).toEqual(['replaced', 'draft']);
    await chat.tap(chat.dataWith('confirm'), { message: chat.card, carried: true });
    expect(await chat.requested()).toMatchObject({ energy_amount: 131_000, duration_hours: 1 });
    expect(await statesIn(chat)).toEqual(['replaced', 'claimed']);
  });

  test('makes no second draft if its update is delivered again', async () => {
    const chat = await openOnEnergyCard();
    await chat.tap(chat.option, { message: chat.card, carried: true });
    const shown = chat.views().length;
    await chat.again();
    expect(chat.views()).toHaveLength(shown);
    expect(await statesIn(chat)).toEqual(['replaced', 'draft']);
  });

  test('makes no second draft if its update is handled again after the process ended before the commit', async () => {
    const chat = await openOnEnergyCard();
    const { chats } = chat.setup.storage;
    vi.spyOn(chats, 'commit').mockRejectedValueOnce(new Error('gone'));
    await chat.tap(chat.option, { message: chat.card, carried: true }).catch(() => undefined);
    await chat.again();
    expect(await statesIn(chat)).toEqual(['replaced', 'draft']);
    await chat.tap(chat.dataWith('confirm'), { message: chat.card, carried: true });
    expect(await chat.requested()).toMatchObject({ energy_amount: 131_000 });
    expect(await statesIn(chat)).toEqual(['replaced', 'claimed']);
  });

  test.each(['confirmed', 'expired', 'cancelled'])('changes nothing on a card that is %s', async (state) => {
    const chat = await openOnEnergyCard();
    const confirm = chat.dataWith('confirm');
    if (state === 'confirmed') await chat.tap(confirm, { message: chat.card, carried: true });
    else if (state === 'cancelled') await chat.tapShown(confirm.replace('confirm', 'cancel'));
    else chat.setup.clock.now += 30 * 60_000;
    await chat.tap(chat.option, { message: chat.card, carried: true });
    expect(chat.toast()).toBeDefined();
    expect(await statesIn(chat)).toHaveLength(1);
  });

  test('changes nothing if the card never offered it', async () => {
    const chat = await openOnEnergyCard();
    await chat.tap(chat.option.replace('131000', '5000000'), { message: chat.card, carried: true });
    expect(chat.toast()).toBe('Already handled.');
    expect(await statesIn(chat)).toEqual(['draft']);
  });

  test('works while payments are closed, but Confirm does not', async () => {
    for (const by of ['maintenance', 'storage'] as const) {
      const chat = await openOnEnergyCard();
      if (by === 'maintenance') await chat.deps.maintenance.turnOn(900);
      for (const name of ['closed', 'closedNow'] as const)
        vi.spyOn(chat.deps.paymentsGate, name).mockResolvedValue({ by, why: 'a test' });
      await chat.tap(chat.option, { message: chat.card, carried: true });
      chat.shows('131,000 energy · 1 h');
      await chat.tap(chat.dataWith('confirm'), { message: chat.card, carried: true });
      expect(await statesIn(chat), by).toEqual(['replaced', 'draft']);
      chat.setup.clock.now += 1_000;
      await chat.write('2 transfers');
      expect(await chat.requested()).toMatchObject({ energy_amount: 130_000 });
    }
  });
});
