import { expect, test } from 'vitest';
import type { Sent } from '../../../src/telegram/sender.ts';
import {
  ACCOUNT,
  BLOCKED,
  deposit,
  event,
  FAILED,
  LATER,
  OTHER,
  type OutboxRoom,
  openOutbox,
  settled,
  UNCLEAR,
  USER,
  withdrawn,
} from './outbox-setup.ts';

const forget = async (room: OutboxRoom) => room.outbox.forget(USER, await room.storage.tagged(String(USER)));

/** Returns the remaining keys and index members that contain the user's chat. */
async function left({ storage }: OutboxRoom): Promise<string[]> {
  const keys = (await storage.tagged(String(USER))).filter((key) => key.startsWith('notice'));
  const indexes = await Promise.all(
    ['outbox:money', 'outbox:other', 'outbox:taken', 'outbox:aside', 'outbox:unclear'].map((name) =>
      storage.index.upTo(name, Number.MAX_VALUE, 100),
    ),
  );
  return [...keys, ...indexes.flat().filter((member) => member.split('/')[0] === String(USER))];
}

const cases: [string, Sent][] = [
  ['was sent', { kind: 'sent', messageId: 1 }],
  ['may have been sent', UNCLEAR],
  ['waits for Telegram', LATER(60_000)],
  ['waits for a user who blocked the bot', BLOCKED],
];
test.each(cases)('forgets a notification that %s, and keeps those of other chats', async (_, sent) => {
  const room = await openOutbox();
  room.says(USER, sent);
  for (const chat of [USER, OTHER]) for (const trx of [1, 2]) await room.add(withdrawn(trx, chat));
  await room.add(event('of the other', OTHER));
  await settled();
  await forget(room);
  expect((await left(room)).filter((key) => !/gathered|paused/.test(key))).toEqual([]);
  room.says(USER, { kind: 'sent', messageId: 1 });
  const asked = room.asked.length;
  await room.pass(120_000);
  expect(room.asked.slice(asked).filter(({ chat }) => chat === USER)).toEqual([]);
  expect(room.sentTo(OTHER)).toHaveLength(3);
});

test('forgets a set-aside notification', async () => {
  const room = await openOutbox();
  room.says(USER, FAILED);
  await room.add(withdrawn(1));
  await room.pass(180_000);
  expect(await left(room)).toContain(`${USER}/holder-withdrawal:${ACCOUNT}:1`);
  await forget(room);
  expect((await left(room)).filter((key) => !/gathered|paused/.test(key))).toEqual([]);
  room.says(USER, { kind: 'sent', messageId: 1 });
  await room.pass(1_200_000);
  expect(room.sentTo(USER)).toEqual([]);
});

test('waits for a delivery in progress and forgets its result too', async () => {
  const room = await openOutbox();
  let answer = (_sent: Sent) => {};
  room.answer.mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  await room.add(deposit(1));
  await settled();
  const forgetting = forget(room);
  await settled();
  expect(await left(room)).not.toEqual([]);
  answer({ kind: 'sent', messageId: 1 });
  await forgetting;
  expect((await left(room)).filter((key) => !/gathered|paused/.test(key))).toEqual([]);
});
