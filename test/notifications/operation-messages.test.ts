import { describe, expect, test, vi } from 'vitest';
import type { MutableKind } from '../../src/accounts/notification-settings.ts';
import type { Users } from '../../src/accounts/users.ts';
import { createOperationMessages } from '../../src/notifications/messages.ts';
import { createKinds } from '../../src/operations/kinds/kind.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { KINDS } from '../../src/operations/operations.ts';
import type { Show } from '../../src/operations/receipt.ts';
import type { Content, Sender, Sent } from '../../src/telegram/sender.ts';
import { operationIn as anOperationIn, NUMBER, type OperationFields } from '../operations/cards.ts';
import { CARD, FILLED, SHOWN, START, setUpOperations, USER } from '../operations/operations-setup.ts';
import { ACCOUNT } from '../operations/rental-stand-in.ts';
import { recordingLog } from '../support/log-lines.ts';
import { TEXTS } from '../support/texts.ts';

const NEWS = CARD + 1;

/** Shows operations in a chat, with a sender and an outbox that a test controls. */
function newsdesk({ muted = [] as MutableKind[] } = {}) {
  const { log, lines } = recordingLog();
  const sender = {
    send: vi.fn<Sender['send']>(async () => ({ kind: 'sent', messageId: NEWS })),
    edit: vi.fn<Sender['edit']>(async (_chat, messageId) => ({ kind: 'sent', messageId })),
    delete: vi.fn<Sender['delete']>(async (_chat, messageId) => ({ kind: 'sent', messageId })),
  };
  const reported = vi.fn(async () => false);
  const find = vi.fn<Users['find']>(async () => undefined);
  const show = createOperationMessages({
    sender,
    texts: TEXTS,
    kinds: createKinds(KINDS),
    reported,
    notificationSettings: { get: async () => ({ muted }) },
    users: { find },
    rentalReminders: { schedule: async () => 'off', onReceipt: async () => 'off' },
    links: { canOfferSellerMode: async () => false },
    addressBook: { get: async () => ({ addresses: [] }) },
    isUnlinked: async () => false,
    heldBy: async () => undefined,
    supportUrl: 'https://support.example/',
    canAlert: true,
    now: () => START,
    log,
  });
  const showOrSend = (operation: Operation, may: Parameters<Show>[1] = 'send') => show(operation, may);
  return { sender, reported, find, show: showOrSend, lines };
}

const operationIn = <State extends Operation['state']>(state: State, more: OperationFields = {}) =>
  anOperationIn(state, { ...more, receipt: { card: CARD, ...more.receipt } });

const DONE = operationIn('done', { result: { order: 7, status: 'pending', price: '2.32' } });
const LATE = { ...DONE, receipt: { ...DONE.receipt, late: true } };
const EARLIER = NEWS + 10;
const WITH_FOLLOW_UP = { ...LATE, receipt: { ...LATE.receipt, outdated: EARLIER } };

test('a receipt offers to tell when the energy arrives', async () => {
  const { show, sender } = newsdesk();
  await show(DONE);
  const [, , receipt] = sender.edit.mock.calls[0] ?? [];
  expect(JSON.stringify(receipt?.keyboard)).toContain('reports:on');
});

test('edits the card and sends nothing', async () => {
  const { show, sender } = newsdesk();
  expect(await show(DONE)).toEqual(SHOWN);
  expect(sender.edit).toHaveBeenCalledWith(USER, CARD, {
    html: expect.stringContaining('Order <b>7</b>'),
    keyboard: expect.any(Array),
  });
  expect(sender.send).not.toHaveBeenCalled();
});

test('uses the user’s present language and mentions alerts only if they are active', async () => {
  const { show, sender, reported, find } = newsdesk();
  reported.mockResolvedValue(true);
  await show(DONE);
  find.mockResolvedValue({ user: USER, language: 'ru', firstDay: 1, lastDay: 1 });
  await show(DONE);
  const [english, russian] = sender.edit.mock.calls.map(([, , { html }]) => html);
  expect(english).toContain("I'll tell you if it arrives or fails from now on");
  expect(russian).toMatch(/[а-я]/);
  expect(reported).toHaveBeenCalledWith(ACCOUNT);
});

