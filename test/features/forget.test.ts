import { expect, test, vi } from 'vitest';
import type { Broadcast } from '../../src/broadcasts/store.ts';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { answerData } from '../../src/i18n/view.ts';
import { JobsUnavailable } from '../../src/platform/jobs.ts';
import { RETENTION_REASONS } from '../../src/platform/stored-data.ts';
import { OPERATOR_ACCOUNT } from '../../src/rental-api/client.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { START, USER } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, OFFLINE } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';
import { sell } from './sold.ts';

const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const subscription = (id: number, more: object) => ({
  ...{ id, address: ADDRESS, label: null, status: 'active', bw_guarantee: true },
  ...{ created_at: new Date(START).toISOString(), ...more },
});

/** Opens a chat whose erasure requests are recorded by mocks. */
async function open(language: 'en' | 'ru' = 'en', more: Parameters<typeof openChat>[1] = {}) {
  const begin = vi.fn(async () => {});
  const hasBegun = vi.fn(async () => false);
  const chat = await openChat(language, { userErasure: { request: begin, hasStarted: hasBegun }, ...more });
  chat.speak(language);
  return {
    ...chat,
    begin,
    hasBegun,
    /** Returns the data of the confirm button in the latest view, or `''`. */
    yes: () => Object.values(buttonsOf(chat.last())).find((data) => data.startsWith('forget:yes')) ?? '',
  };
}

test.each(LANGUAGES)('the question lists every kind of retained data, in %s', async (language) => {
  for (const linked of [true, false]) {
    const chat = await open(language, { linked });
    await chat.write('/privacy');
    await chat.tap('forget:open');
    expectWithinLimits(chat.last());
    for (const reason of RETENTION_REASONS) expect(chat.last().html).toContain(chat.words.html(reason));
    expect(chat.last().html).not.toContain(chat.words.html('kept-admin'));
    expect(Object.values(buttonsOf(chat.last()))).toEqual([
      expect.stringMatching(/^forget:yes:/),
      'privacy:open',
      'menu:open',
    ]);
    expect(chat.begin).not.toHaveBeenCalled();
  }
});

test('shows no warning if nothing is pending, and makes no request for a guest', async () => {
  const chat = await open();
  await chat.write('/forget');
  expect(chat.last().html).not.toContain('⚠️');
  const guest = await open('en', { linked: false });
  await guest.write('/forget');
  expect(guest.last().html).not.toContain('⚠️');
  expect(guest.setup.rental.subscriptions).not.toHaveBeenCalled();
});

test.each(LANGUAGES)('lists pending operations by title and number, in %s', async (language) => {
  const chat = await open(language);
  const history = chat.deps.operations.history as unknown as {
    add(of: object): Promise<void>;
  };
  const [going, lost] = [await chat.setup.claimed(), await chat.setup.lost()];
  const done = await chat.setup.claimed();
  await chat.setup.advance(done);
  await history.add(await chat.setup.read(going));
  await chat.write('/forget');
  expect(chat.last().html).toContain(chat.words.html('forget-operations'));
  for (const { id } of [going, lost]) expect(chat.last().html).toMatch(new RegExp(`• ⚡.*${id}`));
  expect(chat.last().html).not.toContain(done.id);
  expectWithinLimits(chat.last());
});

test.each(LANGUAGES)(
  'lists all Smart Mode subscriptions except deactivated ones, in %s',
  async (language) => {
    const chat = await open(language);
    chat.setup.rental.subscriptions.mockResolvedValue(
      accepted([
        subscription(1, { label: '<b>Shop</b>' }),
        subscription(2, { address: OTHER, status: 'paused' }),
        subscription(3, { label: 'gone', status: 'deactivated' }),
        subscription(4, { label: 'odd', status: 'sleeping' }),
      ]),
    );
    await chat.write('/forget');
    const { html } = chat.last();
    expect(html).toContain(chat.words.html('forget-subscriptions'));
    expect(html).toContain('&#60;b&#62;Shop');
    expect(html).toContain(
      chat.words.html('forget-subscription', { what: 'TLx8h8…SiLGg4', status: 'paused' }),
    );
    expect(html).toContain('(sleeping)');
    expect(html).not.toContain('gone');
    expectWithinLimits(chat.last());
  },
);

test('says so if the subscriptions cannot be read', async () => {
  const chat = await open();
  chat.setup.rental.subscriptions.mockResolvedValue(OFFLINE);
  await chat.write('/forget');
  expect(chat.last().html).toContain(chat.words.html('forget-subscriptions-unknown'));
});

test('shows the question even while the service hangs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const chat = await open();
  chat.setup.rental.subscriptions.mockImplementation(() => new Promise(() => {}));
  const asked = chat.write('/forget');
  await vi.advanceTimersByTimeAsync(3_000);
  await asked;
  vi.useRealTimers();
  expect(chat.last().html).toContain(chat.words.html('forget-subscriptions-unknown'));
});

test.each(LANGUAGES)('lists five open invoices and counts the others, in %s', async (language) => {
  const chat = await open(language);
  for (let number = 1; number <= 7; number += 1) await sell(chat);
  await sell(chat, { stands: { status: 'delegated' } });
  await chat.write('/forget');
  expect(chat.last().html).toContain(chat.words.html('unlink-invoices', { about: 'unlink', count: 7 }));
  expect(chat.last().html).toContain(chat.words.html('unlink-invoices-more', { count: 2 }));
  expectWithinLimits(chat.last());
});

