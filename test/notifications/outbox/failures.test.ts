import { expect, test } from 'vitest';
import type { NotificationKinds } from '../../../src/notifications/kinds.ts';
import { createGivenUp } from '../../../src/platform/given-up.ts';
import type { Content } from '../../../src/telegram/sender.ts';
import { failing } from '../../operations/operations-setup.ts';
import {
  BLOCKED,
  deposit,
  event,
  FAILED,
  intercept,
  LATER,
  OTHER,
  openOutbox,
  REFUSED,
  START,
  settled,
  UNCLEAR,
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
  expect(setup.sentTo(USER).map((html) => html.match(/\d+\.00 TRX/)?.[0])).toEqual(['1.00 TRX', '2.00 TRX']);
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
  expect(setup.sentTo(USER).map((html) => html.match(/\d+\.00 TRX/)?.[0])).toEqual(['1.00 TRX', '2.00 TRX']);
});

/** Adds a notification that Telegram always fails to send, and one that it sends. */
async function hopeless() {
  const setup = await openOutbox();
  const isHopeless = ({ html }: Content) => html.includes('13.00 TRX');
  setup.answer.mockImplementation(async (_chat, content) => (isHopeless(content) ? FAILED : SENT));
  await setup.add(withdrawn(13));
  await setup.add(withdrawn(2));
  const triedAt = () =>
    setup.asked.filter(({ html }) => html.includes('13.00 TRX')).map(({ at }) => at - START);
  return { ...setup, triedAt };
}

