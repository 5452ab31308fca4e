import { expect, test } from 'vitest';
import type { NotificationKinds } from '../../../src/notifications/kinds.ts';
import type { Content } from '../../../src/telegram/sender.ts';
import { failing } from '../../operations/operations-setup.ts';
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
} from './outbox-setup.ts';

const HOUR = 3_600_000;
const ASIDE = 10 * 60_000;
const SENT = { kind: 'sent', messageId: 1 } as const;

test('retries a failed notification with growing delays, in its original order', async () => {
  const setup = await openOutbox();
  setup.says(USER, FAILED);
  await setup.add(withdrawn(1));
  await setup.add(withdrawn(2));
  await setup.pass(20_000);
  expect(setup.timesIn(USER)).toEqual([0, 1_000, 6_000]);
  setup.answer.mockResolvedValue(SENT);
  await setup.pass(10_000);
  expect(setup.sentTo(USER).map((html) => html.match(/\d+ TRX/)?.[0])).toEqual(['1 TRX', '2 TRX']);
});

test('does not shorten the delays when another notification is added', async () => {
  const setup = await openOutbox();
  setup.says(USER, FAILED);
  for (let trx = 1; trx <= 6; trx += 1) {
    await setup.add(deposit(trx));
    await setup.pass(1_000);
  }
  await setup.pass(60_000);
  expect(setup.timesIn(USER)).toEqual([0, 1_000, 6_000, 21_000]);
});

test('keeps all notifications while Telegram is unavailable, and sends them in order afterwards', async () => {
  const setup = await openOutbox();
  setup.says(USER, { kind: 'away', reason: 'ECONNREFUSED' });
  for (const trx of [1, 2]) await setup.add(withdrawn(trx));
  await setup.pass(HOUR);
  expect(setup.lines()).toEqual([]);
  setup.answer.mockResolvedValue(SENT);
  await setup.pass(10_000);
  expect(setup.sentTo(USER).map((html) => html.match(/\d+ TRX/)?.[0])).toEqual(['1 TRX', '2 TRX']);
});

/** Adds a notification that Telegram always fails to send, and one that it sends. */
async function hopeless() {
  const setup = await openOutbox();
  const isHopeless = ({ html }: Content) => html.includes('13 TRX');
  setup.answer.mockImplementation(async (_chat, content) => (isHopeless(content) ? FAILED : SENT));
  await setup.add(withdrawn(13));
  await setup.add(withdrawn(2));
  const triedAt = () => setup.asked.filter(({ html }) => html.includes('13 TRX')).map(({ at }) => at - START);
  return { ...setup, triedAt };
}

test('quarantines a notification after five failures, logs it and sends the next one', async () => {
  const setup = await hopeless();
  await setup.pass(80_000);
  expect(setup.sentTo(USER)).toEqual([]);
  await setup.pass(3_000);
  expect(setup.triedAt()).toEqual([0, 1_000, 6_000, 21_000, 81_000]);
  expect(setup.sentTo(USER)).toEqual([expect.stringContaining('2 TRX')]);
  expect(setup.lines()).toMatchObject([
    { level: 'error', chat: USER, reason: 'ECONNREFUSED', msg: 'a notification is quarantined' },
  ]);
});

test('retries a set-aside notification once after ten minutes, without delaying others', async () => {
  const setup = await hopeless();
  await setup.pass(90_000);
  await setup.pass(ASIDE - 10_000);
  await setup.add(withdrawn(3));
  await setup.pass(3_000);
  expect(setup.triedAt().slice(5)).toEqual([ASIDE + 81_000]);
  expect(setup.sentTo(USER)).toHaveLength(2);
});

test('removes a set-aside notification once it was sent', async () => {
  const setup = await hopeless();
  await setup.pass(90_000);
  setup.answer.mockResolvedValue(SENT);
  await setup.pass(HOUR);
  expect(setup.sentTo(USER).at(-1)).toContain('13 TRX');
  await setup.pass(3 * HOUR);
  expect(setup.sentTo(USER)).toHaveLength(2);
  expect(await setup.storage.index.last('outbox:quarantined', 9)).toEqual([]);
});

