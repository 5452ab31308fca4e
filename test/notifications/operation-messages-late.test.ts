import { describe, expect, test } from 'vitest';
import type { Sent } from '../../src/telegram/sender.ts';
import { CARD, FILLED, SHOWN, setUpOperations, USER } from '../operations/operations-setup.ts';
import { ACCOUNT } from '../operations/rental-stand-in.ts';
import { LATE, NEWS, newsdesk, operationIn } from './operation-messages-setup.ts';

const SENT: Sent = { kind: 'sent', messageId: CARD };

describe('a late outcome', () => {
  const FAILED = { ...LATE, result: { order: 7, status: 'failed' } };

  test('is a reply to the receipt with the operation’s number and no buttons', async () => {
    const { show, sender } = newsdesk();
    expect(await show(LATE)).toEqual({ ...SHOWN, followUp: NEWS });
    expect(sender.edit.mock.calls.map(([, message]) => message)).toEqual([CARD]);
    const reply = { html: expect.stringMatching(/^✅ <b>Bought[\s\S]*Operation ABCD1234$/), keyboard: [] };
    expect(sender.send.mock.calls).toEqual([[USER, reply, CARD]]);
  });

  test('edits the existing reply', async () => {
    const { show, sender } = newsdesk();
    expect(await show({ ...FAILED, followUp: NEWS })).toEqual({ ...SHOWN, followUp: NEWS });
    const [receipt, reply] = sender.edit.mock.calls;
    expect(receipt?.[1]).toBe(CARD);
    expect(reply).toEqual([USER, NEWS, { html: expect.stringContaining('Not delivered'), keyboard: [] }]);
    expect(sender.send).not.toHaveBeenCalled();
  });

  test('is sent again if the reply was deleted', async () => {
    const { show, sender } = newsdesk();
    sender.edit.mockResolvedValueOnce(SENT).mockResolvedValueOnce({ kind: 'gone' });
    sender.send.mockResolvedValue({ kind: 'sent', messageId: NEWS + 5 });
    expect(await show({ ...FAILED, followUp: NEWS })).toEqual({ ...SHOWN, followUp: NEWS + 5 });
    expect(sender.send.mock.calls.map(([, , replyTo]) => replyTo)).toEqual([CARD]);
  });

  test('counts as shown if the reply is unchanged', async () => {
    const { show, sender } = newsdesk();
    sender.edit.mockResolvedValue({ kind: 'unchanged' });
    expect(await show({ ...LATE, followUp: NEWS })).toEqual({ ...SHOWN, followUp: NEWS });
    expect(sender.send).not.toHaveBeenCalled();
  });

  test('replies to the new receipt if the first one was deleted', async () => {
    const { show, sender } = newsdesk();
    sender.edit.mockResolvedValue({ kind: 'gone' });
    sender.send.mockResolvedValueOnce({ kind: 'sent', messageId: 77 });
    expect(await show(LATE)).toEqual({ kind: 'shown', card: 77, followUp: NEWS });
    expect(sender.send.mock.calls.map(([, , replyTo]) => replyTo)).toEqual([undefined, 77]);
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

  test.each([undefined, { count: 1, balance: 'same', over: false } as const])(
    'warns not to repeat an operation whose outcome is unknown again',
    async (search) => {
      const { show, sender } = newsdesk();
      await show(operationIn('unknown', { late: true, search, followUp: NEWS }));
      expect(sender.edit.mock.calls.at(-1)).toEqual([
        USER,
        NEWS,
        { html: expect.stringContaining("Don't repeat"), keyboard: [] },
      ]);
    },
  );

  test('is not sent while an outcome is unknown for the first time', async () => {
    const { show, sender } = newsdesk();
    await show(operationIn('unknown'));
    expect(sender.edit.mock.calls.map(([, message]) => message)).toEqual([CARD]);
    expect(sender.send).not.toHaveBeenCalled();
  });
});
