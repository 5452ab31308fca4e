import { expect, test } from 'vitest';
import {
  ACCOUNT,
  ADMIN,
  deposit,
  event,
  OTHER,
  openOutbox,
  settled,
  systemAlert,
  USER,
  visible,
  withdrawn,
} from './outbox-setup.ts';

const creditedIn = (html: string | undefined) => html?.match(/<b>\d+ TRX/g) ?? [];

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
  expect(creditedIn(first)).toEqual(['<b>1 TRX']);
  expect(second).toContain('4 deposits');
  expect(creditedIn(second)).toEqual(['<b>2 TRX', '<b>3 TRX', '<b>4 TRX', '<b>5 TRX']);
});

test('groups at most ten notifications and marks only those as sent', async () => {
  const setup = await openOutbox();
  for (let trx = 1; trx <= 26; trx += 1) void setup.add(deposit(trx));
  await setup.pass(30_000);
  expect(setup.sentTo(USER).map((html) => creditedIn(html).length)).toEqual([10, 10, 6]);
  const all = setup.sentTo(USER).flatMap(creditedIn);
  expect(all).toEqual(Array.from({ length: 26 }, (_, at) => `<b>${at + 1} TRX`));
});

test('groups at most three thousand characters', async () => {
  const setup = await openOutbox();
  for (let at = 0; at < 20; at += 1) {
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
  ).toHaveLength(20);
  expect(setup.sentTo(USER).length).toBeLessThan(10);
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
  expect(creditedIn(setup.sentTo(USER).at(-1))).toEqual(['<b>2 TRX', '<b>3 TRX', '<b>4 TRX']);
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
    Array.from({ length: 9 }, (_, at) => `<b>${at + 1} TRX`),
  );
  expect(setup.sentTo(USER)).toHaveLength(2);
});

test('notifies each account holder once, in their language', async () => {
  const setup = await openOutbox();
  const { chat: _, account: __, ...news } = deposit(5);
  await Promise.all([setup.notifyHolders(news as never), setup.notifyHolders(news as never)]);
  await setup.pass(10_000);
  await setup.notifyHolders(news as never);
  await setup.pass(10_000);
  expect(setup.asked.map(({ chat }) => chat).toSorted()).toEqual([USER, OTHER]);
  expect(setup.sentTo(USER)[0]).toContain('was credited');
  expect(setup.sentTo(OTHER)[0]).toMatch(/[а-я]/);
  expect(setup.profile).toHaveBeenCalledTimes(2);
  expect(ACCOUNT).toBe(deposit(5).account);
});
