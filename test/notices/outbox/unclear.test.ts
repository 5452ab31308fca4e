import { expect, test } from 'vitest';
import { expectWithinLimits } from '../../texts/telegram-limits.ts';
import {
  deposit,
  FAILED,
  LATER,
  OTHER,
  openOutbox,
  REFUSED,
  settled,
  UNCLEAR,
  USER,
  visible,
  withdrawn,
} from './room.ts';

const HOUR = 3_600_000;
const SENT = { kind: 'sent', messageId: 1 } as const;
const MAY_HAVE_READ = 'You may have read this before';

/** A notification that was sent once, without an answer. */
async function unansweredOnce(notice = deposit(1)) {
  const room = await openOutbox();
  room.answer.mockResolvedValueOnce(UNCLEAR);
  await room.add(notice);
  await settled();
  return room;
}

/** A notification that was sent twice, without an answer. */
async function unanswered(notice = deposit(1)) {
  const room = await unansweredOnce(notice);
  room.answer.mockResolvedValueOnce(UNCLEAR);
  await room.pass(60_000);
  return room;
}

test('sends a notification once more 15 seconds after Telegram did not answer, and says that it may be known', async () => {
  const room = await unansweredOnce();
  await room.pass(14_000);
  expect(room.asked).toHaveLength(1);
  await room.pass(2_000);
  expect(room.sentTo(USER)).toEqual([expect.stringMatching(/You may have read this before[\s\S]*<b>1 TRX/)]);
  await room.pass(3 * HOUR);
  expect(room.asked).toHaveLength(2);
  expect(room.lines()).toMatchObject([
    { level: 'warn', chat: USER, msg: 'nobody knows whether a notice was told' },
  ]);
});

test('sends a notification twice at most while Telegram does not answer', async () => {
  const room = await unanswered();
  await room.pass(3 * HOUR);
  expect(room.asked).toHaveLength(2);
});

test('sends nothing a second time before Telegram answers in the chat', async () => {
  const room = await unansweredOnce();
  room.isAnswered.mockResolvedValue(false);
  await room.pass(10 * 60_000);
  expect(room.asked).toHaveLength(1);
  room.isAnswered.mockResolvedValue(true);
  await room.pass(20_000);
  expect(room.sentTo(USER)).toEqual([expect.stringContaining('<b>1 TRX')]);
});

test('does not ask Telegram about a paused chat', async () => {
  const room = await unansweredOnce();
  await room.pass(14_000);
  room.answer.mockResolvedValueOnce(LATER(20_000));
  await room.add(withdrawn(2));
  await settled();
  await room.pass(15_000);
  expect(room.isAnswered).not.toHaveBeenCalled();
  await room.pass(60_000);
  expect(
    room
      .sentTo(USER)
      .join()
      .match(/<b>1 TRX/g),
  ).toHaveLength(1);
});

test('does not send it by itself once it stood below another message', async () => {
  const room = await unansweredOnce();
  await room.pass(5_000);
  await room.add(withdrawn(3));
  await room.pass(60_000);
  expect(room.sentTo(USER)).toEqual([expect.stringMatching(/3 TRX[\s\S]*<b>1 TRX/)]);
  expect(room.asked).toHaveLength(2);
});

test('counts the copy below another message that Telegram did not answer', async () => {
  const room = await unansweredOnce();
  await room.pass(5_000);
  room.answer.mockResolvedValueOnce(UNCLEAR).mockResolvedValueOnce(REFUSED);
  await room.add(withdrawn(3));
  await room.pass(60_000);
  // With it below, the second sending is refused.
  expect(room.sentTo(USER)).toEqual([expect.not.stringContaining('<b>1 TRX')]);
});

test('does not send it a third time if it is added again, on whichever replica', async () => {
  const room = await unansweredOnce();
  await room.add(deposit(1));
  await room.add(deposit(1), room.replica());
  await room.pass(60_000);
  expect(room.asked).toHaveLength(2);
});

test('it stands below the next message of its chat, as what it is, once', async () => {
  const room = await unanswered();
  await room.pass(60_000);
  await room.add(withdrawn(2, OTHER));
  await room.add(withdrawn(3));
  await room.add(withdrawn(4));
  await room.pass(5_000);
  const [first = '', second = ''] = room.sentTo(USER);
  expect(first).toMatch(/3 TRX[\s\S]*You may have read this before[\s\S]*<b>1 TRX/);
  expect(second).not.toContain('<b>1 TRX');
  expect(room.sentTo(OTHER).join()).not.toContain('1 TRX');
  await room.add(deposit(1));
  await room.pass(60_000);
  expect(room.asked.filter(({ html }) => html.includes('<b>1 TRX'))).toHaveLength(3);
});

test('a message that is refused with it is told without it, as it is', async () => {
  const room = await unanswered();
  room.answer.mockImplementation(async (_chat, { html }) => (html.includes('<b>1 TRX') ? REFUSED : SENT));
  await room.pass(60_000);
  await room.add(withdrawn(3));
  await room.pass(10_000);
  const [only = ''] = room.sentTo(USER);
  expect(only).toContain('3 TRX');
  expect(only).toContain('<code>');
  expect(only).not.toContain(MAY_HAVE_READ);
});

