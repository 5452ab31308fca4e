import { describe, expect, test } from 'vitest';
import type { Broadcast } from '../../src/broadcasts/store.ts';
import { optOutRow } from '../../src/i18n/shared-views.ts';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { TEXTS } from '../support/texts.ts';
import { openAdmin } from './broadcasting.ts';

type Chat = Awaited<ReturnType<typeof openAdmin>>;

const ID = '0b8cf6a15b0e4b11';
const AT = Date.parse('2025-06-01T12:00:00Z');
const DAY = 24 * 3600_000;

const broadcast = (more: Partial<Broadcast> = {}): Broadcast => ({
  ...{ id: ID, admin: 7, audience: { who: 'everybody' }, state: 'sending', createdAt: AT, startAt: AT },
  contents: { default: { chat: 7, message: 9, buttons: [], hash: 'a' } },
  ...{ total: 1_300, settled: 0, sent: 0, blocked: 0, deactivated: 0, unreachable: 0, failed: 0 },
  ...{ unknown: 0, skipped: 0, deferred: [], openAttempts: [], rateLimitHits: 0, takeovers: 0, sendingMs: 0 },
  ...{ activeAt: AT, revision: 0 },
  ...more,
});

/** Returns a distinct broadcast id for each number. */
const idOf = (number: number) => `${ID.slice(0, -2)}${number + 20}`;
const stands = (chat: Chat) => chat.casting.all().map(({ state }) => state);
const edited = (chat: Chat) => chat.calls.findLast(({ method }) => method === 'editMessageText')?.payload;

describe.each(LANGUAGES)('the broadcast overview (%s)', (language) => {
  test('offers only a new broadcast at first', async () => {
    const chat = await openAdmin(language);
    await chat.write('/broadcast');
    expect(Object.values(buttonsOf(chat.last()))).toEqual(['broadcast:new', 'menu:admin', 'menu:open']);
    expectWithinLimits(chat.last());
  });

  test('shows the active broadcast, and below it the scheduled and the last three', async () => {
    const chat = await openAdmin(language);
    chat.casting.put(broadcast());
    for (const [number, state] of (['missed', 'done', 'stopped', 'done'] as const).entries()) {
      const endedAt = AT - (4 - number) * DAY;
      chat.casting.put(broadcast({ id: idOf(number), state, endedAt, sent: 1_204 }));
    }
    chat.casting.put(broadcast({ id: idOf(9), state: 'scheduled', startAt: AT + DAY }));
    await chat.tap('broadcast:open', { carried: true });
    const [view, overview] = chat.views().slice(-2);
    expect(view?.html).toBe(`How ${ID} stands: sending`);
    expect(chat.broadcasts.addProgressMessage).toHaveBeenCalledExactlyOnceWith(
      ID,
      USER,
      chat.lastMessage() - 1,
    );
    expect(Object.values(buttonsOf(overview ?? chat.last()))).toEqual([
      'broadcast:new',
      `broadcast:stop:${idOf(9)}`,
      ...[3, 2, 1].map((number) => `broadcast:show:${idOf(number)}`),
      ...['menu:admin', 'menu:open'],
    ]);
    const counts = { en: '1,204 of 1,300 got it', ru: 'получили 1 204 из 1 300' }[language];
    expect(overview?.html.replaceAll('\u00a0', ' ')).toContain(counts);
    for (const one of chat.views()) expectWithinLimits(one);
  });

  test('stays within the limits with 30 scheduled broadcasts and counts the omitted ones', async () => {
    const chat = await openAdmin(language);
    for (let number = 0; number < 30; number += 1) {
      chat.casting.put(broadcast({ id: idOf(number), state: 'scheduled', startAt: AT + number * DAY }));
    }
    await chat.write('/broadcast');
    expect(chat.last().html).toContain(chat.words.html('broadcasts-more', { count: '10' }));
    expect(chat.last().keyboard).toHaveLength(22);
    expectWithinLimits(chat.last());
  });
});

