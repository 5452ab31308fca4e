import { describe, expect, test, vi } from 'vitest';
import { createOperationNews } from '../../src/notices/operation-news.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { Sender, Sent } from '../../src/telegram/sender.ts';
import { createTexts } from '../../src/texts/texts.ts';
import { ACCOUNT, ADDRESS } from '../operations/rental-stand-in.ts';
import { CARD, openRoom, SHOWN, START, USER } from '../operations/room.ts';

const SENT: Sent = { kind: 'sent', messageId: CARD };

function newsdesk() {
  const sender = {
    send: vi.fn<Sender['send']>(async () => ({ kind: 'sent', messageId: CARD + 1 })),
    edit: vi.fn<Sender['edit']>(async () => SENT),
  };
  const reported = vi.fn(async () => false);
  const supportUrl = 'https://support.example/';
  return {
    sender,
    reported,
    show: createOperationNews({ sender, texts: createTexts(), reported, supportUrl }),
  };
}

function operationIn(state: Operation['state'], more: Partial<Operation> = {}): Operation {
  return {
    id: 'ABCD1234',
    user: USER,
    account: ACCOUNT,
    language: 'en',
    request: { kind: 'energy', address: ADDRESS, energy_amount: 65_000, duration_hours: 1 },
    state,
    card: CARD,
    createdAt: START,
    expiresAt: START,
    late: false,
    revision: 2,
    notified: 1,
    ...more,
  };
}

const DONE = operationIn('done', { result: { order: 7, status: 'pending', price: '2.32' } });
const LATE = { ...DONE, late: true };

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
  expect(english).toContain('This card changes when');
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

describe('what could not be shown', () => {
  const fates: [Sent, object][] = [
    [
      { kind: 'later', afterMs: 3_000 },
      { kind: 'later', afterMs: 3_000 },
    ],
    [
      { kind: 'failed', reason: 'ECONNREFUSED' },
      { kind: 'later', afterMs: 5_000 },
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

  test('of late news is told later, with the card as it is by then', async () => {
    const { show, sender } = newsdesk();
    sender.send.mockResolvedValueOnce({ kind: 'later', afterMs: 2_000 });
    expect(await show(LATE)).toEqual({ kind: 'later', afterMs: 2_000 });
    sender.edit.mockResolvedValue({ kind: 'unchanged' });
    expect(await show(LATE)).toEqual(SHOWN);
    expect(sender.send).toHaveBeenCalledTimes(2);
  });
});

describe('late news', () => {
  test('get a message of their own beside the card, with the number and no buttons', async () => {
    const { show, sender } = newsdesk();
    await show(LATE);
    expect(sender.edit).toHaveBeenCalledOnce();
    expect(sender.send).toHaveBeenCalledWith(USER, {
      html: expect.stringMatching(/^News of operation ABCD1234:\n\n[\s\S]*Bought/),
      keyboard: [],
    });
  });

  test('are no news while the outcome is unknown', async () => {
    const { show, sender } = newsdesk();
    await show(operationIn('unknown', { late: true }));
    expect(sender.send).not.toHaveBeenCalled();
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
