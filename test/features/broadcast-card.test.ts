import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { broadcastIdOf } from '../../src/bot/broadcast-views.ts';
import type { BroadcastDraft } from '../../src/broadcasts/store.ts';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { answerData } from '../../src/i18n/view.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { openAdmin } from './broadcasting.ts';

type Chat = Awaited<ReturnType<typeof openAdmin>>;

const MINUTE = 60_000;
const SEND = answerData('send');
const labels = (chat: Chat) => Object.keys(buttonsOf(chat.last()));
const carried = (chat: Chat) => Object.values(buttonsOf(chat.last()));

/** Opens a chat with a confirmed broadcast. `id` is its id. */
async function confirmed(time = 'now') {
  const chat = await openAdmin();
  await chat.toCard('everybody', time);
  await chat.answer('send');
  const [begun] = chat.casting.all();
  if (begun === undefined) throw new Error('no broadcast was started');
  return { ...chat, id: begun.id };
}

describe('the broadcast card', () => {
  test.each(LANGUAGES)('shows audience, size, duration, time and a warning (%s)', async (language) => {
    const chat = await openAdmin(language);
    chat.broadcasts.count.mockResolvedValue(1_234_567);
    chat.broadcasts.durationMs.mockReturnValue(13.7 * 60 * MINUTE);
    await chat.begin();
    await chat.say(
      'News',
      { tap: 'none' },
      { tap: 'put-ru' },
      'Новости',
      { tap: 'none' },
      { tap: 'next' },
      '14',
    );
    await chat.say({ tap: '1h' });
    const expected = {
      en: [
        'in the last 14 days',
        '1,234,567',
        'its own for RU',
        '1 Jun, 13:00 UTC',
        'about 14 h',
        'taken back',
      ],
      ru: ['за 14 дней', '1 234 567', 'своё для RU', '1 июн., 13:00 UTC', 'около 14 ч', 'вернуть нельзя'],
    }[language];
    for (const part of expected) expect(chat.last().html.replaceAll('\u00a0', ' ')).toContain(part);
    expect(chat.last().html).toContain(chat.words.html('making-late'));
    for (const view of chat.views()) expectWithinLimits(view);
    expect(chat.broadcasts.count).toHaveBeenLastCalledWith({ who: 'active', days: 14 }, USER);
  });

  test.each([
    [40_000, 'up to a minute'],
    [90 * MINUTE, 'about 90 min'],
  ])('shows a duration of %j ms as %s', async (ms, said) => {
    const chat = await openAdmin();
    chat.broadcasts.durationMs.mockReturnValue(ms);
    await chat.toCard();
    expect(chat.last().html).toContain(said);
    expect(chat.last().html).toContain('When: <b>now</b>');
    expect(chat.last().html).not.toContain('an hour late');
  });

  test('for 100 recipients is confirmed by a tap only, and then shows the progress', async () => {
    const chat = await openAdmin();
    chat.broadcasts.count.mockResolvedValue(100);
    await chat.toCard();
    expect(labels(chat)[0]).toBe('📣 Send to 100');
    for (const words of ['send to 100', '100', 'confirm', 'yes']) {
      await chat.say(words);
      expect(chat.last().html).toBe(chat.words.html('problem-choice'));
    }
    expect(chat.broadcasts.start).not.toHaveBeenCalled();
    const draft = await chat.draft();
    await chat.answer('send');
    const id = broadcastIdOf(draft as BroadcastDraft);
    expect(chat.broadcasts.start).toHaveBeenCalledExactlyOnceWith({ ...draft, id });
    expect(chat.last().html).toBe(`✅ It is being sent.\n\nHow ${id} stands: sending`);
    expect(chat.broadcasts.addProgressMessage).toHaveBeenCalledExactlyOnceWith(id, USER, chat.lastMessage());
    expect(await chat.acts()).toEqual([['broadcast-started', 'everybody: 100']]);
  });

  test.each(['1234', '1,234', '1 234', '1.234'])(
    'for more recipients is confirmed by typing their number: %j',
    async (said) => {
      const chat = await openAdmin();
      chat.broadcasts.count.mockResolvedValue(1_234);
      await chat.toCard('ru', 'tomorrow');
      expect(carried(chat)).toEqual([answerData('back'), answerData('cancel')]);
      const before = chat.calls.length;
      await chat.tap(SEND, { carried: true });
      expect(chat.calls.slice(before).map(({ method }) => method)).toEqual(['answerCallbackQuery']);
      for (const wrong of ['1235', 'all', '12', '1234 people']) {
        await chat.say(wrong);
        expect(chat.last().html).toBe(
          'To send it, write the number of people: <b>1,234</b>. Until then nothing is sent.',
        );
      }
      expect(chat.broadcasts.start).not.toHaveBeenCalled();
      await chat.say(said);
      expect(chat.casting.all()).toMatchObject([{ state: 'scheduled' }]);
      expect(chat.last().html).toContain('It will be sent at its time');
      expect(await chat.acts()).toEqual([['broadcast-scheduled', 'language ru: 1234']]);
    },
  );

  test('is shown again with a fresh count when older than ten minutes', async () => {
    const chat = await openAdmin();
    await chat.toCard();
    chat.setup.clock.now += 10 * MINUTE + 1;
    chat.broadcasts.count.mockResolvedValue(5);
    await chat.answer('send');
    expect(chat.last().html).toContain('The card was older than ten minutes, so nothing was sent');
    expect(labels(chat)[0]).toBe('📣 Send to 5');
    expect(chat.broadcasts.start).not.toHaveBeenCalled();
    chat.setup.clock.now += 10 * MINUTE;
    await chat.answer('send');
    expect(chat.casting.all()).toHaveLength(1);
  });

  test('asks for the time again if the chosen time has passed', async () => {
    const chat = await openAdmin();
    await chat.begin();
    await chat.say('News', { tap: 'none' }, { tap: 'next' }, { tap: 'everybody' }, '2025-06-01 12:05');
    chat.setup.clock.now += 5 * MINUTE;
    await chat.answer('send');
    expect(chat.last().html).toBe(chat.words.html('making-time-over'));
    expect(chat.broadcasts.start).not.toHaveBeenCalled();
    await chat.say({ tap: 'now' }, { tap: 'send' });
    expect(chat.casting.all()).toHaveLength(1);
  });

  test.each([
    ['its audience', { audience: { who: 'guests' } }],
    ['its time', { at: Date.parse('2025-06-01T14:00:00Z') }],
    ['its message', { contents: { default: { chat: USER, message: 9, buttons: [], hash: 'another' } } }],
    [
      'a language',
      {
        contents: {
          default: { chat: USER, message: 9, buttons: [], hash: 'a' },
          ru: { chat: USER, message: 9, buttons: [], hash: 'b' },
        },
      },
    ],
  ] as const)('is shown again if %s has changed', async (_, change) => {
    const chat = await openAdmin();
    await chat.toCard();
    await chat.broadcasts.drafts.change(USER, () => structuredClone(change) as object);
    await chat.answer('send');
    expect(chat.last().html).toContain('has changed since the card was shown, so nothing was sent');
    expect(chat.broadcasts.start).not.toHaveBeenCalled();
    await chat.answer('send');
    expect(chat.casting.all()).toHaveLength(1);
  });

  test.each(['gone', 'begun anew'])('rejects the confirmation if its draft is %s', async (how) => {
    const chat = await openAdmin();
    await chat.toCard();
    if (how === 'gone') await chat.setup.storage.delete(`broadcast-draft:{${USER}}`);
    else await chat.broadcasts.drafts.begin(USER);
    await chat.answer('send');
    expect(chat.last().html).toContain(chat.words.html('making-gone'));
    expect(chat.broadcasts.start).not.toHaveBeenCalled();
  });
});

