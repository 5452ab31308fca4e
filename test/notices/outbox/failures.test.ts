import { expect, test } from 'vitest';
import type { NoticeKinds } from '../../../src/notices/kinds/kinds.ts';
import type { Content } from '../../../src/telegram/sender.ts';
import { failing } from '../../operations/room.ts';
import {
  BLOCKED,
  deposit,
  event,
  FAILED,
  OTHER,
  openOutbox,
  REFUSED,
  START,
  settled,
  USER,
  visible,
  withdrawn,
} from './room.ts';

const HOUR = 3_600_000;
const ASIDE = 10 * 60_000;
const SENT = { kind: 'sent', messageId: 1 } as const;

test('what was not sent is tried again with growing pauses, and keeps its place', async () => {
  const room = await openOutbox();
  room.says(USER, FAILED);
  await room.add(withdrawn(1));
  await room.add(withdrawn(2));
  await room.pass(20_000);
  expect(room.timesIn(USER)).toEqual([0, 1_000, 6_000]);
  room.answer.mockResolvedValue(SENT);
  await room.pass(10_000);
  expect(room.sentTo(USER).map((html) => html.match(/\d+ TRX/)?.[0])).toEqual(['1 TRX', '2 TRX']);
});

test('what is added to those that fail makes their pauses no shorter', async () => {
  const room = await openOutbox();
  room.says(USER, FAILED);
  for (let trx = 1; trx <= 6; trx += 1) {
    await room.add(deposit(trx));
    await room.pass(1_000);
  }
  await room.pass(60_000);
  expect(room.timesIn(USER)).toEqual([0, 1_000, 6_000, 21_000]);
});

test('while Telegram is away everything waits, however long, and is told in order once it is back', async () => {
  const room = await openOutbox();
  room.says(USER, { kind: 'away', reason: 'ECONNREFUSED' });
  for (const trx of [1, 2]) await room.add(withdrawn(trx));
  await room.pass(HOUR);
  expect(room.lines()).toEqual([]);
  room.answer.mockResolvedValue(SENT);
  await room.pass(10_000);
  expect(room.sentTo(USER).map((html) => html.match(/\d+ TRX/)?.[0])).toEqual(['1 TRX', '2 TRX']);
});

/** One that Telegram never answers about otherwise than that it failed. */
async function hopeless() {
  const room = await openOutbox();
  const isHopeless = ({ html }: Content) => html.includes('13 TRX');
  room.answer.mockImplementation(async (_chat, content) => (isHopeless(content) ? FAILED : SENT));
  await room.add(withdrawn(13));
  await room.add(withdrawn(2));
  const triedAt = () => room.asked.filter(({ html }) => html.includes('13 TRX')).map(({ at }) => at - START);
  return { ...room, triedAt };
}

test('what fails for good is set aside after five tries, with a line in the log, and its chat goes on', async () => {
  const room = await hopeless();
  await room.pass(80_000);
  expect(room.sentTo(USER)).toEqual([]);
  await room.pass(3_000);
  expect(room.triedAt()).toEqual([0, 1_000, 6_000, 21_000, 81_000]);
  expect(room.sentTo(USER)).toEqual([expect.stringContaining('2 TRX')]);
  expect(room.lines()).toMatchObject([
    { level: 'error', chat: USER, reason: 'ECONNREFUSED', msg: 'a notice is set aside' },
  ]);
});

test('set aside, it comes back after ten minutes for one try, which holds up nobody', async () => {
  const room = await hopeless();
  await room.pass(90_000);
  await room.pass(ASIDE - 10_000);
  await room.add(withdrawn(3));
  await room.pass(3_000);
  expect(room.triedAt().slice(5)).toEqual([ASIDE + 81_000]);
  expect(room.sentTo(USER)).toHaveLength(2);
});

test('what comes back can be told, and then comes back no more', async () => {
  const room = await hopeless();
  await room.pass(90_000);
  room.answer.mockResolvedValue(SENT);
  await room.pass(HOUR);
  expect(room.sentTo(USER).at(-1)).toContain('13 TRX');
  await room.pass(3 * HOUR);
  expect(room.sentTo(USER)).toHaveLength(2);
  expect(await room.storage.index.last('outbox:aside', 9)).toEqual([]);
});

