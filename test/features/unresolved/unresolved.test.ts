import { describe, expect, vi } from 'vitest';
import type { AllFeatureDeps } from '../../../src/features/features.ts';
import { LANGUAGES, type Language } from '../../../src/i18n/texts.ts';
import { operationCard } from '../../../src/operations/card.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { answerData } from '../../../src/views/callback-data.ts';
import { expectWithinLimits } from '../../i18n/telegram-limits.ts';
import { ABOUT, operationIn, SUPPORT } from '../../operations/cards.ts';
import { FILLED, SMART_MODE, START, USER } from '../../operations/operations-setup.ts';
import {
  ACCOUNT,
  ADDRESS,
  API_KEY,
  accepted,
  logged,
  OFFLINE,
  profileOf,
} from '../../operations/rental-stand-in.ts';
import { storedKeys } from '../../support/stored-keys.ts';
import { openChat, testWith } from '../chat.ts';

const BUYER = USER + 1;
const REASON = 'seen <b>on the chain</b>';

/** Opens the chat of an admin, with an operation of another user that has an unknown outcome. */
async function openLost(language: Language = 'en', more: Partial<AllFeatureDeps> = {}) {
  const admins = new Set([USER]);
  const chat = await openChat(language, { admins, ...more });
  const { setup } = chat;
  const lost = await setup.lost({ user: BUYER });
  await chat.links.link(BUYER, ACCOUNT, API_KEY, 'en');
  await setup.pass(9_000);
  const ref = `${BUYER}_${lost.id}`;
  const read = () => setup.read(lost);
  return {
    ...{ ...chat, admins, lost, ref, read },
    tapped: (button: string) => chat.tapShown(button),
    /** Returns the data of the button that decides in the latest view, or `''`. */
    decideData: () => chat.dataWith('unresolved:decide'),
    log: () => chat.deps.adminLog.latest(10),
    async toCard(outcome: 'went' | 'failed' = 'went', reason = REASON) {
      await chat.tap(`unresolved:${outcome}:${ref}`);
      await chat.write(reason);
    },
  };
}

const test = testWith(() => openLost());

describe('the list of unresolved operations', () => {
  test('is ordered oldest first and has pages with a button per operation', async ({ chat }) => {
    const { setup } = chat;
    const ids = [chat.lost.id];
    for (let more = 2; more <= 7; more += 1) {
      ids.push((await setup.lost({ user: USER + more })).id);
      await setup.pass(6_000);
    }
    await chat.expectReply('/unresolved', '<b>⚠️ Result unknown</b> · 7');
    expect(chat.html()).toContain('1. ⚠️ <b>Result unknown</b> · 1 Jun, 12:00 UTC\n⚡ 65,000 energy · 1 h →');
    expect(chat.html()).toContain(`User <code>${BUYER}</code> · account <code>${ACCOUNT}</code>`);
    const data = () => chat.data();
    const one = (at: number) => `unresolved:one:${USER + at}_${ids[at - 1]}`;
    const up = ['menu:admin', 'menu:open'];
    expect(data()).toEqual([...[1, 2, 3, 4, 5].map(one), 'unresolved:page:0', 'unresolved:page:1', ...up]);
    await chat.tapped('unresolved:page:1');
    expect(data()).toEqual([one(6), one(7), 'unresolved:page:0', 'unresolved:page:1', ...up]);
    for (const wrong of ['unresolved:page:99', 'unresolved:page']) {
      await chat.tapped(wrong);
      expect(data()).toHaveLength(wrong.endsWith('99') ? 6 : 9);
    }
  });

  test.each(LANGUAGES)('says if there is none, and counts unreadable operations (%s)', async (language) => {
    const chat = await openLost(language);
    await chat.setup.storage.set(`operation:{${BUYER}}:${chat.lost.id}`, 'not ours');
    await chat.write('/unresolved');
    chat.shows(chat.words.html('unresolved-none'), chat.words.html('unresolved-unreadable', { count: 1 }));
    expectWithinLimits(chat.last());
  });
});