test.each(LANGUAGES)('lists the open invoices of a guest, in %s', async (language) => {
  const chat = await open(language, { linked: false });
  for (let number = 1; number <= 3; number += 1) await sell(chat, { stands: { account: OPERATOR_ACCOUNT } });
  await chat.write('/forget');
  expect(chat.last().html).toContain(chat.words.html('forget-invoices', { count: 3 }));
  expect(chat.last().html).toContain(chat.words.html('unlink-invoice', { number: '3', price: '5.00' }));
  expectWithinLimits(chat.last());
});

test.each(LANGUAGES)(
  'shows an admin the retained admin data and the continuing broadcasts, in %s',
  async (language) => {
    const broadcast = { admin: USER } as Broadcast;
    const isAdmin = () => true;
    const chat = await open(language, { isAdmin });
    const { broadcasts } = chat.deps;
    vi.spyOn(broadcasts, 'active').mockResolvedValue(broadcast);
    vi.spyOn(broadcasts, 'scheduled').mockResolvedValue([broadcast, { admin: USER + 1 } as Broadcast]);
    await chat.write('/forget');
    expect(chat.last().html).toContain(chat.words.html('forget-admin', { broadcasts: 2 }));
    expect(chat.last().html).toContain(chat.words.html('kept-admin'));
    expectWithinLimits(chat.last());
  },
);

test('mentions the alerts that end with the account', async () => {
  const chat = await open();
  await chat.webhookSubscriptions.activate('a-hook', ACCOUNT, 'whsec_of-the-tests-alone');
  await chat.write('/forget');
  expect(chat.last().html).toContain(chat.words.html('unlink-reports'));
});

test('Yes schedules the erasure and leaves nothing in the session', async () => {
  const chat = await open();
  await chat.write('/settings');
  await chat.tap('settings:language:ru');
  await chat.tap('settings:language:en');
  await chat.write('/forget');
  await chat.tap(chat.yes(), { carried: true });
  expect(chat.last().html).toContain(chat.words.html('forget-begun'));
  expect(buttonsOf(chat.last())).toEqual({});
  const { linkedAt } = (await chat.links.find(USER)) ?? {};
  const wish = {
    user: USER,
    askedAt: START,
    at: START,
    language: 'en',
    linkedAt,
    update: expect.any(Number),
  };
  expect(chat.begin.mock.calls).toEqual([[wish]]);
  const begun = await chat.setup.storage.chats.begin({ chat: USER, update: 1, token: 't', leaseMs: 0 });
  expect(begun).toEqual({ kind: 'granted', attempt: 1 });
});

test('Yes cancels an open card', async () => {
  const chat = await open();
  await chat.write('/buy');
  await chat.write(ADDRESS);
  await chat.tap(answerData('holder'));
  await chat.tap(answerData('1'));
  const card = chat.lastMessage();
  const [, id = ''] = /operation:confirm:(\w+)/.exec(JSON.stringify(chat.last().keyboard)) ?? [];
  expect(id).not.toBe('');
  await chat.write('/forget');
  expect(chat.last().html).toContain(chat.words.html('forget-draft', { confirm: '✅ Confirm' }));
  expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'draft' });
  await chat.tap(chat.yes());
  expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'cancelled' });
  const edits = chat.calls.filter(({ payload }) => payload.message_id === card);
  expect(edits.at(-1)?.payload.text).toContain(chat.words.html('operation-cancelled'));
  await chat.tap(`operation:confirm:${id}`, { message: card, carried: true });
  expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'cancelled' });
});

test('the button expires ten minutes after the question', async () => {
  const chat = await open();
  await chat.write('/forget');
  const [question, yes] = [chat.last(), chat.yes()];
  chat.setup.clock.now += 600_000;
  await chat.tap(yes);
  expect(chat.begin).not.toHaveBeenCalled();
  expect(chat.toast()).toBe(chat.words.plain('toast-button-expired'));
  expect(chat.last()).toEqual(question);
  await chat.write('/forget');
  await chat.tap(chat.yes());
  expect(chat.begin).toHaveBeenCalledOnce();
});

test('fails the update if the erasure cannot be scheduled; a repetition schedules it', async () => {
  const chat = await open();
  await chat.write('/forget');
  const yes = chat.yes();
  chat.begin.mockRejectedValueOnce(new JobsUnavailable('no answer'));
  await expect(chat.tap(yes)).rejects.toThrow();
  await chat.again();
  expect(chat.begin).toHaveBeenCalledTimes(2);
});

test('a tap on an already answered question does not affect a later card', async () => {
  const chat = await open();
  await chat.write('/forget');
  const [question, yes] = [chat.lastMessage(), chat.yes()];
  await chat.write(`/activate ${ADDRESS}`);
  const card = chat.last();
  chat.hasBegun.mockResolvedValue(true);
  await chat.tap(yes, { message: question, carried: true });
  expect(chat.begin).not.toHaveBeenCalled();
  expect(chat.last()).toEqual(card);
  expect(chat.toast()).toBe(chat.words.plain('toast-question-over'));
});