test('those that come back stand in the order in which they were added, money before the rest', async () => {
  const room = await openOutbox();
  room.says(USER, FAILED);
  for (const one of [event('some.event'), withdrawn(9), withdrawn(1), withdrawn(5)]) await room.add(one);
  await room.pass(10 * 60_000);
  expect(room.timesIn(USER)).toHaveLength(20);
  room.answer.mockResolvedValue(SENT);
  room.clock.now += 2 * HOUR;
  await room.pass(10_000);
  expect(room.sentTo(USER).map((html) => html.match(/\d TRX|some\.event/)?.[0])).toEqual([
    '9 TRX',
    '1 TRX',
    '5 TRX',
    'some.event',
  ]);
});

test('after a day it is given up, with a line in the log', async () => {
  const room = await hopeless();
  await room.pass(90_000);
  for (let hours = 0; hours < 30; hours += 1) {
    room.clock.now += HOUR;
    await room.pass(2_000);
  }
  expect(room.lines().at(-1)).toMatchObject({ level: 'error', chat: USER, msg: 'a notice is given up' });
  const tries = room.triedAt().length;
  expect(tries).toBe(29);
  await room.add(withdrawn(13));
  await room.pass(2 * HOUR);
  expect(room.triedAt()).toHaveLength(tries);
});

test('one that is set aside and added once more is told once', async () => {
  const room = await hopeless();
  await room.pass(90_000);
  room.answer.mockResolvedValue(SENT);
  await room.add(withdrawn(13));
  await room.pass(2 * HOUR);
  expect(room.sentTo(USER)).toHaveLength(2);
});

test('one whose words fail holds up nothing, and is tried again after ten minutes', async () => {
  const room = await openOutbox();
  let isBroken = true;
  const of = (kinds: NoticeKinds): NoticeKinds => ({
    of(name) {
      const kind = kinds.of(name);
      if (kind?.name !== 'deposit') return kind;
      const view: typeof kind.view = (words, told, to) => {
        if (isBroken && told.some((one) => Reflect.get(Object(one), 'amount') === '13'))
          throw new Error('no words');
        return kind.view(words, told, to);
      };
      return { ...kind, view };
    },
  });
  const own = room.replica(room.storage, { of });
  await room.replica().close();
  for (const trx of [1, 13, 2]) await room.add(deposit(trx), own);
  await room.pass(10_000, [own]);
  const all = room.sentTo(USER).join();
  for (const trx of [1, 2]) expect(all).toContain(`<b>${trx} TRX`);
  expect(room.lines()).toMatchObject([{ level: 'error', chat: USER, err: {}, msg: 'a notice is set aside' }]);
  isBroken = false;
  await room.pass(HOUR, [own]);
  expect(room.sentTo(USER).at(-1)).toContain('<b>13 TRX');
});

test('what Telegram refuses for good is told plainly and shortly, with its buttons', async () => {
  const room = await openOutbox();
  room.answer.mockImplementation(async (_chat, { html }) => (/[<>]/.test(html) ? REFUSED : SENT));
  await room.add(withdrawn(5));
  await room.pass(10_000);
  expect(room.sentTo(USER)).toEqual([expect.stringContaining('5 TRX')]);
  expect(room.sentTo(USER)[0]?.length).toBeLessThanOrEqual(300);
  expect(room.asked.at(-1)?.keyboard).toEqual(room.asked[0]?.keyboard);
  expect(room.asked).toHaveLength(2);
});

test('what is refused plainly, too, is given up with a line in the log, and its chat goes on', async () => {
  const room = await openOutbox();
  room.answer.mockImplementation(async (_chat, { html }) => (html.includes('13 TRX') ? REFUSED : SENT));
  await room.add(withdrawn(13));
  await room.add(withdrawn(2));
  await room.pass(60_000);
  expect(room.asked).toHaveLength(3);
  expect(room.sentTo(USER)).toEqual([expect.stringContaining('2 TRX')]);
  expect(room.lines()).toMatchObject([
    { level: 'error', chat: USER, reason: REFUSED.kind === 'refused' ? REFUSED.reason : '' },
  ]);
  await room.add(withdrawn(13));
  await room.pass(60_000);
  expect(room.asked).toHaveLength(3);
});

