import { describe, expect, test } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import type { Sent } from '../../src/telegram/sender.ts';
import { ACCOUNT } from '../operations/rental-stand-in.ts';
import { ACTIVATION, CARD, openRoom, SHOWN, USER } from '../operations/room.ts';
import { DONE, LATE, NEWS, newsdesk, operationIn } from './newsdesk.ts';

test('the card is edited, and nothing else is sent', async () => {
  const { show, sender } = newsdesk();
  expect(await show(DONE)).toEqual(SHOWN);
  expect(sender.edit).toHaveBeenCalledWith(USER, CARD, {
    html: expect.stringContaining('Order <b>7</b>'),
    keyboard: expect.any(Array),
  });
  expect(sender.send).not.toHaveBeenCalled();
});

test('it speaks the language of its user, and knows whether deliveries are reported', async () => {
  const { show, sender, reported } = newsdesk();
  reported.mockResolvedValue(true);
  await show(DONE);
  await show({ ...DONE, language: 'ru' });
  const [english, russian] = sender.edit.mock.calls.map(([, , { html }]) => html);
  expect(english).toContain("I'll write to you when it has arrived");
  expect(russian).toMatch(/[а-я]/);
  expect(reported).toHaveBeenCalledWith(ACCOUNT);
});

test('what it says already is shown', async () => {
  const { show, sender } = newsdesk();
  sender.edit.mockResolvedValue({ kind: 'unchanged' });
  expect(await show(DONE)).toEqual(SHOWN);
  expect(sender.send).not.toHaveBeenCalled();
});