describe('an unresolved operation', () => {
  test('shows all known facts and no API key', async ({ chat }) => {
    await chat.tap(`unresolved:one:${chat.ref}`);
    const { html } = chat.last();
    for (const known of [
      `<b>Operation ${chat.lost.id}</b>`,
      '⚠️ <b>Result unknown</b>',
      '⚡ 65,000 energy · 1 h',
      `<code>${ADDRESS}</code>`,
      'Confirmed: 1 June, 12:00:00 UTC',
      'Request sent: 1 June, 12:00:00 UTC',
      'Balance before: 1,000.00 TRX, last seen: 1,000.00 TRX',
      'Matching orders: none reported by the service',
      'Checks: 3, last 12:00:09',
      'Next check: 12:00:14',
      `/address/${ADDRESS}">View address</a>`,
    ])
      expect(html).toContain(known);
    expect(html).not.toContain(API_KEY);
    expect(chat.data()).toEqual([
      ...['ask', 'went', 'failed'].map((button) => `unresolved:${button}:${chat.ref}`),
      ...['unresolved:open', `people:one:${BUYER}`, 'people:find', 'menu:admin', 'menu:open'],
    ]);
    await chat.links.unlink(BUYER);
    await chat.expectReply(`unresolved:one:${chat.ref}`, "so the operation can't be checked");
  });

  test('shows what the user of a failed order reads about its refund', async ({ chat }) => {
    const result = { order: 7, status: 'failed', price: '2.32', refunded: '2.30' };
    await chat.setup.store.change(chat.lost, ({ user, id }) => ({
      ...operationIn('done', { result }),
      user,
      id,
    }));
    await chat.expectReply(
      `unresolved:one:${chat.ref}`,
      'The user reads:\nThe service reports a refund of <b>2.30 TRX</b>.',
    );
  });

  test.each(LANGUAGES)(
    'stays within the limits in every state with the longest values (%s)',
    async (language) => {
      const chat = await openLost(language);
      const states = ['claimed', 'sent', 'done', 'refused', 'unknown', 'likely', 'closed'] as const;
      const words = new Set<string | undefined>();
      for (const state of states) {
        await chat.setup.store.change(chat.lost, ({ user, id }) => ({
          ...operationIn(state, {
            request: { ...SMART_MODE, label: '<'.repeat(32) } as typeof SMART_MODE,
            attempt: { balanceBefore: '99999999.999999' },
            search: {
              ...{ count: 1e6, balance: 'moved', over: true, at: START },
              seen: {
                left: '99999999.999999',
                listed: Array(5).fill({ id: 2 ** 53, status: '<'.repeat(99), amount: '9'.repeat(30) }),
              },
            },
            decided: { reason: '<'.repeat(200), admin: 2 ** 52 },
          }),
          user,
          id,
        }));
        await chat.tap(`unresolved:one:${chat.ref}`);
        expectWithinLimits(chat.last());
        words.add(chat.html().split('\n')[1]);
        expect(chat.html()).not.toContain('<<');
      }
      // Only their history tells a sent operation from one that isn't sent yet.
      expect(words.size).toBe(states.length - 1);
    },
  );

  test('is not opened if it is unknown or was never confirmed', async ({ chat }) => {
    const { user, id } = await chat.setup.draft({ user: BUYER });
    for (const ref of [`${user}_${id}`, 'a', '1_2', `${BUYER}_`]) {
      await chat.tap(`unresolved:one:${ref}`);
      expect(chat.toast()).toBe(chat.words.plain('toast-no-operation'));
    }
  });
});