test('says that the service may still report an order that was most likely bought', async () => {
  const { show, sender, reported } = newsdesk();
  reported.mockResolvedValue(true);
  await show(operationIn('likely'));
  expect(sender.edit.mock.calls[0]?.[2].html).toContain("then I'll tell you");
});

test('replaces a deleted card by a new message, and sends a missing one', async () => {
  const { show, sender } = newsdesk();
  sender.edit.mockResolvedValue({ kind: 'gone' });
  expect(await show(DONE)).toEqual({ kind: 'shown', card: CARD + 1 });
  expect(sender.send).toHaveBeenCalledWith(
    USER,
    expect.objectContaining({ html: expect.stringContaining('Bought') }),
    undefined,
  );
  await show({ ...DONE, receipt: { ...DONE.receipt, card: undefined } });
  expect(sender.send).toHaveBeenCalledTimes(2);
  expect(sender.edit).toHaveBeenCalledTimes(1);
});

test('sends nothing and returns `unplaced` if only edits are allowed', async () => {
  const { show, sender } = newsdesk();
  sender.edit.mockResolvedValue({ kind: 'gone' });
  expect(await show(DONE, 'edit')).toEqual({ kind: 'unplaced' });
  sender.edit.mockResolvedValueOnce({ kind: 'unchanged' });
  expect(await show(WITH_FOLLOW_UP, 'edit')).toEqual({ kind: 'unplaced' });
  expect(sender.send).not.toHaveBeenCalled();
});

describe('when Telegram fails', () => {
  const laterIn = (afterMs: number) => ({ kind: 'later', afterMs, card: CARD });
  const fates: [Sent, object][] = [
    [{ kind: 'later', afterMs: 3_000 }, laterIn(3_000)],
    [{ kind: 'failed', reason: 'ECONNREFUSED' }, laterIn(5_000)],
    // The same for a new receipt: two receipts are better than none.
    [{ kind: 'unclear', reason: 'UND_ERR_SOCKET' }, laterIn(5_000)],
    [{ kind: 'blocked' }, { kind: 'impossible' }],
  ];
  test.each(fates)('returns the right result after an edit with %o', async (sent, shown) => {
    const { show, sender } = newsdesk();
    sender.edit.mockResolvedValue(sent);
    expect(await show(LATE)).toEqual(shown);
    expect(sender.send).not.toHaveBeenCalled();
  });

  test.each([...fates, [{ kind: 'gone' }, { kind: 'impossible' }] as [Sent, object]])(
    'returns the right result after a new message with %o',
    async (sent, shown) => {
      const { show, sender } = newsdesk();
      sender.edit.mockResolvedValue({ kind: 'gone' });
      sender.send.mockResolvedValue(sent);
      expect(await show(DONE)).toEqual(shown);
    },
  );

  test.each<[Sent, object]>([
    [{ kind: 'later', afterMs: 2_000 }, laterIn(2_000)],
    [{ kind: 'failed', reason: 'away' }, laterIn(5_000)],
    [{ kind: 'blocked' }, { kind: 'impossible' }],
  ])('returns the right result after a reply with %o', async (sent, shown) => {
    const { show, sender } = newsdesk();
    sender.send.mockResolvedValueOnce(sent);
    expect(await show(LATE)).toEqual(shown);
  });

  test('reports an unconfirmed reply as unclear and logs it', async () => {
    const { show, sender, lines } = newsdesk();
    sender.send.mockResolvedValueOnce({ kind: 'unclear', reason: 'UND_ERR_SOCKET' });
    expect(await show(LATE)).toEqual({ kind: 'later', afterMs: 15_000, isUnclear: true, card: CARD });
    expect(lines()).toMatchObject([{ level: 'warn', user: USER, reason: 'UND_ERR_SOCKET' }]);
  });

  test('sends a delayed reply later, without editing an unchanged card', async () => {
    const { show, sender } = newsdesk();
    sender.send.mockResolvedValueOnce({ kind: 'later', afterMs: 2_000 });
    await show(LATE);
    sender.edit.mockResolvedValue({ kind: 'unchanged' });
    expect(await show(LATE)).toEqual({ ...SHOWN, followUp: NEWS });
    expect(sender.send).toHaveBeenCalledTimes(2);
  });
});

