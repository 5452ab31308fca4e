import { expect, test } from 'vitest';
import type { Sent } from '../../../src/telegram/sender.ts';
import { TEXTS } from '../../support/texts.ts';
import {
  ACCOUNT,
  ADMIN,
  deposit,
  event,
  LATER,
  OTHER,
  openOutbox,
  settled,
  systemAlert,
  UNCLEAR,
  USER,
  visible,
  withdrawn,
} from './outbox-setup.ts';

const firstLines = (texts: readonly string[]) => texts.map((html) => html.match(/\d+(?=\.00 TRX)/)?.[0]);

/** Telegram responds in this chat only after `let` was called. */
function held(setup: Awaited<ReturnType<typeof openOutbox>>, chat: number) {
  const waiting: ((sent: Sent) => void)[] = [];
  setup.answer.mockImplementation((to) =>
    to === chat
      ? new Promise((resolve) => waiting.push(resolve))
      : Promise.resolve({ kind: 'sent', messageId: 1 }),
  );
  return { waiting, let: () => waiting.splice(0).map((one) => one({ kind: 'sent', messageId: 1 })) };
}

test('does not send a notification again that is added within a month', async () => {
  const setup = await openOutbox();
  await setup.add(deposit(1));
  await setup.pass(5_000);
  setup.clock.now += 30 * 24 * 3_600_000;
  await setup.add(deposit(1));
  await setup.add(deposit(1), setup.replica());
  await setup.pass(5_000);
  expect(setup.sentTo(USER)).toHaveLength(1);
});

test.each<[string, Sent]>([
  ['was delivered', { kind: 'sent', messageId: 1 }],
  ['may have been delivered', UNCLEAR],
])('queues nothing when a notification is added again that %s', async (_, sent) => {
  const setup = await openOutbox();
  setup.says(USER, sent);
  await setup.add(deposit(1));
  await setup.pass(5_000);
  const writer = setup.replica();
  await writer.close();
  await setup.add(deposit(1), writer);
  for (const list of [`notifications-of-chat:{${USER}}`, 'outbox:money', 'outbox:other'])
    expect(await setup.storage.index.upTo(list, Number.MAX_VALUE, 9)).toEqual([]);
});

test('sends the notifications of a chat in the order of addition, also within a millisecond', async () => {
  const setup = await openOutbox();
  for (const trx of [7, 3, 9, 1, 8]) void setup.add(withdrawn(trx));
  await setup.pass(10_000);
  expect(firstLines(setup.sentTo(USER))).toEqual(['7', '3', '9', '1', '8']);
});

test('sends at most one message a second to a chat', async () => {
  const setup = await openOutbox();
  for (let trx = 1; trx <= 5; trx += 1) {
    await setup.add(withdrawn(trx));
    await settled();
  }
  await setup.pass(10_000);
  expect(setup.timesIn(USER)).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
});

test('sends notifications about money first within a chat', async () => {
  const setup = await openOutbox();
  setup.says(USER, LATER(3_000));
  await setup.add(event('some.event'));
  await setup.add(event('another.event'));
  await setup.add(deposit(5));
  await setup.pass(2_000);
  setup.answer.mockResolvedValue({ kind: 'sent', messageId: 1 });
  await setup.pass(10_000);
  expect(setup.sentTo(USER)).toHaveLength(2);
  expect(setup.sentTo(USER)[0]).toContain('5.00 TRX');
});

test('sends notifications about money first across chats', async () => {
  const setup = await openOutbox();
  const chats = Array.from({ length: 100 }, (_, at) => 10_000 + at);
  for (const chat of chats) await setup.links.link(chat, 1001, `the-key-of-chat-${chat}`, 'en');
  const writer = setup.replica();
  await writer.close();
  for (const chat of chats.slice(0, 50)) await setup.add(event('some.event', chat), writer);
  for (const chat of chats.slice(50)) await setup.add(deposit(5, chat), writer);
  await setup.pass(1_000);
  expect(setup.asked.slice(0, 50).map(({ chat }) => chat >= 10_050)).toEqual(Array(50).fill(true));
  await setup.pass(3_000);
  expect(setup.asked).toHaveLength(100);
});