describe('Show', () => {
  const buttons = [{ text: 'Prices', url: 'https://example.com/' }];
  const content = { chat: 7, message: 9, buttons, hash: 'a' };
  const signed = expect.stringMatching(/^\+announcements:off~/);
  const optOut = (text: string) => ({ text, callback_data: signed });
  const copyOf = (message: number, rows: object[]) => ({
    ...{ chat_id: USER, from_chat_id: 7, message_id: message },
    reply_markup: { inline_keyboard: rows.map((one) => [one]) },
  });

  test('copies the message with its buttons and shows the status below', async () => {
    const chat = await openAdmin();
    chat.casting.put(broadcast({ state: 'done', endedAt: AT, contents: { default: content } }));
    await chat.write('/broadcast');
    await chat.tap(`broadcast:show:${ID}`, { carried: true });
    expect(chat.copies()).toEqual([copyOf(9, [...buttons, optOut('🔕 No more news like this')])]);
    expect(chat.last().html).toContain('This is the message that people get.');
    expect(chat.last().html).toContain(`How ${ID} stands: done`);
    const shown = chat.calls.map(({ method }) => method).filter((method) => method !== 'answerCallbackQuery');
    expect(shown.slice(-2)).toEqual(['copyMessage', 'sendMessage']);
    expectWithinLimits(chat.last());
  });

  test('copies the message of each language', async () => {
    const chat = await openAdmin();
    const ru = { ...content, message: 10, buttons: [] };
    chat.casting.put(broadcast({ state: 'done', endedAt: AT, contents: { default: content, ru } }));
    await chat.write('/broadcast');
    await chat.tap(`broadcast:show:${ID}`, { carried: true });
    const [{ text = '' } = {}] = optOutRow(TEXTS.in('ru'));
    expect(chat.copies()).toEqual([
      copyOf(9, [...buttons, optOut('🔕 No more news like this')]),
      copyOf(10, [optOut(text)]),
    ]);
    expect(chat.last().html).toContain('then RU.');
  });

  test('shows Telegram’s reason and the status if the message can’t be copied any more', async () => {
    const chat = await openAdmin();
    chat.casting.put(broadcast({ state: 'done', endedAt: AT }));
    await chat.write('/broadcast');
    chat.trouble('copyMessage', { code: 400, description: 'Bad Request: message to copy not found' });
    await chat.tap(`broadcast:show:${ID}`, { carried: true });
    expect(chat.last().html).toContain('<code>Bad Request: message to copy not found</code>');
    expect(chat.last().html).toContain(`How ${ID} stands: done`);
  });
});

describe('any admin', () => {
  async function opened(state: Broadcast['state'] = 'sending') {
    const chat = await openAdmin();
    chat.casting.put(broadcast({ state }));
    await chat.write('/start');
    return { ...chat, press: (name: string) => chat.tap(`broadcast:${name}:${ID}`, { carried: true }) };
  }

  test('can pause and resume with one tap; only effective changes are logged', async () => {
    const chat = await opened();
    const message = chat.lastMessage();
    for (const [name, state] of [
      ['pause', 'paused'],
      ['pause', 'paused'],
      ['resume', 'sending'],
      ['resume', 'sending'],
    ] as const) {
      await chat.press(name);
      expect(stands(chat)).toEqual([state]);
      expect(edited(chat)).toMatchObject({ message_id: message, text: `How ${ID} stands: ${state}` });
      expect(chat.broadcasts.addProgressMessage).toHaveBeenLastCalledWith(ID, USER, message);
    }
    const about = `everybody, ${ID}`;
    expect(await chat.acts()).toEqual([
      ['broadcast-resumed', about],
      ['broadcast-paused', about],
    ]);
  });

  test.each([
    ['sending', "Whoever hasn't got it yet won't get it"],
    ['paused', "Whoever hasn't got it yet won't get it"],
    ['scheduled', 'It is sent to nobody then'],
  ] as const)('can stop a broadcast that is %s after confirming: %s', async (state, said) => {
    const chat = await opened(state);
    const message = chat.lastMessage();
    await chat.press('stop');
    expect(stands(chat)).toEqual([state]);
    expect(chat.last().html).toContain(said);
    expect(chat.lastMessage()).toBeGreaterThan(message);
    expect(Object.values(buttonsOf(chat.last()))).toEqual([
      `broadcast:stop-yes:${ID}`,
      `broadcast:status:${ID}`,
    ]);
    expectWithinLimits(chat.last());
    await chat.press('stop-yes');
    await chat.press('stop-yes');
    expect(stands(chat)).toEqual(['stopped']);
    expect(edited(chat)).toMatchObject({ message_id: chat.lastMessage(), text: `How ${ID} stands: stopped` });
    expect(await chat.acts()).toEqual([['broadcast-stopped', `everybody, ${ID}`]]);
  });

  test('can decline to stop it and see its status instead', async () => {
    const chat = await opened();
    await chat.press('stop');
    await chat.press('status');
    expect(stands(chat)).toEqual(['sending']);
    expect(chat.copies()).toEqual([]);
    expect(chat.last().html).toBe(`How ${ID} stands: sending`);
    expect(await chat.acts()).toEqual([]);
  });

  test.each(['pause', 'resume', 'stop', 'stop-yes', 'show', 'status'])(
    'gets a toast and the overview on %s of an unknown broadcast',
    async (name) => {
      const chat = await openAdmin();
      await chat.tap(`broadcast:${name}:${ID}`, { carried: true });
      expect(chat.toast()).toBe(chat.words.plain('toast-over'));
      expect(chat.last().html).toContain('📣 Broadcasts');
      expect(await chat.acts()).toEqual([]);
    },
  );
});