test('a card that is gone is replaced by a message, and one that never was is sent', async () => {
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

test('where no message may be sent, what needs one is not placed, and nothing is sent', async () => {
  const { show, sender } = newsdesk();
  sender.edit.mockResolvedValue({ kind: 'gone' });
  expect(await show(DONE, 'edit')).toEqual({ kind: 'unplaced' });
  sender.edit.mockResolvedValueOnce({ kind: 'unchanged' });
  expect(await show({ ...LATE, news: NEWS }, 'edit')).toEqual({ kind: 'unplaced' });
  expect(sender.send).not.toHaveBeenCalled();
});

describe('what could not be shown', () => {
  const fates: [Sent, object][] = [
    [
      { kind: 'later', afterMs: 3_000 },
      { kind: 'later', afterMs: 3_000, card: CARD },
    ],
    [
      { kind: 'failed', reason: 'ECONNREFUSED' },
      { kind: 'later', afterMs: 5_000, card: CARD },
    ],
    // Also a receipt in the place of one that is gone: rather two of them than none.
    [
      { kind: 'unclear', reason: 'UND_ERR_SOCKET' },
      { kind: 'later', afterMs: 5_000, card: CARD },
    ],
    [{ kind: 'blocked' }, { kind: 'impossible' }],
  ];
  test.each(fates)('when the edit was %o', async (sent, shown) => {
    const { show, sender } = newsdesk();
    sender.edit.mockResolvedValue(sent);
    expect(await show(LATE)).toEqual(shown);
    expect(sender.send).not.toHaveBeenCalled();
  });

  test.each([...fates, [{ kind: 'gone' }, { kind: 'impossible' }] as [Sent, object]])(
    'when the message in its place was %o',
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
  ])('when the reply was %o', async (sent, shown) => {
    const { show, sender } = newsdesk();
    sender.send.mockResolvedValueOnce(sent);
    expect(await show(LATE)).toEqual(shown);
  });

  test('reports a reply without an answer as unclear, and logs it', async () => {
    const { show, sender, lines } = newsdesk();
    sender.send.mockResolvedValueOnce({ kind: 'unclear', reason: 'UND_ERR_SOCKET' });
    expect(await show(LATE)).toEqual({ kind: 'later', afterMs: 15_000, isUnclear: true, card: CARD });
    expect(lines()).toMatchObject([{ level: 'warn', user: USER, reason: 'UND_ERR_SOCKET' }]);
  });

  test('a reply whose edit nobody answered is edited again', async () => {
    const { show, sender } = newsdesk();
    sender.edit
      .mockResolvedValueOnce({ kind: 'unchanged' })
      .mockResolvedValueOnce({ kind: 'unclear', reason: 'UND_ERR_SOCKET' });
    expect(await show({ ...LATE, news: NEWS })).toMatchObject({ kind: 'later', afterMs: 5_000, card: CARD });
    expect(sender.send).not.toHaveBeenCalled();
  });

  test('of late news is told later, with the card as it is by then', async () => {
    const { show, sender } = newsdesk();
    sender.send.mockResolvedValueOnce({ kind: 'later', afterMs: 2_000 });
    await show(LATE);
    sender.edit.mockResolvedValue({ kind: 'unchanged' });
    expect(await show(LATE)).toEqual({ ...SHOWN, news: NEWS });
    expect(sender.send).toHaveBeenCalledTimes(2);
  });
});

describe('service reports', () => {
  const OFFER = { kind: 'reports-offer', id: String(ACCOUNT), chat: USER, account: ACCOUNT, data: {} };

  test('are offered once, after the first purchase', async () => {
    const { show, sender, add } = newsdesk({ offered: true });
    for (let again = 0; again < 3; again++) await show(DONE);
    expect(add.mock.calls).toEqual([[OFFER]]);
    expect(sender.send).not.toHaveBeenCalled();
  });

  test.each([
    ['where they come already', DONE, true],
    ['where nothing was bought', operationIn('refused'), false],
    ['while the outcome is unknown', operationIn('unknown'), false],
    ['for what no event reports', operationIn('done', { request: ACTIVATION, result: {} }), false],
    ['where the outcome was told before', { ...DONE, notified: DONE.revision }, false],
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

  test('are not offered, and so not used up, where the receipt could not be placed', async () => {
    const { show, sender, add } = newsdesk({ offered: true });
    sender.edit.mockResolvedValueOnce({ kind: 'later', afterMs: 1_000 });
    await show(DONE);
    expect(add).not.toHaveBeenCalled();
    await show(DONE);
    expect(add.mock.calls).toEqual([[OFFER]]);
  });

  test('are offered again where the question could not be stored', async () => {
    const { show, add } = newsdesk({ offered: true });
    add.mockRejectedValueOnce(new Error('the storage is away'));
    await expect(show(DONE)).rejects.toThrow('the storage is away');
    await show(DONE);
    expect(add).toHaveBeenCalledTimes(2);
  });
});

describe('who has muted their orders', () => {
  const BY_ANSWER = { ...LATE, settledBy: 'answer' as const };

  test('finds on the receipt what became of one that its own answer settled, and is told nothing below it', async () => {
    const { show, sender } = newsdesk({ muted: ['orders'] });
    expect(await show(BY_ANSWER)).toEqual(SHOWN);
    expect(sender.edit).toHaveBeenCalledOnce();
    expect(sender.send).not.toHaveBeenCalled();
  });

  test.each<[string, Operation]>([
    ['that was in doubt', LATE],
    ['that is unknown again', operationIn('unknown', { late: true, settledBy: 'answer' })],
    ['that was refused', operationIn('refused', { late: true, settledBy: 'answer' })],
    ['that is most likely done', operationIn('likely', { late: true, settledBy: 'answer' })],
  ])('is told below the receipt of one %s', async (_, operation) => {
    const { show, sender } = newsdesk({ muted: ['orders'] });
    expect(await show(operation)).toEqual({ ...SHOWN, news: NEWS });
    expect(sender.send).toHaveBeenCalledOnce();
  });

  test('has muted nothing else by that, and nothing else mutes it', async () => {
    const { show, sender } = newsdesk({
      muted: ['deposits', 'withdrawals', 'smart-mode', 'low-balance', 'hook', 'other'],
    });
    expect(await show(BY_ANSWER)).toEqual({ ...SHOWN, news: NEWS });
    expect(sender.send).toHaveBeenCalledOnce();
  });
});

test('a card that its user deleted is replaced once, not at every search for traces', async () => {
  const { show, sender } = newsdesk();
  const room = openRoom();
  let placed: number[] = [CARD];
  sender.edit.mockImplementation(async (_chat, message) =>
    placed.includes(message) ? { kind: 'sent', messageId: message } : { kind: 'gone' },
  );
  sender.send.mockImplementation(async () => {
    placed.push(CARD + placed.length + 1);
    return { kind: 'sent', messageId: placed.at(-1) ?? 0 };
  });
  room.show.mockImplementation(show);
  await room.lost();
  placed = [];
  await room.pass(60_000);
  expect(room.shown().filter((state) => state === 'unknown').length).toBeGreaterThan(3);
  expect(sender.send).toHaveBeenCalledOnce();
});