test('waits after a 429 without losing the order or delaying other chats', async () => {
  const setup = await openOutbox();
  setup.says(USER, LATER(30_000));
  await setup.add(withdrawn(1));
  await settled();
  for (const trx of [2, 3]) await setup.add(withdrawn(trx));
  await setup.add(withdrawn(4, OTHER));
  await settled();
  expect(setup.sentTo(OTHER)).toHaveLength(1);
  await setup.pass(29_000);
  expect(setup.timesIn(USER)).toEqual([0]);
  setup.answer.mockResolvedValue({ kind: 'sent', messageId: 1 });
  await setup.pass(5_000);
  expect(setup.timesIn(USER)).toEqual([0, 30_000, 31_000, 32_000]);
  expect(firstLines(setup.sentTo(USER))).toEqual(['1', '2', '3']);
});

test('does not delay other chats while Telegram does not respond for one', async () => {
  const setup = await openOutbox();
  held(setup, USER);
  await setup.add(withdrawn(1));
  await setup.add(withdrawn(2, OTHER));
  await setup.pass(3_000);
  expect(setup.sentTo(OTHER)).toHaveLength(1);
});

test('reports the delivery time of each sent notification', async () => {
  const setup = await openOutbox();
  setup.says(USER, LATER(5_000));
  await setup.add(withdrawn(1));
  await settled();
  setup.answer.mockResolvedValue({ kind: 'sent', messageId: 1 });
  await setup.pass(10_000);
  expect(setup.notificationSent.mock.calls).toEqual([[5_000]]);
});

test('finishes what is in progress when closed, and starts nothing', async () => {
  const setup = await openOutbox();
  const { let: go } = held(setup, USER);
  await setup.add(withdrawn(1));
  await settled();
  let isClosed = false;
  const closing = setup.outbox.close().then(() => {
    isClosed = true;
  });
  await setup.add(withdrawn(2));
  await settled();
  expect(isClosed).toBe(false);
  go();
  await closing;
  expect(setup.asked).toHaveLength(1);
  await setup.pass(20_000, [setup.replica()]);
  expect(setup.asked).toHaveLength(2);
});

test('removes malformed members of the queue, and they delay no chat', async () => {
  const setup = await openOutbox();
  const { index } = setup.storage;
  for (let n = 0; n < 300; n += 1) await index.put('outbox:money', `rubbish-${n}`, 0);
  await index.put('outbox:other', '1.0', 0);
  setup.says(USER, LATER(5_000));
  await setup.add(deposit(1));
  await setup.pass(2_000);
  setup.says(USER, { kind: 'sent', messageId: 9 });
  await setup.pass(20_000);
  expect(setup.sentTo(USER)).toHaveLength(1);
  for (const lane of ['money', 'other'])
    expect(await index.upTo(`outbox:${lane}`, Number.MAX_VALUE, 500)).toEqual([]);
});

const creditedIn = (html: string | undefined) => html?.match(/<b>\d+\.00 TRX/g) ?? [];

test('sends the first of a kind at once, and those of the next three seconds together', async () => {
  const setup = await openOutbox();
  for (let trx = 1; trx <= 5; trx += 1) {
    await setup.add(deposit(trx));
    await setup.pass(600);
  }
  await setup.pass(10_000);
  const [, later = 0, ...others] = setup.timesIn(USER);
  expect(others).toEqual([]);
  expect(later).toBeGreaterThanOrEqual(3_000);
  expect(later).toBeLessThan(5_000);
  const [first, second] = setup.sentTo(USER);
  expect(creditedIn(first)).toEqual(['<b>1.00 TRX']);
  expect(creditedIn(second)).toEqual(['<b>2.00 TRX', '<b>3.00 TRX', '<b>4.00 TRX', '<b>5.00 TRX']);
});

test('sends further notifications in time although the clock was set back by an hour', async () => {
  const setup = await openOutbox();
  await setup.add(deposit(1));
  await settled();
  setup.clock.now -= 3600_000;
  await setup.add(deposit(2));
  await setup.pass(5_000);
  expect(creditedIn(setup.sentTo(USER)[1])).toEqual(['<b>2.00 TRX']);
});

test('groups at most ten notifications and marks only those as sent', async () => {
  const setup = await openOutbox();
  for (let trx = 1; trx <= 26; trx += 1) void setup.add(deposit(trx));
  await setup.pass(30_000);
  expect(setup.sentTo(USER).map((html) => creditedIn(html).length)).toEqual([10, 10, 6]);
  const all = setup.sentTo(USER).flatMap(creditedIn);
  expect(all).toEqual(Array.from({ length: 26 }, (_, at) => `<b>${at + 1}.00 TRX`));
});