test('quarantines a notification after five failures, logs it and sends the next one', async () => {
  const setup = await hopeless();
  await setup.pass(50_000);
  // The event may come again.
  await setup.add(withdrawn(13));
  await setup.pass(30_000);
  expect(setup.sentTo(USER)).toEqual([]);
  await setup.pass(3_000);
  expect(setup.triedAt()).toEqual([0, 1_000, 6_000, 21_000, 81_000]);
  expect(setup.sentTo(USER)).toEqual([expect.stringContaining('2.00 TRX')]);
  expect(setup.lines()).toMatchObject([
    {
      level: 'error',
      chat: USER,
      reason: 'ECONNREFUSED',
      msg: "a notification can't be sent; it is retried later",
    },
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

test('sends returned notifications in the order of addition, those about money first', async () => {
  const setup = await openOutbox();
  setup.says(USER, FAILED);
  for (const one of [event('some.event'), withdrawn(9), withdrawn(1), withdrawn(5)]) await setup.add(one);
  await setup.pass(10 * 60_000);
  expect(setup.timesIn(USER)).toHaveLength(20);
  setup.answer.mockResolvedValue(SENT);
  setup.clock.now += 2 * HOUR;
  await setup.pass(10_000);
  expect(setup.sentTo(USER).map((html) => html.match(/\d\.00 TRX|some\.event/)?.[0])).toEqual([
    '9.00 TRX',
    '1.00 TRX',
    '5.00 TRX',
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
  expect(await createGivenUp(setup).counts()).toEqual({ notification: 1 });
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
  for (const trx of [1, 2]) expect(all).toContain(`<b>${trx}.00 TRX`);
  expect(setup.lines()).toMatchObject([
    { level: 'error', chat: USER, err: {}, msg: "a notification can't be sent; it is retried later" },
  ]);
  isBroken = false;
  await setup.pass(HOUR, [own]);
  expect(setup.sentTo(USER).at(-1)).toContain('<b>13.00 TRX');
});

test('sends a short plain version with its buttons if Telegram refuses the text', async () => {
  const setup = await openOutbox();
  setup.answer.mockImplementation(async (_chat, { html }) => (/[<>]/.test(html) ? REFUSED : SENT));
  await setup.add(withdrawn(5));
  await setup.pass(10_000);
  expect(setup.sentTo(USER)).toEqual([expect.stringContaining('5.00 TRX')]);
  expect(setup.sentTo(USER)[0]?.length).toBeLessThanOrEqual(300);
  expect(setup.asked.at(-1)?.keyboard).toEqual(setup.asked[0]?.keyboard);
  expect(setup.asked).toHaveLength(2);
});

test('gives up a notification whose plain version is refused too, and sends the next one', async () => {
  const setup = await openOutbox();
  setup.answer.mockImplementation(async (_chat, { html }) => (html.includes('13.00 TRX') ? REFUSED : SENT));
  await setup.add(withdrawn(13));
  await setup.add(withdrawn(2));
  await setup.pass(60_000);
  expect(setup.asked).toHaveLength(3);
  expect(setup.sentTo(USER)).toEqual([expect.stringContaining('2.00 TRX')]);
  expect(setup.lines()).toMatchObject([
    { level: 'error', chat: USER, reason: REFUSED.kind === 'refused' ? REFUSED.reason : '' },
  ]);
  await setup.add(withdrawn(13));
  await setup.pass(60_000);
  expect(setup.asked).toHaveLength(3);
});

test('sends grouped notifications separately if Telegram refuses them together', async () => {
  const setup = await openOutbox();
  setup.answer.mockImplementation(async (_chat, { html }) =>
    html.includes('<b>13.00 TRX') ? REFUSED : SENT,
  );
  await setup.replica().close();
  const writer = setup.replica();
  await writer.close();
  for (const trx of [1, 2, 13, 3]) await setup.add(deposit(trx), writer);
  await setup.pass(60_000);
  const all = setup.sentTo(USER);
  for (const trx of [1, 2, 13, 3])
    expect(all.filter((html) => new RegExp(`(^|\\D)${trx}.00 TRX`).test(html))).toHaveLength(1);
  expect(all.find((html) => html.includes('13.00 TRX'))).not.toContain('<b>');
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
    expect(setup.sentTo(USER).map((html) => html.match(/\d\.00 TRX/)?.[0])).toEqual([
      '1.00 TRX',
      '2.00 TRX',
      '3.00 TRX',
    ]);
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
  expect(setup.sentTo(USER).map(visible).join()).toContain('1.00 TRX');
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
  for (let trx = 1; trx <= 100; trx += 1) expect(all).toContain(`<b>${trx}.00 TRX`);
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

const MAY_HAVE_READ = 'You may have seen this already';

/** Opens an outbox with a notification that was sent once without a response. */
async function unansweredOnce(notification = deposit(1)) {
  const setup = await openOutbox();
  setup.answer.mockResolvedValueOnce(UNCLEAR);
  await setup.add(notification);
  await settled();
  return setup;
}

/** Opens an outbox with a notification that was sent twice without a response. */
async function unanswered(notification = deposit(1)) {
  const setup = await unansweredOnce(notification);
  setup.answer.mockResolvedValueOnce(UNCLEAR);
  await setup.pass(60_000);
  return setup;
}

test('resends a notification 15 seconds after a missing response, with a remark', async () => {
  const setup = await unansweredOnce();
  await setup.pass(14_000);
  expect(setup.asked).toHaveLength(1);
  await setup.pass(2_000);
  expect(setup.sentTo(USER)).toEqual([
    expect.stringMatching(/You may have seen this already[\s\S]*<b>1\.00 TRX/),
  ]);
  await setup.pass(3 * HOUR);
  expect(setup.asked).toHaveLength(2);
  expect(setup.lines()).toMatchObject([
    { level: 'warn', chat: USER, msg: 'a notification may not have been delivered' },
  ]);
});

test('resends nothing before Telegram responds in the chat', async () => {
  const setup = await unansweredOnce();
  setup.canReach.mockResolvedValue(false);
  await setup.pass(10 * 60_000);
  expect(setup.asked).toHaveLength(1);
  setup.canReach.mockResolvedValue(true);
  await setup.pass(20_000);
  expect(setup.sentTo(USER)).toEqual([expect.stringContaining('<b>1.00 TRX')]);
});

test('does not check a paused chat for responses', async () => {
  const setup = await unansweredOnce();
  await setup.pass(14_000);
  setup.answer.mockResolvedValueOnce(LATER(20_000));
  await setup.add(withdrawn(2));
  await settled();
  await setup.pass(15_000);
  expect(setup.canReach).not.toHaveBeenCalled();
  await setup.pass(60_000);
  expect(
    setup
      .sentTo(USER)
      .join()
      .match(/<b>1\.00 TRX/g),
  ).toHaveLength(1);
});

test('does not resend a notification that was added to another message', async () => {
  const setup = await unansweredOnce();
  await setup.pass(5_000);
  await setup.add(withdrawn(3));
  await setup.pass(60_000);
  expect(setup.sentTo(USER)).toEqual([expect.stringMatching(/3\.00 TRX[\s\S]*<b>1\.00 TRX/)]);
  expect(setup.asked).toHaveLength(2);
});

test('counts the copy in another message that Telegram did not confirm', async () => {
  const setup = await unansweredOnce();
  await setup.pass(5_000);
  setup.answer.mockResolvedValueOnce(UNCLEAR).mockResolvedValueOnce(REFUSED);
  await setup.add(withdrawn(3));
  await setup.pass(60_000);
  // Together with the copy, the second send is refused.
  expect(setup.sentTo(USER)).toEqual([expect.not.stringContaining('<b>1.00 TRX')]);
});

test('does not send it a third time if it is added again on any replica', async () => {
  const setup = await unansweredOnce();
  await setup.add(deposit(1));
  await setup.add(deposit(1), setup.replica());
  await setup.pass(60_000);
  expect(setup.asked).toHaveLength(2);
});

test('adds it once to the next message of its chat, with a remark', async () => {
  const setup = await unanswered();
  await setup.pass(60_000);
  await setup.add(withdrawn(2, OTHER));
  await setup.add(withdrawn(3));
  await setup.add(withdrawn(4));
  await setup.pass(5_000);
  const [first = '', second = ''] = setup.sentTo(USER);
  expect(first).toMatch(/3\.00 TRX[\s\S]*You may have seen this already[\s\S]*<b>1\.00 TRX/);
  expect(second).not.toContain('<b>1.00 TRX');
  expect(setup.sentTo(OTHER).join()).not.toContain('1.00 TRX');
  await setup.add(deposit(1));
  await setup.pass(60_000);
  expect(setup.asked.filter(({ html }) => html.includes('<b>1.00 TRX'))).toHaveLength(3);
});

test('sends a message without the added notification if Telegram refuses both', async () => {
  const setup = await unanswered();
  setup.answer.mockImplementation(async (_chat, { html }) => (html.includes('<b>1.00 TRX') ? REFUSED : SENT));
  await setup.pass(60_000);
  await setup.add(withdrawn(3));
  await setup.pass(10_000);
  const [only = ''] = setup.sentTo(USER);
  expect(only).toContain('3.00 TRX');
  expect(only).toContain('<code>');
  expect(only).not.toContain(MAY_HAVE_READ);
});

test('adds it to the retry of a failed message, and to the next one after no response', async () => {
  const setup = await unanswered();
  setup.answer
    .mockResolvedValueOnce({ kind: 'failed', reason: 'ECONNREFUSED' })
    .mockResolvedValueOnce(UNCLEAR);
  await setup.pass(60_000);
  await setup.add(withdrawn(3));
  await setup.pass(10_000);
  expect(setup.sentTo(USER)).toEqual([]);
  await setup.add(withdrawn(4));
  await setup.pass(10_000);
  const [only = ''] = setup.sentTo(USER);
  expect(setup.sentTo(USER)).toHaveLength(1);
  for (const trx of [1, 3, 4]) expect(only).toContain(`${trx}.00 TRX`);
});

test('does not retry a set-aside notification after a missing response', async () => {
  const setup = await openOutbox();
  setup.says(USER, FAILED);
  await setup.add(deposit(1));
  await setup.pass(90_000);
  setup.answer.mockReset().mockResolvedValue(UNCLEAR);
  await setup.pass(HOUR);
  expect(setup.asked.at(-1)?.sent).toEqual(UNCLEAR);
  const { length } = setup.asked;
  await setup.pass(2 * HOUR);
  expect(setup.asked).toHaveLength(length);
  expect(await setup.storage.index.upTo('outbox:quarantined', Number.MAX_VALUE, 10)).toEqual([]);
});

test('adds its buttons to the message', async () => {
  const address = { kind: 'address', id: 'announced:A:1', chat: USER, account: 1001 } as const;
  const data = {
    what: 'announced',
    trx: '12.50',
    id: 'A',
    address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    from: START,
  } as const;
  const setup = await unanswered({ ...address, data });
  await setup.pass(60_000);
  await setup.add(deposit(3));
  await settled();
  expect(setup.asked.at(-1)?.html).toContain(MAY_HAVE_READ);
  expect(setup.asked.at(-1)?.keyboard?.flat()).toMatchObject([
    { callback_data: '+announced:ask-block:A' },
    { callback_data: '+menu:continue' },
    { callback_data: '+menu:balance' },
    { callback_data: '+menu:open' },
  ]);
});

test('drops it if the user has muted its kind', async () => {
  const setup = await unanswered();
  await setup.notificationSettings.setMuted(USER, 'deposits', true);
  await setup.pass(60_000);
  await setup.add(withdrawn(3));
  await settled();
  await setup.notificationSettings.setMuted(USER, 'deposits', false);
  await setup.pass(60_000);
  await setup.add(withdrawn(4));
  await setup.pass(60_000);
  expect(setup.sentTo(USER)).toHaveLength(2);
  expect(setup.sentTo(USER).join()).not.toContain(MAY_HAVE_READ);
});

test('sends it again with a remark when its user opens the menu', async () => {
  const setup = await unanswered();
  await setup.pass(60_000);
  await setup.outbox.onUserActive(USER);
  await setup.pass(10_000);
  expect(setup.asked).toHaveLength(3);
  const again = setup.asked.at(-1);
  expect(visible(again?.html ?? '')).toMatch(/You may have seen this already[\s\S]*1\.00 TRX/);
  await setup.outbox.onUserActive(USER);
  await setup.pass(HOUR);
  expect(setup.asked).toHaveLength(3);
});

test('waits for the next visit if that send is not confirmed either', async () => {
  const setup = await unanswered();
  await setup.pass(60_000);
  setup.answer.mockResolvedValueOnce(UNCLEAR);
  await setup.outbox.onUserActive(USER);
  await setup.pass(HOUR);
  expect(setup.asked).toHaveLength(3);
  await setup.outbox.onUserActive(USER);
  await setup.pass(10_000);
  expect(setup.sentTo(USER)).toEqual([expect.stringContaining(MAY_HAVE_READ)]);
});

test('sends it again if its user opens the menu while its result is being stored', async () => {
  for (let at = 0; ; at += 1) {
    const setup = await openOutbox();
    let isOver = true;
    const reader = setup.replica();
    await reader.close();
    const own = setup.replica(
      intercept(setup.storage, (call) => {
        if (call >= at) isOver = false;
        return call === at ? reader.onUserActive(USER) : undefined;
      }),
    );
    setup.answer.mockResolvedValueOnce(UNCLEAR);
    void own.add(deposit(1));
    await setup.pass(10_000, [own]);
    await setup.add(withdrawn(2), own);
    await setup.pass(10_000, [own]);
    expect([at, setup.sentTo(USER).join().includes('<b>1.00 TRX')]).toEqual([at, true]);
    if (isOver) return;
  }
});