test('of several that are refused together each is told by itself: only what was said counts as told', async () => {
  const room = await openOutbox();
  room.answer.mockImplementation(async (_chat, { html }) => (html.includes('<b>13 TRX') ? REFUSED : SENT));
  await room.replica().close();
  const writer = room.replica();
  await writer.close();
  for (const trx of [1, 2, 13, 3]) await room.add(deposit(trx), writer);
  await room.pass(60_000);
  const all = room.sentTo(USER);
  for (const trx of [1, 2, 13, 3])
    expect(all.filter((html) => new RegExp(`(^|\\D)${trx} TRX`).test(html))).toHaveLength(1);
  expect(all.find((html) => html.includes('13 TRX'))).not.toContain('<b>');
});

test.each([BLOCKED, { kind: 'gone' } as const])(
  'of a chat that takes nothing ($kind) Telegram is asked no more, until it comes back',
  async (sent) => {
    const room = await openOutbox();
    room.says(USER, sent);
    await room.add(withdrawn(1));
    await settled();
    await room.add(withdrawn(2));
    await room.pass(2 * HOUR);
    await room.add(withdrawn(3));
    await room.pass(60_000);
    expect(room.timesIn(USER)).toEqual([0]);
    await room.add(withdrawn(4, OTHER));
    await settled();
    expect(room.sentTo(OTHER)).toHaveLength(1);
    room.answer.mockResolvedValue(SENT);
    await room.outbox.returned(USER);
    await room.pass(5_000);
    expect(room.sentTo(USER).map((html) => html.match(/\d TRX/)?.[0])).toEqual(['1 TRX', '2 TRX', '3 TRX']);
  },
);

test('who comes back after a month is told what waits for them', async () => {
  const room = await openOutbox();
  room.says(USER, BLOCKED);
  await room.add(deposit(1));
  await room.pass(5_000);
  room.clock.now += 30 * 24 * HOUR;
  await room.pass(5_000);
  expect(room.asked).toHaveLength(1);
  room.answer.mockResolvedValue(SENT);
  await room.outbox.returned(USER);
  await room.pass(5_000);
  expect(room.sentTo(USER).map(visible).join()).toContain('1 TRX');
});

test('who was never gone and comes back is told nothing', async () => {
  const room = await openOutbox();
  await room.outbox.returned(USER);
  await room.pass(5_000);
  expect(room.asked).toEqual([]);
});

test('for who is gone two hundred notices are kept: the oldest that are not about money go', async () => {
  const room = await openOutbox();
  room.says(USER, BLOCKED);
  for (let trx = 1; trx <= 100; trx += 1) await room.add(deposit(trx));
  for (let at = 1; at <= 300; at += 1) {
    await room.add(event(`event.${at}`));
    await settled();
  }
  room.answer.mockResolvedValue(SENT);
  await room.outbox.returned(USER);
  await room.pass(5 * 60_000);
  const all = room.sentTo(USER).join();
  for (let trx = 1; trx <= 100; trx += 1) expect(all).toContain(`<b>${trx} TRX`);
  expect(all.match(/<code>event\.\d+/g)).toHaveLength(100);
  expect(all).not.toContain('event.200<');
  expect(all).toContain('event.201<');
});

test('a storage that fails loses nothing, and holds up no other chat', async () => {
  const room = await openOutbox();
  const own = room.replica(failing(room.storage, ({ key }) => key === `notices-paused:{${USER}}`));
  await room.add(withdrawn(1), own).catch(() => undefined);
  await room.add(withdrawn(2, OTHER), own);
  await settled();
  expect(room.sentTo(USER)).toEqual([]);
  expect(room.sentTo(OTHER)).toHaveLength(1);
  await room.pass(20_000, [room.replica()]);
  expect(room.sentTo(USER)).toHaveLength(1);
});