test('groups at most three thousand characters', async () => {
  const setup = await openOutbox();
  for (let at = 0; at < 8; at += 1) {
    const fields = Object.fromEntries(
      Array.from({ length: 8 }, (_, n) => [`${n}`.repeat(32), '<'.repeat(64)]),
    );
    void setup.add({ ...event(`e${at}`), kind: 'event', data: { type: `event.${at}.`, fields } });
  }
  await setup.pass(60_000);
  for (const html of setup.sentTo(USER)) expect(visible(html).length).toBeLessThanOrEqual(3_000);
  expect(
    setup
      .sentTo(USER)
      .join('')
      .match(/event\.\d+\./g),
  ).toHaveLength(8);
  expect(setup.sentTo(USER).length).toBeLessThan(6);
});

test('does not start another grouping period after a failed send', async () => {
  const setup = await openOutbox();
  await setup.add(deposit(1));
  await settled();
  setup.answer.mockResolvedValueOnce({ kind: 'failed', reason: 'ECONNREFUSED' });
  await setup.add(deposit(2));
  await setup.add(deposit(3));
  await setup.pass(3_000);
  await setup.add(deposit(4));
  await setup.pass(10_000);
  expect(creditedIn(setup.sentTo(USER).at(-1))).toEqual(['<b>2.00 TRX', '<b>3.00 TRX', '<b>4.00 TRX']);
});

test('never groups notifications that are sent alone', async () => {
  const setup = await openOutbox();
  for (let trx = 1; trx <= 3; trx += 1) void setup.add(withdrawn(trx));
  for (const id of ['a', 'b']) void setup.add(systemAlert(id));
  await setup.pass(10_000);
  expect(setup.timesIn(USER)).toEqual([0, 1_000, 2_000]);
  expect(setup.timesIn(ADMIN)).toEqual([0, 1_000]);
});

test('sends another kind while one is being grouped', async () => {
  const setup = await openOutbox();
  void setup.add(deposit(1));
  await settled();
  void setup.add(deposit(2));
  void setup.add(event('some.event'));
  await setup.pass(10_000);
  expect(setup.timesIn(USER)).toEqual([0, 1_000, 3_000]);
  expect(setup.sentTo(USER)[1]).toContain('some.event');
});

test('does not group different kinds or accounts', async () => {
  const setup = await openOutbox();
  const writer = setup.replica();
  await writer.close();
  await setup.add(event('first.of.one'), writer);
  await setup.add({ ...event('third.of.nobody'), account: undefined } as never, writer);
  await setup.add(event('second.of.one'), writer);
  await setup.pass(20_000);
  expect(setup.sentTo(USER).map((html) => html.match(/[a-z]+\.of\.[a-z]+/g))).toEqual([
    ['first.of.one', 'second.of.one'],
    ['third.of.nobody'],
  ]);
});

test('groups across replicas and sends each notification once', async () => {
  const setup = await openOutbox();
  const replicas = [setup.outbox, setup.replica(), setup.replica()];
  for (let trx = 1; trx <= 9; trx += 1) {
    const [one, other] = [replicas[trx % 3], replicas[(trx + 1) % 3]];
    await Promise.all([setup.add(deposit(trx), one), setup.add(deposit(trx), other)]);
  }
  await setup.pass(30_000, replicas);
  expect(setup.sentTo(USER).flatMap(creditedIn).toSorted()).toEqual(
    Array.from({ length: 9 }, (_, at) => `<b>${at + 1}.00 TRX`),
  );
  expect(setup.sentTo(USER)).toHaveLength(2);
});

test("sends an alert in the admin's language only", async () => {
  const setup = await openOutbox();
  await setup.links.link(ADMIN, ACCOUNT, 'the-key-of-an-admin', 'ru');
  await setup.add(systemAlert());
  await settled();
  expect(setup.sentTo(ADMIN)).toEqual([TEXTS.in('ru').html('guests-full')]);
});

test('notifies each account holder once, in their language', async () => {
  const setup = await openOutbox();
  const { chat: _, account: __, ...notification } = deposit(5);
  await Promise.all([setup.notifyHolders(notification as never), setup.notifyHolders(notification as never)]);
  await setup.pass(10_000);
  await setup.notifyHolders(notification as never);
  await setup.pass(10_000);
  expect(setup.asked.map(({ chat }) => chat).toSorted()).toEqual([USER, OTHER]);
  expect(setup.sentTo(USER)[0]).toContain('credited');
  expect(setup.sentTo(OTHER)[0]).toMatch(/[а-я]/);
  expect(setup.profile).toHaveBeenCalledTimes(2);
  expect(ACCOUNT).toBe(deposit(5).account);
});
