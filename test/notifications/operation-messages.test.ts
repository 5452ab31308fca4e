import { describe, expect, test } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import type { Sent } from '../../src/telegram/sender.ts';
import { ACTIVATION, CARD, SHOWN, setUpOperations, USER } from '../operations/operations-setup.ts';
import { ACCOUNT } from '../operations/rental-stand-in.ts';
import { DONE, LATE, NEWS, newsdesk, operationIn } from './operation-messages-setup.ts';

test('edits the card and sends nothing', async () => {
  const { show, sender } = newsdesk();
  expect(await show(DONE)).toEqual(SHOWN);
  expect(sender.edit).toHaveBeenCalledWith(USER, CARD, {
    html: expect.stringContaining('Order <b>7</b>'),
    keyboard: expect.any(Array),
  });
  expect(sender.send).not.toHaveBeenCalled();
});

test('uses the user’s language and mentions alerts only if they are active', async () => {
  const { show, sender, reported } = newsdesk();
  reported.mockResolvedValue(true);
  await show(DONE);
  await show({ ...DONE, language: 'ru' });
  const [english, russian] = sender.edit.mock.calls.map(([, , { html }]) => html);
  expect(english).toContain("I'll write to you when it has arrived");
  expect(russian).toMatch(/[а-я]/);
  expect(reported).toHaveBeenCalledWith(ACCOUNT);
});

test('counts an unchanged card as shown', async () => {
  const { show, sender } = newsdesk();
  sender.edit.mockResolvedValue({ kind: 'unchanged' });
  expect(await show(DONE)).toEqual(SHOWN);
  expect(sender.send).not.toHaveBeenCalled();
});

test('replaces a deleted card by a new message, and sends a missing one', async () => {
  const { show, sender } = newsdesk();
  sender.edit.mockResolvedValue({ kind: 'gone' });
  expect(await show(DONE)).toEqual({ kind: 'shown', card: CARD + 1 });
  expect(sender.send).toHaveBeenCalledWith(
    USER,
    expect.objectContaining({ html: expect.stringContaining('Bought') }),
  );
  await show({ ...DONE, card: undefined });
  expect(sender.send).toHaveBeenCalledTimes(2);
  expect(sender.edit).toHaveBeenCalledTimes(1);
});

test('sends nothing and returns `unplaced` if only edits are allowed', async () => {
  const { show, sender } = newsdesk();
  sender.edit.mockResolvedValue({ kind: 'gone' });
  expect(await show(DONE, 'edit')).toEqual({ kind: 'unplaced' });
  sender.edit.mockResolvedValueOnce({ kind: 'unchanged' });
  expect(await show({ ...LATE, followUp: NEWS }, 'edit')).toEqual({ kind: 'unplaced' });
  expect(sender.send).not.toHaveBeenCalled();
});