describe('when order notifications are muted', () => {
  const BY_ANSWER = { ...LATE, settledBy: 'reply' as const };

  test('updates only the receipt if the operation’s own response settled it', async () => {
    const { show, sender } = newsdesk({ muted: ['orders'] });
    expect(await show(BY_ANSWER)).toEqual(SHOWN);
    expect(sender.edit).toHaveBeenCalledOnce();
    expect(sender.send).not.toHaveBeenCalled();
  });

  test.each<[string, Operation]>([
    ['was in doubt', LATE],
    ['is unknown again', operationIn('unknown', { receipt: { late: true } })],
    ['was rejected', operationIn('refused', { receipt: { late: true }, settledBy: 'reply' })],
    ['is probably accepted', operationIn('likely', { receipt: { late: true } })],
  ])('sends a reply for an operation that %s', async (_, operation) => {
    const { show, sender } = newsdesk({ muted: ['orders'] });
    expect(await show(operation)).toEqual({ ...SHOWN, followUp: NEWS });
    expect(sender.send).toHaveBeenCalledOnce();
  });
});

describe('a late outcome', () => {
  const FAILED = { ...WITH_FOLLOW_UP, result: { order: 7, status: 'failed' } };

  test('is a reply to the receipt without buttons', async () => {
    const { show, sender } = newsdesk();
    expect(await show(LATE)).toEqual({ ...SHOWN, followUp: NEWS });
    expect(sender.edit.mock.calls.map(([, message]) => message)).toEqual([CARD]);
    const reply = { html: expect.stringMatching(/^⏳ <b>Bought/), keyboard: [] };
    expect(sender.send.mock.calls).toEqual([[USER, reply, CARD]]);
  });

  test('leads to support if an admin has decided on it', async () => {
    const { show, sender } = newsdesk();
    await show({ ...LATE, decided: { reason: 'seen', admin: 7 } });
    const keyboard = [[{ text: '💬 Contact support', url: 'https://support.example/' }]];
    expect(sender.send).toHaveBeenCalledWith(USER, expect.objectContaining({ keyboard }), CARD);
  });

  test('replaces the earlier reply, because an edit makes no notification', async () => {
    const { show, sender } = newsdesk();
    expect(await show(FAILED)).toEqual({ ...SHOWN, followUp: NEWS });
    expect(sender.edit.mock.calls.map(([, message]) => message)).toEqual([CARD]);
    expect(sender.delete.mock.calls).toEqual([[USER, EARLIER]]);
    const reply = { html: expect.stringContaining('Not delivered'), keyboard: [] };
    expect(sender.send.mock.calls).toEqual([[USER, reply, CARD]]);
    expect(sender.delete.mock.invocationCallOrder[0]).toBeLessThan(
      sender.send.mock.invocationCallOrder[0] ?? 0,
    );
  });

  test.each<[Sent, object]>([
    [
      { kind: 'later', afterMs: 2_000 },
      { kind: 'later', afterMs: 2_000, card: CARD },
    ],
    [{ kind: 'gone' }, { ...SHOWN, followUp: NEWS }],
    [
      { kind: 'refused', reason: "message can't be deleted" },
      { ...SHOWN, followUp: NEWS },
    ],
  ])('waits only for a reply that may still be deleted: %o', async (deleted, shown) => {
    const { show, sender } = newsdesk();
    sender.delete.mockResolvedValue(deleted);
    expect(await show(FAILED)).toEqual(shown);
  });

  test('keeps the new receipt if the reply fails', async () => {
    const { show, sender } = newsdesk();
    sender.edit.mockResolvedValue({ kind: 'gone' });
    sender.send
      .mockResolvedValueOnce({ kind: 'sent', messageId: 77 })
      .mockResolvedValueOnce({ kind: 'later', afterMs: 1_000 });
    const setup = setUpOperations();
    await setup.advance(await setup.claimed());
    setup.show.mockImplementation(show);
    const receipts = () => sender.send.mock.calls.filter(([, , replyTo]) => replyTo === undefined);
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    sender.edit.mockImplementation(async (_chat, message) =>
      message === 77 ? { kind: 'sent', messageId: 77 } : { kind: 'gone' },
    );
    await setup.pass(30_000);
    expect(receipts()).toHaveLength(1);
  });

  test.each([undefined, { count: 1, balance: 'same', over: false, at: START } as const])(
    'warns not to repeat an operation whose outcome is unknown again',
    async (search) => {
      const { show, sender } = newsdesk();
      await show(operationIn('unknown', { search, receipt: { late: true } }));
      const reply = { html: expect.stringContaining("Don't repeat"), keyboard: [] };
      expect(sender.send.mock.calls).toEqual([[USER, reply, CARD]]);
    },
  );
});