test('sends returned notifications in the order of addition, those about money first', async () => {
  const setup = await openOutbox();
  setup.says(USER, FAILED);
  for (const one of [event('some.event'), withdrawn(9), withdrawn(1), withdrawn(5)]) await setup.add(one);
  await setup.pass(10 * 60_000);
  expect(setup.timesIn(USER)).toHaveLength(20);
  setup.answer.mockResolvedValue(SENT);
  setup.clock.now += 2 * HOUR;
  await setup.pass(10_000);
  expect(setup.sentTo(USER).map((html) => html.match(/\d TRX|some\.event/)?.[0])).toEqual([
    '9 TRX',
    '1 TRX',
    '5 TRX',
    'some.event',
  ]);
});

test('gives up a notification after a day and logs it', async () => {
  const setup = await hopeless();
  await setup.pass(90_000);
  for (let hours = 0; hours < 30; hours += 1) {
    setup.clock.now += HOUR;
    await setup.pass(2_000);
  }
  expect(setup.lines().at(-1)).toMatchObject({
    level: 'error',
    chat: USER,
    msg: 'a notification is given up',
  });
  const tries = setup.triedAt().length;
  expect(tries).toBe(29);
  await setup.add(withdrawn(13));
  await setup.pass(2 * HOUR);
  expect(setup.triedAt()).toHaveLength(tries);
});

test('sends a set-aside notification once if it is added again', async () => {
  const setup = await hopeless();
  await setup.pass(90_000);
  setup.answer.mockResolvedValue(SENT);
  await setup.add(withdrawn(13));
  await setup.pass(2 * HOUR);
  expect(setup.sentTo(USER)).toHaveLength(2);
});

test('quarantines a notification for ten minutes if rendering it fails, and sends the others', async () => {
  const setup = await openOutbox();
  let isBroken = true;
  const of = (kinds: NotificationKinds): NotificationKinds => ({
    find(name) {
      const kind = kinds.find(name);
      if (kind?.name !== 'deposit') return kind;
      const view: typeof kind.view = (words, all, recipient) => {
        if (isBroken && all.some((one) => Reflect.get(Object(one), 'amount') === '13'))
          throw new Error('no words');
        return kind.view(words, all, recipient);
      };
      return { ...kind, view };
    },
  });
  const own = setup.replica(setup.storage, { of });
  await setup.replica().close();
  for (const trx of [1, 13, 2]) await setup.add(deposit(trx), own);
  await setup.pass(10_000, [own]);
  const all = setup.sentTo(USER).join();
  for (const trx of [1, 2]) expect(all).toContain(`<b>${trx} TRX`);
  expect(setup.lines()).toMatchObject([
    { level: 'error', chat: USER, err: {}, msg: 'a notification is quarantined' },
  ]);
  isBroken = false;
  await setup.pass(HOUR, [own]);
  expect(setup.sentTo(USER).at(-1)).toContain('<b>13 TRX');
});

test('sends a short plain version with its buttons if Telegram refuses the text', async () => {
  const setup = await openOutbox();
  setup.answer.mockImplementation(async (_chat, { html }) => (/[<>]/.test(html) ? REFUSED : SENT));
  await setup.add(withdrawn(5));
  await setup.pass(10_000);
  expect(setup.sentTo(USER)).toEqual([expect.stringContaining('5 TRX')]);
  expect(setup.sentTo(USER)[0]?.length).toBeLessThanOrEqual(300);
  expect(setup.asked.at(-1)?.keyboard).toEqual(setup.asked[0]?.keyboard);
  expect(setup.asked).toHaveLength(2);
});

test('gives up a notification whose plain version is refused too, and sends the next one', async () => {
  const setup = await openOutbox();
  setup.answer.mockImplementation(async (_chat, { html }) => (html.includes('13 TRX') ? REFUSED : SENT));
  await setup.add(withdrawn(13));
  await setup.add(withdrawn(2));
  await setup.pass(60_000);
  expect(setup.asked).toHaveLength(3);
  expect(setup.sentTo(USER)).toEqual([expect.stringContaining('2 TRX')]);
  expect(setup.lines()).toMatchObject([
    { level: 'error', chat: USER, reason: REFUSED.kind === 'refused' ? REFUSED.reason : '' },
  ]);
  await setup.add(withdrawn(13));
  await setup.pass(60_000);
  expect(setup.asked).toHaveLength(3);
});

