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
  type OutboxSetup,
  openOutbox,
  settled,
  UNCLEAR,
  USER,
  withdrawn,
} from './outbox-setup.ts';

const forget = async (setup: OutboxSetup) =>
  setup.outbox.eraseChat(USER, await setup.storage.tagged(String(USER)));

/** Returns the remaining keys and index members that contain the user's chat. */
async function left({ storage }: OutboxSetup): Promise<string[]> {
  const keys = (await storage.tagged(String(USER))).filter((key) => /notification/.test(key));
  const indexes = await Promise.all(
    ['outbox:money', 'outbox:other', 'outbox:in-delivery', 'outbox:quarantined', 'outbox:unclear'].map(
      (name) => storage.index.upTo(name, Number.MAX_VALUE, 100),
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
  const setup = await openOutbox();
  setup.says(USER, sent);
  for (const chat of [USER, OTHER]) for (const trx of [1, 2]) await setup.add(withdrawn(trx, chat));
  await setup.add(event('of the other', OTHER));
  await settled();
  await forget(setup);
  expect((await left(setup)).filter((key) => !/batching|paused|blocked/.test(key))).toEqual([]);
  setup.says(USER, { kind: 'sent', messageId: 1 });
  const asked = setup.asked.length;
  await setup.pass(120_000);
  expect(setup.asked.slice(asked).filter(({ chat }) => chat === USER)).toEqual([]);
  expect(setup.sentTo(OTHER)).toHaveLength(3);
});

test('forgets a quarantined notification', async () => {
  const setup = await openOutbox();
  setup.says(USER, FAILED);
  await setup.add(withdrawn(1));
  await setup.pass(180_000);
  expect(await left(setup)).toContain(`${USER}/holder-withdrawal:${ACCOUNT}:1`);
  await forget(setup);
  expect((await left(setup)).filter((key) => !/batching|paused|blocked/.test(key))).toEqual([]);
  setup.says(USER, { kind: 'sent', messageId: 1 });
  await setup.pass(1_200_000);
  expect(setup.sentTo(USER)).toEqual([]);
});

test('waits for a delivery in progress and forgets its result too', async () => {
  const setup = await openOutbox();
  let answer = (_sent: Sent) => {};
  setup.answer.mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  await setup.add(deposit(1));
  await settled();
  const forgetting = forget(setup);
  await settled();
  expect(await left(setup)).not.toEqual([]);
  answer({ kind: 'sent', messageId: 1 });
  await forgetting;
  expect((await left(setup)).filter((key) => !/batching|paused|blocked/.test(key))).toEqual([]);
});