const REFUSED: Sent = { kind: 'refused', reason: 'Bad Request: NEW_RULE_OF_TOMORROW' };
const isPlain = ({ html, keyboard }: Content) => !/[<>]/.test(html) && keyboard?.length === 0;

/** Opens a chat in which Telegram refuses formatting and, without `edits`, also every edit. */
function plainChat({ edits = true }: { edits?: boolean } = {}) {
  const desk = newsdesk();
  const shown = new Map<number, string>();
  const take = (message: number, content: Content): Sent => {
    if (!isPlain(content)) return REFUSED;
    if (shown.get(message) === content.html) return { kind: 'unchanged' };
    shown.set(message, content.html);
    return { kind: 'sent', messageId: message };
  };
  desk.sender.edit.mockImplementation(async (_chat, message, content) =>
    edits ? take(message, content) : REFUSED,
  );
  desk.sender.send.mockImplementation(async (_chat, content) => take(NEWS + shown.size, content));
  return { ...desk, shown };
}

test('sends a new message if Telegram refuses the edit', async () => {
  const { show, sender } = newsdesk();
  sender.edit.mockResolvedValue(REFUSED);
  expect(await show(DONE)).toEqual({ kind: 'shown', card: NEWS });
  expect(sender.edit).toHaveBeenCalledOnce();
  expect(sender.send).toHaveBeenCalledWith(
    USER,
    expect.objectContaining({ html: expect.stringContaining('Order <b>7</b>') }),
    undefined,
  );
});

describe('if the new message is refused too, a plain receipt', () => {
  test.each<[Operation['state'], string[]]>([
    ['done', ['Bought']],
    ['refused', ['Not bought', 'Nothing was charged', NUMBER]],
    ['unknown', ["Don't repeat", 'https://support.example/', NUMBER]],
    ['likely', ['Most likely bought', "Don't repeat", 'https://support.example/', NUMBER]],
    ['closed', ['Marked as checked', NUMBER]],
  ])('shows an operation that is %s', async (state, words) => {
    const { show, shown } = plainChat();
    expect(await show(operationIn(state, { result: { status: 'x'.repeat(5_000) } }))).toEqual(SHOWN);
    expect([...shown.keys()]).toEqual([CARD]);
    for (const word of words) expect(shown.get(CARD)).toContain(word);
    expect(shown.get(CARD)?.length).toBeLessThan(500);
  });
});

test('gives up and logs a message that Telegram always refuses', async () => {
  const { show, sender, lines } = newsdesk();
  sender.edit.mockResolvedValue(REFUSED);
  sender.send.mockResolvedValue(REFUSED);
  expect(await show(DONE)).toEqual({ kind: 'impossible' });
  expect(sender.send).toHaveBeenCalledTimes(2);
  expect(lines().at(-1)).toMatchObject({
    level: 'warn',
    operation: NUMBER,
    state: 'done',
    reason: 'refused',
    msg: 'the user of an operation could not be notified',
  });
});

test('sends a plain receipt once during the search', async () => {
  const { show, sender, shown } = plainChat();
  const setup = setUpOperations();
  setup.show.mockImplementation(show);
  await setup.lost();
  await setup.pass(60_000);
  expect(setup.shown().filter((state) => state === 'unknown').length).toBeGreaterThan(3);
  expect([...shown.keys()]).toEqual([CARD]);
  expect(sender.send.mock.calls.filter(([, content]) => isPlain(content))).toEqual([]);
});