describe('the audience on the card', () => {
  test('offers Check again and cannot be confirmed while counting takes too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const chat = await openAdmin();
    /** Advances the timers until `work` is done. Returns the elapsed milliseconds. */
    async function passing(work: Promise<void>): Promise<number> {
      let isDone = false;
      let ms = 0;
      void work.finally(() => {
        isDone = true;
      });
      for (; !isDone; ms += 100) await vi.advanceTimersByTimeAsync(100);
      return ms;
    }
    chat.broadcasts.count.mockReturnValue(new Promise(() => {}));
    expect(await passing(chat.toCard())).toBeLessThan(6_000);
    expect(chat.last().html).toContain("I'm still counting");
    expect(carried(chat)[0]).toBe(answerData('again'));
    await passing(chat.answer('again'));
    expect(chat.toast()).toBe('Still counting.');
    await passing(chat.tap(SEND, { carried: true }));
    await passing(chat.say('0'));
    expect(chat.broadcasts.start).not.toHaveBeenCalled();
    chat.broadcasts.count.mockResolvedValue(7);
    await passing(chat.answer('again'));
    expect(labels(chat)[0]).toBe('📣 Send to 7');
  });

  test('shows an error with Try again if it cannot be read, not an empty audience', async () => {
    const chat = await openAdmin();
    chat.broadcasts.count.mockRejectedValue(new Error('the storage is away'));
    await chat.toCard();
    expect(chat.last().html).toContain("I can't find out right now who gets it");
    expect(labels(chat)[0]).toBe('↻ Try again');
    await chat.tap(SEND, { carried: true });
    expect(chat.broadcasts.start).not.toHaveBeenCalled();
    chat.broadcasts.count.mockResolvedValue(7);
    await chat.answer('again');
    expect(labels(chat)[0]).toBe('📣 Send to 7');
  });

  test('offers another choice and sends nothing if it is empty', async () => {
    const chat = await openAdmin();
    chat.broadcasts.count.mockResolvedValue(0);
    await chat.toCard();
    expect(chat.last().html).toContain('There is nobody to send it to');
    await chat.tap(SEND, { carried: true });
    await chat.say('0');
    expect(chat.broadcasts.start).not.toHaveBeenCalled();
    await chat.answer('elsewhere');
    expect(chat.last().html).toContain('Who gets it?');
  });
});