test('sends grouped notifications separately if Telegram refuses them together', async () => {
  const setup = await openOutbox();
  setup.answer.mockImplementation(async (_chat, { html }) => (html.includes('<b>13 TRX') ? REFUSED : SENT));
  await setup.replica().close();
  const writer = setup.replica();
  await writer.close();
  for (const trx of [1, 2, 13, 3]) await setup.add(deposit(trx), writer);
  await setup.pass(60_000);
  const all = setup.sentTo(USER);
  for (const trx of [1, 2, 13, 3])
    expect(all.filter((html) => new RegExp(`(^|\\D)${trx} TRX`).test(html))).toHaveLength(1);
  expect(all.find((html) => html.includes('13 TRX'))).not.toContain('<b>');
});

test.each([BLOCKED, { kind: 'gone' } as const])(
  'pauses a chat that takes no messages ($kind) until its user returns',
  async (sent) => {
    const setup = await openOutbox();
    setup.says(USER, sent);
    await setup.add(withdrawn(1));
    await settled();
    await setup.add(withdrawn(2));
    await setup.pass(2 * HOUR);
    await setup.add(withdrawn(3));
    await setup.pass(60_000);
    expect(setup.timesIn(USER)).toEqual([0]);
    await setup.add(withdrawn(4, OTHER));
    await settled();
    expect(setup.sentTo(OTHER)).toHaveLength(1);
    setup.answer.mockResolvedValue(SENT);
    await setup.outbox.onUserReturned(USER);
    await setup.pass(5_000);
    expect(setup.sentTo(USER).map((html) => html.match(/\d TRX/)?.[0])).toEqual(['1 TRX', '2 TRX', '3 TRX']);
  },
);

test('sends waiting notifications when a user returns after a month', async () => {
  const setup = await openOutbox();
  setup.says(USER, BLOCKED);
  await setup.add(deposit(1));
  await setup.pass(5_000);
  setup.clock.now += 30 * 24 * HOUR;
  await setup.pass(5_000);
  expect(setup.asked).toHaveLength(1);
  setup.answer.mockResolvedValue(SENT);
  await setup.outbox.onUserReturned(USER);
  await setup.pass(5_000);
  expect(setup.sentTo(USER).map(visible).join()).toContain('1 TRX');
});

test('sends nothing when a user returns who was never gone', async () => {
  const setup = await openOutbox();
  await setup.outbox.onUserReturned(USER);
  await setup.pass(5_000);
  expect(setup.asked).toEqual([]);
});

test('keeps 200 notifications for an unreachable chat and drops the oldest without money first', async () => {
  const setup = await openOutbox();
  setup.says(USER, BLOCKED);
  for (let trx = 1; trx <= 100; trx += 1) await setup.add(deposit(trx));
  for (let at = 1; at <= 300; at += 1) {
    await setup.add(event(`event.${at}`));
    await settled();
  }
  setup.answer.mockResolvedValue(SENT);
  await setup.outbox.onUserReturned(USER);
  await setup.pass(5 * 60_000);
  const all = setup.sentTo(USER).join();
  for (let trx = 1; trx <= 100; trx += 1) expect(all).toContain(`<b>${trx} TRX`);
  expect(all.match(/<code>event\.\d+/g)).toHaveLength(100);
  expect(all).not.toContain('event.200<');
  expect(all).toContain('event.201<');
});

test('loses nothing if the storage fails, and does not delay other chats', async () => {
  const setup = await openOutbox();
  const own = setup.replica(failing(setup.storage, ({ key }) => key === `notifications-paused:{${USER}}`));
  await setup.add(withdrawn(1), own).catch(() => undefined);
  await setup.add(withdrawn(2, OTHER), own);
  await settled();
  expect(setup.sentTo(USER)).toEqual([]);
  expect(setup.sentTo(OTHER)).toHaveLength(1);
  await setup.pass(20_000, [setup.replica()]);
  expect(setup.sentTo(USER)).toHaveLength(1);
});