test('where that message fails it is said with the next try, and where nobody knows it stays what it is', async () => {
  const room = await unanswered();
  room.answer
    .mockResolvedValueOnce({ kind: 'failed', reason: 'ECONNREFUSED' })
    .mockResolvedValueOnce(UNCLEAR);
  await room.pass(60_000);
  await room.add(withdrawn(3));
  await room.pass(10_000);
  expect(room.sentTo(USER)).toEqual([]);
  await room.add(withdrawn(4));
  await room.pass(10_000);
  const [only = ''] = room.sentTo(USER);
  expect(room.sentTo(USER)).toHaveLength(1);
  for (const trx of [1, 3, 4]) expect(only).toContain(`${trx} TRX`);
});

test('one that was set aside comes back no more once it may have been told', async () => {
  const room = await openOutbox();
  room.says(USER, FAILED);
  await room.add(deposit(1));
  await room.pass(90_000);
  room.answer.mockReset().mockResolvedValue(UNCLEAR);
  await room.pass(HOUR);
  expect(room.asked.at(-1)?.sent).toEqual(UNCLEAR);
  const { length } = room.asked;
  await room.pass(2 * HOUR);
  expect(room.asked).toHaveLength(length);
  expect(await room.storage.index.upTo('outbox:aside', Number.MAX_VALUE, 10)).toEqual([]);
});

test('what can be done about it can be done there', async () => {
  const address = { kind: 'address', id: 'announced:A:1', chat: USER, account: 1001 } as const;
  const data = {
    what: 'announced',
    id: 'A',
    address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    from: 0,
  } as const;
  const room = await unanswered({ ...address, data });
  await room.pass(60_000);
  await room.add(deposit(3));
  await settled();
  expect(room.asked.at(-1)?.html).toContain(MAY_HAVE_READ);
  expect(room.asked.at(-1)?.keyboard?.flat()).toMatchObject([
    { callback_data: '+announced:strike:A' },
    { callback_data: '+menu:open' },
  ]);
});

test('of one that is no longer for who reads there nothing is said', async () => {
  const room = await unanswered();
  await room.noticeSettings.mute(USER, 'deposits', true);
  await room.pass(60_000);
  await room.add(withdrawn(3));
  await settled();
  await room.noticeSettings.mute(USER, 'deposits', false);
  await room.pass(60_000);
  await room.add(withdrawn(4));
  await room.pass(60_000);
  expect(room.sentTo(USER)).toHaveLength(2);
  expect(room.sentTo(USER).join()).not.toContain(MAY_HAVE_READ);
});

test('what has no room below a message waits for one that has', async () => {
  const room = await openOutbox();
  const long = (at: number) => ({
    ...{ kind: 'event' as const, id: `long.${at}`, chat: USER, account: 1001 },
    data: {
      type: `long.${at}`,
      fields: Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}`.repeat(32), '&'.repeat(64)])),
    },
  });
  for (const at of [1, 2, 4, 5]) {
    room.answer.mockResolvedValueOnce(UNCLEAR);
    await room.add(long(at));
    await room.pass(60_000);
  }
  room.answer.mockResolvedValue(SENT);
  await room.add(long(3));
  await room.pass(60_000);
  await room.add(deposit(1));
  await room.pass(60_000);
  await room.add(deposit(2));
  await room.pass(60_000);
  for (const { html } of room.asked) expectWithinLimits({ html, keyboard: [] });
  for (const { html } of room.asked) expect(visible(html).length).toBeLessThan(3_300);
  for (const at of [1, 2, 3, 4, 5])
    expect(room.sentTo(USER).filter((html) => html.includes(`long.${at}<`))).toHaveLength(1);
});

test('who comes to the chat is told it once more, as what it is', async () => {
  const room = await unanswered();
  await room.pass(60_000);
  await room.outbox.here(USER);
  await room.pass(10_000);
  expect(room.asked).toHaveLength(3);
  const again = room.asked.at(-1);
  expect(visible(again?.html ?? '')).toMatch(/You may have read this before[\s\S]*1 TRX/);
  await room.outbox.here(USER);
  await room.pass(HOUR);
  expect(room.asked).toHaveLength(3);
});

test('and where that gets no answer either, it waits for them again', async () => {
  const room = await unanswered();
  await room.pass(60_000);
  room.answer.mockResolvedValueOnce(UNCLEAR);
  await room.outbox.here(USER);
  await room.pass(HOUR);
  expect(room.asked).toHaveLength(3);
  await room.outbox.here(USER);
  await room.pass(10_000);
  expect(room.sentTo(USER)).toEqual([expect.stringContaining(MAY_HAVE_READ)]);
});

test('it is said once more wherever its reader opened the menu while it was becoming what it is', async () => {
  for (let at = 0; ; at += 1) {
    const room = await openOutbox();
    let calls = 0;
    const reader = room.replica();
    await reader.close();
    const opening =
      <T extends unknown[], R>(run: (...given: T) => Promise<R>) =>
      async (...given: T): Promise<R> => {
        if (calls++ === at) await reader.here(USER);
        return run(...given);
      };
    const { index } = room.storage;
    const own = room.replica({
      ...room.storage,
      set: opening(room.storage.set),
      index: { ...index, put: opening(index.put), remove: opening(index.remove) },
    });
    room.answer.mockResolvedValueOnce(UNCLEAR);
    void own.add(deposit(1));
    await room.pass(10_000, [own]);
    await room.add(withdrawn(2), own);
    await room.pass(10_000, [own]);
    expect([at, room.sentTo(USER).join().includes('<b>1 TRX')]).toEqual([at, true]);
    if (calls <= at) return;
  }
});