describe('starting a broadcast', () => {
  test('happens once on a double tap', async () => {
    const chat = await openAdmin();
    await chat.toCard();
    const message = chat.lastMessage();
    for (let taps = 0; taps < 2; taps += 1) await chat.tap(SEND, { message, carried: true });
    expect(chat.casting.all()).toHaveLength(1);
    expect(chat.toast()).toBe(chat.words.plain('toast-question-over'));
  });

  test('happens once and is logged once when the update is repeated', async () => {
    const chat = await openAdmin();
    chat.broadcasts.count.mockResolvedValue(1_234);
    await chat.toCard('everybody', '1h');
    chat.trouble('sendMessage', { code: 500, description: 'Internal Server Error' });
    await expect(chat.say('1234')).rejects.toThrow();
    chat.trouble('sendMessage', undefined);
    chat.setup.clock.now += 120 * MINUTE;
    await chat.again();
    expect(chat.casting.all()).toHaveLength(1);
    expect(chat.last().html).toContain('It will be sent at its time');
    expect(await chat.acts()).toEqual([['broadcast-scheduled', 'everybody: 1234']]);
  });

  test('is refused while another broadcast runs, and works after that has ended', async () => {
    const chat = await confirmed();
    await chat.toCard();
    await chat.answer('send');
    expect(chat.last().html).toBe(chat.words.html('making-busy'));
    expect(chat.casting.all()).toHaveLength(1);
    await chat.broadcasts.stop(chat.id);
    await chat.answer('send');
    expect(chat.casting.all()).toHaveLength(2);
    expect((await chat.acts()).map(([act]) => act)).toEqual(['broadcast-started', 'broadcast-started']);
  });
});

describe('a former admin', () => {
  test('loses the open flow and its draft with the next answer', async () => {
    for (const last of [SEND, 'words']) {
      const chat = await openAdmin();
      await chat.toCard();
      chat.admins.clear();
      await (last === SEND ? chat.tap(SEND, { carried: true }) : chat.say(last));
      chat.admins.add(USER);
      await chat.tap(SEND, { carried: true });
      expect(chat.toast()).toBe(chat.words.plain('toast-question-over'));
      expect(chat.broadcasts.start).not.toHaveBeenCalled();
      await chat.begin();
      expect((await chat.draft()).contents).toEqual({});
    }
  });

  test('cannot use buttons of earlier messages', async () => {
    const chat = await confirmed();
    chat.admins.clear();
    for (const button of ['pause', 'resume', 'stop', 'stop-yes', 'show', 'open', 'new']) {
      await chat.tap(`broadcast:${button}:${chat.id}`, { carried: true });
      expect(chat.toast()).toBe(chat.words.plain('toast-over'));
    }
    expect(chat.casting.all()).toMatchObject([{ state: 'sending' }]);
  });
});