describe('querying the service again', () => {
  test('settles the operation by the evidence found, and is logged once on a double tap', async ({
    chat,
  }) => {
    const looks = chat.setup.rental.webhookLogs.mock.calls.length;
    for (let taps = 0; taps < 2; taps += 1) await chat.tapped(`unresolved:ask:${chat.ref}`);
    expect(chat.toast()).toBe('Checked just now.');
    expect(chat.setup.rental.webhookLogs.mock.calls.length - looks).toBe(1);
    chat.setup.clock.now += 60_000;
    chat.setup.rental.webhookLogs.mockResolvedValue(accepted([logged(7, START + 1_000)]));
    await chat.tapped(`unresolved:ask:${chat.ref}`);
    expect(chat.toast()).toBe('Checked again.');
    chat.shows('✅ <b>Bought and delivered</b>', 'Order <b>7</b>');
    const asked = { admin: USER, action: 'operation-asked', about: chat.lost.id };
    expect(await chat.log()).toMatchObject([asked, asked]);
  });

  test.for<[way: string, turn: 'no-key' | 'unread']>([
    ['without an API key', 'no-key'],
    ['if the service cannot be read', 'unread'],
  ])('keeps the earlier evidence %s', async ([, turn], { chat }) => {
    const { setup } = chat;
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(DAY_MS);
    if (turn === 'no-key') await chat.links.unlink(BUYER);
    else setup.rental.profile.mockResolvedValue(OFFLINE);
    await chat.tap(`unresolved:ask:${chat.ref}`);
    expect(chat.toast()).toBe(chat.words.plain('toast-unresolved-asked', { turn }));
    chat.shows('last seen: 997.68 TRX\nChange: <b>−2.32 TRX</b>, exactly the price\n');
    expect(chat.data().includes(`unresolved:ask:${chat.ref}`)).toBe(turn === 'unread');
    await chat.toCard('failed');
    chat.shows('The balance fell by exactly this price');
  });

  test('names no next check and asks for a decision once the API key is gone', async ({ chat }) => {
    await chat.setup.pass(60_000);
    await chat.expectReply(`unresolved:one:${chat.ref}`, 'Next check:');
    await chat.links.unlink(BUYER);
    await chat.expectReply(`unresolved:one:${chat.ref}`, "can't be checked any more: decide it.");
    expect(chat.html()).not.toContain('Next check:');
  });

  test('does not block the screen if the service hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const chat = await openLost();
      chat.setup.rental.webhookLogs.mockReturnValue(new Promise(() => {}));
      const tapping = chat.tapped(`unresolved:ask:${chat.ref}`);
      await vi.advanceTimersByTimeAsync(5_000);
      await tapping;
      expect(chat.toast()).toBe(chat.words.plain('toast-unresolved-asked', { turn: 'going' }));
      expect(chat.html()).toContain('⚠️ <b>Result unknown</b>');
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('manual resolution', () => {
  test.each([
    ['went', 'operation-done', 'done', '✅ Went through', "if it didn't, they get nothing"],
    ['failed', 'operation-not-done', 'refused', "❌ Didn't go through", 'if it did, they pay twice'],
  ] as const)(
    '%s: shows outcome, consequence, operation and reason, and takes effect with one tap',
    async (way, act, state, reply, consequence) => {
      const chat = await openLost();
      await chat.toCard(way);
      const { html } = chat.last();
      expect(chat.labels()).toContain(reply);
      for (const part of [
        reply,
        consequence,
        chat.lost.id,
        ADDRESS,
        'seen &#60;b&#62;on the chain&#60;/b&#62;',
      ])
        expect(html).toContain(part);
      expect((await chat.read()).state).toBe('unknown');
      expect(await chat.log()).toEqual([]);
      const decide = chat.decideData();
      await chat.tapped(decide);
      expect(await chat.read()).toMatchObject({ state, decided: { admin: USER, reason: REASON } });
      chat.shows('☑️ <b>Decided.</b>', `Decided by admin <code>${USER}</code>`);
      await chat.tapped(decide);
      await chat.again();
      expect(await chat.log()).toMatchObject([
        { admin: USER, action: act, about: `${chat.lost.id}: ${REASON}` },
      ]);
      expect(chat.setup.show.mock.calls.filter(([shown]) => shown.state === state)).toHaveLength(1);
      const card = operationCard(chat.words, await chat.read(), ABOUT);
      expect(card.html).toContain('Your balance was 1,000.00 TRX before and 1,000.00 TRX when last checked.');
      expect(card.keyboard).toContainEqual([{ text: '💬 Contact support', url: SUPPORT }]);
    },
  );

  test('says on its review if the balance has not changed', async ({ chat }) => {
    await chat.setup.pass(60_000);
    await chat.toCard('went');
    chat.shows("The balance hasn't changed (1,000.00). <b>This speaks against");
    await chat.toCard('failed');
    expect(chat.html()).not.toContain('speaks against');
    chat.shows('Balance before: 1,000.00 TRX, last seen: 1,000.00 TRX');
  });

  test('says on its review that the balance fell by the price although another operation may have moved it', async ({
    chat,
  }) => {
    const { setup } = chat;
    await setup.lost({ user: USER });
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(60_000);
    await chat.expectReply(`unresolved:one:${chat.ref}`, 'Change: <b>−2.32 TRX</b>, exactly the price');
    await chat.toCard('failed');
    chat.shows('(1,000.00 → 997.68), perhaps because of another operation. <b>This speaks against');
    await chat.toCard('went');
    expect(chat.html()).not.toContain('speaks against');
    chat.shows('last seen: 997.68 TRX', 'Change: <b>−2.32 TRX</b>, exactly the price');
  });

  test.for<[behaviour: string, deposit: string, left: string, line: string]>([
    ['equals the price', '2.32', '1000.00', 'Deposits since: 2.32 TRX, so <b>−2.32 TRX</b> is left: exactly'],
    ['is larger', '50', '1047.68', 'Change: <b>+47.68 TRX</b>\nDeposits since: 50.00 TRX, so <b>−2.32 TRX'],
    ['is all that changed', '50', '1050.00', 'Deposits since: 50.00 TRX, nothing else changed'],
  ])('leaves out a deposit that %s', async ([, amount, left, line], { chat }) => {
    const { setup } = chat;
    setup.rental.profile.mockResolvedValue(profileOf(left));
    const deposit = {
      status: 'confirmed',
      amount_trx: amount,
      created_at: new Date(START + 1_000).toISOString(),
    };
    setup.rental.deposits.mockResolvedValue(accepted([deposit]));
    await setup.pass(60_000);
    const operation = await chat.read();
    expect(operation.state).toBe('unknown');
    const { html } = operationCard(chat.words, operation, ABOUT);
    expect(html).toContain('TRX was deposited');
    expect(html).not.toMatch(/no sign|hasn't changed/);
    await chat.expectReply(`unresolved:one:${chat.ref}`, line);
    const isCharged = !line.includes('nothing else');
    await chat.toCard('went');
    expect(chat.html().includes("The balance hasn't changed (1,000.00), without the")).toBe(!isCharged);
    await chat.toCard('failed');
    expect(chat.html().includes('exactly this price (1,000.00 → 997.68), without the')).toBe(isCharged);
  });

  test('keeps the price that the balance shows if it confirms a likely outcome', async ({ chat }) => {
    const { setup } = chat;
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(DAY_MS);
    expect((await chat.read()).state).toBe('likely');
    await chat.users.recordActivity(BUYER, 'en', undefined);
    await chat.toCard('failed');
    const contrary = 'The balance fell by exactly this price (1,000.00 → 997.68). <b>This speaks against';
    chat.shows(contrary);
    await chat.toCard('went');
    expect(chat.html()).not.toContain('speaks against');
    await chat.tapped(chat.decideData());
    expect(chat.buttons()).toMatchObject({ '‹ All with unknown result': 'unresolved:open' });
    const fell = "alance fell by <b>2.32 TRX</b>, this order's price";
    chat.shows(
      fell,
      'Balance before: 1,000.00 TRX, last seen: 997.68 TRX\nChange: <b>−2.32 TRX</b>, exactly the price\n',
    );
    expect(chat.html()).not.toContain('after:');
    const { html } = operationCard(chat.words, await chat.read(), ABOUT);
    expect(html).toContain(fell);
    expect(html).not.toMatch(/Check your balance|Charged/);
    await chat.expectReply(`/people ${BUYER}`, '✅ Charged in 90 days: <b>1</b>, 2.32 TRX');
  });

  test('counts an operation without a known price as charged with its estimate', async ({ chat }) => {
    await chat.users.recordActivity(BUYER, 'en', undefined);
    await chat.expectReply(`unresolved:went:${chat.ref}`, 'Their language: English.');
    await chat.toCard('went');
    await chat.tapped(chat.decideData());
    await chat.expectReply(`/people ${BUYER}`, '90 days, amount unknown: <b>1</b> (about 2.32 TRX)');
  });

  test('shows the current outcome to the later of two admins and logs only the first', async ({ chat }) => {
    await chat.toCard();
    const decided = { outcome: 'not-done', reason: 'other', admin: 7 } as const;
    await chat.setup.operations.resolveManually(chat.lost, decided);
    await chat.tapped(chat.decideData());
    chat.shows('<b>Not decided:</b>', "❌ <b>Support checked: this didn't go through</b>");
    expect(await chat.log()).toEqual([]);
    await chat.tapped(`unresolved:went:${chat.ref}`);
    expect(chat.toast()).toBe(chat.words.plain('toast-unresolved-late'));
  });

  test.each(['before the reason', 'before Decide'])(
    'does not override an event that settles the operation %s',
    async (when) => {
      const chat = await openLost();
      if (when === 'before Decide') await chat.toCard('failed');
      else await chat.tap(`unresolved:failed:${chat.ref}`);
      await chat.setup.operations.settlement.report(ACCOUNT, FILLED);
      if (when === 'before Decide') await chat.tapped(chat.decideData());
      else await chat.write(REASON);
      expect(chat.html()).toContain('<b>Not decided:</b>');
      expect(await chat.read()).toMatchObject({ state: 'done', result: { order: 7 } });
      expect(await chat.log()).toEqual([]);
    },
  );

  test('is rejected while an attempt may be running', async ({ chat }) => {
    await chat.toCard();
    await chat.setup.storage.set(`heartbeat:{${BUYER}}:${chat.lost.id}`, '', { ttlMs: 8_000 });
    await chat.tapped(chat.decideData());
    expect(chat.html()).toContain('⏳ <b>Not decided:</b>');
    expect((await chat.read()).state).toBe('unknown');
  });

  test('stores no proposal after Cancel, nor if the user stops being an admin before the reason', async ({
    chat,
  }) => {
    await chat.input(`unresolved:went:${chat.ref}`, answerData('cancel'), REASON);
    await chat.tap(`unresolved:went:${chat.ref}`);
    chat.admins.clear();
    await chat.expectReply(REASON, chat.words.html('menu-idle'));
    expect(await storedKeys(chat.setup.storage, 'proposal:')).toEqual([]);
  });

  test('is not possible with the card of another admin or after 15 minutes', async ({ chat }) => {
    await chat.toCard();
    const name = chat.decideData().split(':').at(-1) ?? '';
    chat.setup.clock.now += 15 * 60_000 - 1;
    expect(await chat.setup.operations.proposals.find(USER, name)).toMatchObject({ reason: REASON });
    expect(await chat.setup.operations.proposals.find(7, name)).toBeUndefined();
    chat.setup.clock.now += 1;
    await chat.tapped(`unresolved:decide:${name}`);
    expect(chat.toast()).toBe(chat.words.plain('toast-expired'));
    expect((await chat.read()).state).toBe('unknown');
  });

  test.each(['broadcast:open', 'people:open', 'operator:open', 'unresolved:open'])(
    'says at %s above the question for the reason that it is still open, unless another question begins',
    async (screen) => {
      const chat = await openLost();
      await chat.write('/start');
      const above = chat.lastMessage();
      await chat.write('/unresolved');
      await chat.tap(`unresolved:went:${chat.ref}`);
      await chat.tap(screen, { message: above, carried: true });
      expect(chat.toast()).toBe(chat.words.plain('toast-question-open'));
      await chat.tap('people:find', { message: above, carried: true });
      expect(chat.toast()).toBeUndefined();
      expect(chat.html()).toContain(chat.words.html('flow-left'));
    },
  );

  test('Back asks for the reason again, Cancel leaves the operation undecided', async ({ chat }) => {
    await chat.toCard('failed');
    expect(chat.buttons()).toMatchObject({
      '‹ Back': `unresolved:failed:${chat.ref}`,
      '✕ Cancel': `unresolved:leave:${chat.ref}`,
    });
    await chat.tapped(`unresolved:leave:${chat.ref}`);
    chat.shows('Nothing was decided.', '⚠️ <b>Result unknown</b>');
  });

  test('Cancel at the question for the reason shows the operation again, undecided', async ({ chat }) => {
    await chat.input(`unresolved:went:${chat.ref}`, answerData('cancel'));
    chat.shows('Nothing was decided.', '⚠️ <b>Result unknown</b>', chat.lost.id);
    expect(chat.html()).not.toContain('Nothing was charged');
  });

  test.each([
    ['two lines', 'one\ntwo'],
    ['two letters', 'ok'],
    ['invisible characters', '\u200b\u200b\u200b\u200b'],
    ['more than 200', '語'.repeat(201)],
  ])('a reason of %s is rejected and requested again', async (_, reason) => {
    const chat = await openLost();
    await chat.toCard('went', reason);
    expect(chat.html()).toContain('Send one line of 3 to 200 characters.');
    await chat.write('語'.repeat(200));
    expect(chat.decideData()).not.toBe('');
  });

  test.each(LANGUAGES)('stays within the limits at its question, card and result (%s)', async (language) => {
    const chat = await openLost(language);
    await chat.tap(`unresolved:went:${chat.ref}`);
    expectWithinLimits(chat.last());
    await chat.write('<'.repeat(200));
    expectWithinLimits(chat.last());
    await chat.tapped(chat.decideData());
    expectWithinLimits(chat.last());
    expect(chat.html()).toContain(chat.words.html('unresolved-ended', { how: 'decided' }));
  });
});
