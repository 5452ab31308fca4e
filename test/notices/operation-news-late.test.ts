import { describe, expect, test } from 'vitest';
import type { Sent } from '../../src/telegram/sender.ts';
import { ACCOUNT } from '../operations/rental-stand-in.ts';
import { CARD, FILLED, openRoom, SHOWN, USER } from '../operations/room.ts';
import { LATE, NEWS, newsdesk, operationIn } from './newsdesk.ts';

const SENT: Sent = { kind: 'sent', messageId: CARD };

describe('late news', () => {
  const FAILED = { ...LATE, result: { order: 7, status: 'failed' } };

  test('are a reply to the receipt, with the number and no buttons', async () => {
    const { show, sender } = newsdesk();
    expect(await show(LATE)).toEqual({ ...SHOWN, news: NEWS });
    expect(sender.edit.mock.calls.map(([, message]) => message)).toEqual([CARD]);
    const reply = { html: expect.stringMatching(/^✅ <b>Bought[\s\S]*Operation ABCD1234$/), keyboard: [] };
    expect(sender.send.mock.calls).toEqual([[USER, reply, CARD]]);
  });

  test('that follow change that reply, and no further one is sent', async () => {
    const { show, sender } = newsdesk();
    expect(await show({ ...FAILED, news: NEWS })).toEqual({ ...SHOWN, news: NEWS });
    const [receipt, reply] = sender.edit.mock.calls;
    expect(receipt?.[1]).toBe(CARD);
    expect(reply).toEqual([USER, NEWS, { html: expect.stringContaining('Not delivered'), keyboard: [] }]);
    expect(sender.send).not.toHaveBeenCalled();
  });

  test('whose reply is gone are sent again below the receipt', async () => {
    const { show, sender } = newsdesk();
    sender.edit.mockResolvedValueOnce(SENT).mockResolvedValueOnce({ kind: 'gone' });
    sender.send.mockResolvedValue({ kind: 'sent', messageId: NEWS + 5 });
    expect(await show({ ...FAILED, news: NEWS })).toEqual({ ...SHOWN, news: NEWS + 5 });
    expect(sender.send.mock.calls.map(([, , replyTo]) => replyTo)).toEqual([CARD]);
  });

  test('that the reply says already are told', async () => {
    const { show, sender } = newsdesk();
    sender.edit.mockResolvedValue({ kind: 'unchanged' });
    expect(await show({ ...LATE, news: NEWS })).toEqual({ ...SHOWN, news: NEWS });
    expect(sender.send).not.toHaveBeenCalled();
  });

  test('stand below the receipt that took the place of one that is gone', async () => {
    const { show, sender } = newsdesk();
    sender.edit.mockResolvedValue({ kind: 'gone' });
    sender.send.mockResolvedValueOnce({ kind: 'sent', messageId: 77 });
    expect(await show(LATE)).toEqual({ kind: 'shown', card: 77, news: NEWS });
    expect(sender.send.mock.calls.map(([, , replyTo]) => replyTo)).toEqual([undefined, 77]);
  });

  test('that could not be told yet do not lose the receipt that was sent for one that is gone', async () => {
    const { show, sender } = newsdesk();
    sender.edit.mockResolvedValue({ kind: 'gone' });
    sender.send
      .mockResolvedValueOnce({ kind: 'sent', messageId: 77 })
      .mockResolvedValueOnce({ kind: 'later', afterMs: 1_000 });
    const room = openRoom();
    await room.advance(await room.claimed());
    room.show.mockImplementation(show);
    const receipts = () => sender.send.mock.calls.filter(([, , replyTo]) => replyTo === undefined);
    await room.operations.settlement.report(ACCOUNT, FILLED);
    sender.edit.mockImplementation(async (_chat, message) =>
      message === 77 ? { kind: 'sent', messageId: 77 } : { kind: 'gone' },
    );
    await room.pass(30_000);
    expect(receipts()).toHaveLength(1);
  });

  test.each([undefined, { count: 1, balance: 'same', over: false } as const])(
    'that an outcome is unknown again say not to repeat it',
    async (search) => {
      const { show, sender } = newsdesk();
      await show(operationIn('unknown', { late: true, search, news: NEWS }));
      expect(sender.edit.mock.calls.at(-1)).toEqual([
        USER,
        NEWS,
        { html: expect.stringContaining("Don't repeat"), keyboard: [] },
      ]);
    },
  );

  test('are none while an outcome is unknown for the first time', async () => {
    const { show, sender } = newsdesk();
    await show(operationIn('unknown'));
    expect(sender.edit.mock.calls.map(([, message]) => message)).toEqual([CARD]);
    expect(sender.send).not.toHaveBeenCalled();
  });
});