describe('when Telegram fails', () => {
  const fates: [Sent, object][] = [
    [
      { kind: 'later', afterMs: 3_000 },
      { kind: 'later', afterMs: 3_000, card: CARD },
    ],
    [
      { kind: 'failed', reason: 'ECONNREFUSED' },
      { kind: 'later', afterMs: 5_000, card: CARD },
    ],
    // The same for a new receipt: two receipts are better than none.
    [
      { kind: 'unclear', reason: 'UND_ERR_SOCKET' },
      { kind: 'later', afterMs: 5_000, card: CARD },
    ],
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
    [
      { kind: 'later', afterMs: 2_000 },
      { kind: 'later', afterMs: 2_000, card: CARD },
    ],
    [
      { kind: 'failed', reason: 'away' },
      { kind: 'later', afterMs: 5_000, card: CARD },
    ],
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

  test('repeats an unconfirmed edit of the reply', async () => {
    const { show, sender } = newsdesk();
    sender.edit
      .mockResolvedValueOnce({ kind: 'unchanged' })
      .mockResolvedValueOnce({ kind: 'unclear', reason: 'UND_ERR_SOCKET' });
    expect(await show({ ...LATE, followUp: NEWS })).toMatchObject({
      kind: 'later',
      afterMs: 5_000,
      card: CARD,
    });
    expect(sender.send).not.toHaveBeenCalled();
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

describe('alerts', () => {
  const OFFER = { kind: 'service-alerts-offer', id: String(ACCOUNT), chat: USER, account: ACCOUNT, data: {} };

  test('are offered once, after the first purchase', async () => {
    const { show, sender, add } = newsdesk({ offered: true });
    for (let again = 0; again < 3; again++) await show(DONE);
    expect(add.mock.calls).toEqual([[OFFER]]);
    expect(sender.send).not.toHaveBeenCalled();
  });

  test.each([
    ['that are already active', DONE, true],
    ['if nothing was bought', operationIn('refused'), false],
    ['while the outcome is unknown', operationIn('unknown'), false],
    [
      'for an operation that causes no events',
      operationIn('done', { request: ACTIVATION, result: {} }),
      false,
    ],
    ['if the user was notified of the outcome before', { ...DONE, notified: DONE.revision }, false],
  ])('are not offered %s', async (_, operation, isReported) => {
    const { show, add, reported } = newsdesk({ offered: true });
    reported.mockResolvedValue(isReported);
    await show(operation);
    expect(add).not.toHaveBeenCalled();
  });

  test('are not offered by a bot without a public address', async () => {
    const { show, add } = newsdesk();
    await show(DONE);
    expect(add).not.toHaveBeenCalled();
  });

  test('are offered later if the receipt could not be shown', async () => {
    const { show, sender, add } = newsdesk({ offered: true });
    sender.edit.mockResolvedValueOnce({ kind: 'later', afterMs: 1_000 });
    await show(DONE);
    expect(add).not.toHaveBeenCalled();
    await show(DONE);
    expect(add.mock.calls).toEqual([[OFFER]]);
  });

  test('are offered again if the notification could not be stored', async () => {
    const { show, add } = newsdesk({ offered: true });
    add.mockRejectedValueOnce(new Error('the storage is away'));
    await expect(show(DONE)).rejects.toThrow('the storage is away');
    await show(DONE);
    expect(add).toHaveBeenCalledTimes(2);
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
    ['is unknown again', operationIn('unknown', { late: true, settledBy: 'reply' })],
    ['was rejected', operationIn('refused', { late: true, settledBy: 'reply' })],
    ['is probably accepted', operationIn('likely', { late: true, settledBy: 'reply' })],
  ])('sends a reply for an operation that %s', async (_, operation) => {
    const { show, sender } = newsdesk({ muted: ['orders'] });
    expect(await show(operation)).toEqual({ ...SHOWN, followUp: NEWS });
    expect(sender.send).toHaveBeenCalledOnce();
  });

  test('still sends the reply if only other kinds are muted', async () => {
    const { show, sender } = newsdesk({
      muted: ['deposits', 'withdrawals', 'smart-mode', 'low-balance', 'hook', 'other'],
    });
    expect(await show(BY_ANSWER)).toEqual({ ...SHOWN, followUp: NEWS });
    expect(sender.send).toHaveBeenCalledOnce();
  });
});

test('replaces a deleted card once, not after every search', async () => {
  const { show, sender } = newsdesk();
  const setup = setUpOperations();
  let placed: number[] = [CARD];
  sender.edit.mockImplementation(async (_chat, message) =>
    placed.includes(message) ? { kind: 'sent', messageId: message } : { kind: 'gone' },
  );
  sender.send.mockImplementation(async () => {
    placed.push(CARD + placed.length + 1);
    return { kind: 'sent', messageId: placed.at(-1) ?? 0 };
  });
  setup.show.mockImplementation(show);
  await setup.lost();
  placed = [];
  await setup.pass(60_000);
  expect(setup.shown().filter((state) => state === 'unknown').length).toBeGreaterThan(3);
  expect(sender.send).toHaveBeenCalledOnce();
});
