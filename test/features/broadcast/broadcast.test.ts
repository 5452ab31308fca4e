import type { Message } from 'grammy/types';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { startLinksOf } from '../../../src/bot/router.ts';
import { optOutRow } from '../../../src/broadcasts/send.ts';
import type { Broadcast, BroadcastDraft } from '../../../src/broadcasts/store.ts';
import { broadcastIdOf } from '../../../src/features/broadcast/broadcast-flow.ts';
import { LANGUAGES, type Language } from '../../../src/i18n/texts.ts';
import { answerData } from '../../../src/views/callback-data.ts';
import { buttonsOf, expectWithinLimits } from '../../i18n/telegram-limits.ts';
import { START, USER } from '../../operations/operations-setup.ts';
import { TEXTS } from '../../support/texts.ts';
import { openChat, testWith } from '../chat.ts';
import { BROADCAST, broadcast } from '../mocked-broadcasts.ts';

type Answer = string | { tap: string } | Partial<Message>;

/** Answers that lead to the question about the audience, and to the one about the time. */
const TO_AUDIENCE: readonly Answer[] = ['News', { tap: 'none' }, { tap: 'next' }];
const TO_TIME: readonly Answer[] = [...TO_AUDIENCE, { tap: 'everybody' }];

/** Opens the chat of an admin. `say` takes taps on answers (`{ tap }`), texts and other messages. */
async function openAdmin(language: Language = 'en') {
  const admins = new Set([USER]);
  const chat = await openChat(language, { admins });
  const broadcasts = { ...chat.casting.broadcasts, drafts: chat.deps.broadcasts.drafts };

  const answer = (value: string) => chat.tapShown(answerData(value));
  async function say(...answers: Answer[]): Promise<void> {
    for (const one of answers) {
      if (typeof one === 'string') await chat.write(one);
      else if ('tap' in one) await answer(one.tap);
      else await chat.bring(one);
    }
  }
  /** Begins a draft and gives these answers. */
  async function begin(...answers: Answer[]): Promise<void> {
    await chat.input('/broadcast', 'broadcast:new');
    await say(...answers);
  }
  return {
    ...chat,
    admins,
    broadcasts,
    answer,
    say,
    begin,
    /** Creates a broadcast draft and answers all questions up to its card. */
    toCard: (audience = 'everybody', time = 'now') => begin(...TO_AUDIENCE, { tap: audience }, { tap: time }),
    copies: () => chat.payloads('copyMessage'),
    draft: async (): Promise<Partial<BroadcastDraft>> => (await broadcasts.drafts.find(USER)) ?? {},
    acts: async () => (await chat.deps.adminLog.latest(9)).map(({ action: act, about }) => [act, about]),
  };
}

type Chat = Awaited<ReturnType<typeof openAdmin>>;

/** Opens the chat of an admin with a draft after these answers. */
async function openDraft(...answers: Answer[]): Promise<Chat> {
  const chat = await openAdmin();
  await chat.begin(...answers);
  return chat;
}

const ID = BROADCAST;
const AT = START;
const DAY = 24 * 3600_000;

/** Returns a distinct broadcast id for each number. */
const idOf = (number: number) => `${ID.slice(0, -2)}${number + 20}`;
const statesOf = (chat: Chat) => chat.casting.all().map(({ state }) => state);
const edited = (chat: Chat) => chat.payloads('editMessageText').at(-1);

const test = testWith(() => openAdmin());

describe.each(LANGUAGES)('the broadcast overview (%s)', (language) => {
  test('offers only a new broadcast at first', async () => {
    const chat = await openAdmin(language);
    await chat.write('/broadcast');
    expect(chat.data()).toEqual(['broadcast:new', 'menu:admin', 'menu:open']);
    expectWithinLimits(chat.last());
  });

  test('shows the active broadcast, and below it the scheduled and the last three', async () => {
    const chat = await openAdmin(language);
    chat.casting.put(broadcast());
    for (const [number, state] of (['missed', 'done', 'stopped', 'done'] as const).entries()) {
      const endedAt = AT - (4 - number) * DAY;
      const begunAt = state === 'stopped' ? undefined : endedAt;
      chat.casting.put(broadcast({ id: idOf(number), state, begunAt, endedAt, sent: 1_204 }));
    }
    chat.casting.put(broadcast({ id: idOf(9), state: 'scheduled', startAt: AT + DAY }));
    await chat.tapShown('broadcast:open');
    const [view, overview] = chat.views().slice(-2);
    expect(view?.html).toBe(`How ${ID} stands: sending`);
    const first = 1_001 + chat.calls.findIndex(({ method }) => method === 'sendMessage');
    expect(chat.broadcasts.addProgressMessage).toHaveBeenCalledExactlyOnceWith(ID, USER, first);
    expect(Object.values(buttonsOf(overview ?? chat.last()))).toEqual([
      'broadcast:new',
      `broadcast:show:${idOf(9)}`,
      `broadcast:stop:${idOf(9)}`,
      ...[3, 2, 1].map((number) => `broadcast:show:${idOf(number)}`),
      ...['menu:admin', 'menu:open'],
    ]);
    const counts = { en: '1,204 of 1,300 sent', ru: 'отправлено 1 204 из 1 300' }[language];
    expect(overview?.html.replaceAll('\u00a0', ' ')).toContain(counts);
    const cancelled = { en: '3. planned for', ru: '3. на' }[language];
    expect(overview?.html).toMatch(new RegExp(`${cancelled} <tg-time unix="${AT / 1000}".*(nobody|никому)`));
    expect(
      chat
        .labels()
        .slice(1, 6)
        .map((label) => label.split(' ').at(-1)),
    ).toEqual([...'11234']);
    for (const one of chat.views()) expectWithinLimits(one);
  });

  test('stays within the limits with 30 scheduled broadcasts and counts the omitted ones', async () => {
    const chat = await openAdmin(language);
    for (let number = 0; number < 30; number += 1) {
      chat.casting.put(broadcast({ id: idOf(number), state: 'scheduled', startAt: AT + number * DAY }));
    }
    await chat.expectReply('/broadcast', chat.words.html('list-more', { count: '10' }));
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
    chat_id: USER,
    from_chat_id: 7,
    message_id: message,
    reply_markup: { inline_keyboard: rows.map((one) => [one]) },
  });

  test('copies the message of each language with its buttons and shows the status below', async ({
    chat,
  }) => {
    const ru = { ...content, message: 10, buttons: [] };
    chat.casting.put(broadcast({ state: 'done', endedAt: AT, contents: { default: content } }));
    await chat.input('/broadcast', `broadcast:show:${ID}`);
    const copy = copyOf(9, [...buttons, optOut('🔕 Turn off news')]);
    expect(chat.copies()).toEqual([copy]);
    chat.shows('⬆️ As sent', `How ${ID} stands: done`);
    const shown = chat.calls.map(({ method }) => method).filter((method) => method !== 'answerCallbackQuery');
    expect(shown.slice(-2)).toEqual(['copyMessage', 'sendMessage']);
    expectWithinLimits(chat.last());
    chat.casting.put(broadcast({ state: 'done', endedAt: AT, contents: { default: content, ru } }));
    await chat.input('/broadcast', `broadcast:show:${ID}`);
    const [{ text = '' } = {}] = optOutRow(TEXTS.in('ru'));
    expect(chat.copies().slice(1)).toEqual([copy, copyOf(10, [optOut(text)])]);
    expect(chat.html()).toContain('As sent: to all, then RU');
    chat.casting.put(broadcast({ state: 'scheduled', contents: { default: content } }));
    await chat.input('/broadcast', `broadcast:show:${ID}`);
    expect(chat.html()).toContain('As it will be sent');
  });

  test('shows Telegram’s reason and the status if the message can’t be copied any more', async ({ chat }) => {
    chat.casting.put(broadcast({ state: 'done', endedAt: AT }));
    await chat.write('/broadcast');
    chat.trouble('copyMessage', { code: 400, description: 'Bad Request: message to copy not found' });
    await chat.tapShown(`broadcast:show:${ID}`);
    chat.shows('<code>Bad Request: message to copy not found</code>', `How ${ID} stands: done`);
  });
});

describe('any admin', () => {
  async function opened(state: Broadcast['state'] = 'sending') {
    const chat = await openAdmin();
    chat.casting.put(broadcast({ state }));
    await chat.write('/start');
    return { ...chat, press: (name: string) => chat.tapShown(`broadcast:${name}:${ID}`) };
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
      expect(statesOf(chat)).toEqual([state]);
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
    ['sending', "Anyone not reached yet won't get it", ['⏹ Yes, stop', "‹ Don't stop"]],
    ['paused', "Anyone not reached yet won't get it", ['⏹ Yes, stop', "‹ Don't stop"]],
    ['scheduled', 'Cancel this broadcast?', ['✕ Yes, cancel', '‹ Keep']],
  ] as const)(
    'can stop a broadcast that is %s after confirming, or decline: %s',
    async (state, warning, labels) => {
      const chat = await opened(state);
      const message = chat.lastMessage();
      await chat.press('stop');
      await chat.press('status');
      expect(statesOf(chat)).toEqual([state]);
      expect(chat.html()).toBe(`How ${ID} stands: ${state}`);
      expect(chat.copies()).toEqual([]);
      expect(await chat.acts()).toEqual([]);
      await chat.press('stop');
      expect(statesOf(chat)).toEqual([state]);
      expect(chat.html()).toContain(warning);
      expect(chat.html()).toMatch(/\n<tg-time[^\n]* · Everyone$/);
      expect(chat.lastMessage() > message).toBe(state !== 'scheduled');
      expect(chat.data()).toEqual([`broadcast:stop-yes:${ID}`, `broadcast:status:${ID}`]);
      expect(chat.labels()).toEqual(labels);
      expectWithinLimits(chat.last());
      await chat.press('stop-yes');
      await chat.press('stop-yes');
      expect(statesOf(chat)).toEqual(['stopped']);
      expect(edited(chat)).toMatchObject({
        message_id: chat.lastMessage(),
        text: `How ${ID} stands: stopped`,
      });
      const act = state === 'scheduled' ? 'broadcast-cancelled' : 'broadcast-stopped';
      expect(await chat.acts()).toEqual([[act, `everybody, ${ID}`]]);
    },
  );

  test('reads on an older list that a broadcast has ended, and gets the present list there', async ({
    chat,
  }) => {
    chat.casting.put(broadcast({ state: 'scheduled', startAt: AT + DAY }));
    await chat.write('/broadcast');
    chat.casting.put(broadcast({ state: 'stopped', startAt: AT + DAY, endedAt: AT, begunAt: undefined }));
    const list = chat.lastMessage();
    await chat.tapShown(`broadcast:stop:${ID}`);
    expect(chat.toast()).toBe('This broadcast was stopped or has ended already.');
    expect(edited(chat)).toMatchObject({ message_id: list });
    expect(chat.html()).toContain('cancelled, sent to nobody');
    expect(chat.data()).not.toContain(`broadcast:stop:${ID}`);
  });

  test.each(['pause', 'resume', 'stop', 'stop-yes', 'show', 'status'])(
    'gets a toast and the overview on %s of an unknown broadcast',
    async (name) => {
      const chat = await openAdmin();
      await chat.tapShown(`broadcast:${name}:${ID}`);
      expect(chat.toast()).toBe(chat.words.plain('toast-over'));
      expect(chat.html()).toContain('📣 Broadcasts');
      expect(await chat.acts()).toEqual([]);
    },
  );
});

const FILE = { file_id: 'a', file_unique_id: 'a', width: 90, height: 90 };
const VIDEO = { ...FILE, duration: 1 };
const BOLD: Message['entities'] = [{ type: 'bold', offset: 0, length: 4 }];
const ANIMATION = { animation: VIDEO, document: FILE };
const FORWARDED_FROM = { type: 'hidden_user', sender_user_name: 'Somebody', date: 0 } as const;
const OPT_OUT = {
  text: '🔕 Turn off news',
  callback_data: expect.stringMatching(/^\+announcements:off~[\w-]{20}$/),
};
const SITE = 'Our site - https://example.com/a?b=c-d';

const KINDS: [string, Partial<Message>][] = [
  ['a text', { text: 'News', entities: BOLD }],
  ['a photo', { photo: [FILE], caption: 'News', caption_entities: BOLD }],
  ['a photo without words', { photo: [FILE] }],
  ['a video', { video: VIDEO, caption: 'News' }],
  ['an animation', { ...ANIMATION, caption: 'News' }],
  ['a file', { document: FILE, caption: 'News' }],
  ['a forwarded text', { text: 'News', forward_origin: FORWARDED_FROM }],
];

const sticker = { ...FILE, type: 'regular', is_animated: false, is_video: false } as const;
const OTHERS: [string, Partial<Message>][] = [
  ['a sticker', { sticker }],
  ['a voice message', { voice: { ...FILE, duration: 1 } }],
  ['a round video', { video_note: { ...FILE, length: 1, duration: 1 } }],
];

describe('the message of a broadcast', () => {
  test.each(KINDS)('may be %s; the bot shows a copy as the preview', async (_, message) => {
    const chat = await openDraft({ ...message, message_id: 77 }, SITE);
    const site = { text: 'Our site', url: 'https://example.com/a?b=c-d' };
    const reply_markup = { inline_keyboard: [[site], [OPT_OUT]] };
    expect(chat.copies()).toEqual([{ chat_id: USER, from_chat_id: USER, message_id: 77, reply_markup }]);
    const sent = 1_000 + chat.calls.findIndex(({ method }) => method === 'copyMessage') + 1;
    expect((await chat.draft()).contents).toEqual({
      default: { chat: USER, message: sent, buttons: [site], hash: expect.stringMatching(/^[\w-]{43}$/) },
    });
    expect(chat.html()).toContain('Users get exactly the main message');
  });

  test.each(OTHERS)('may not be %s', async (_, message) => {
    const chat = await openDraft(message);
    expect(chat.html()).toContain(chat.words.html('problem-making-message'));
    await chat.expectReply('News', 'Buttons below it?');
  });

  test('may not be an album, which gets one reply for all parts', async ({ chat }) => {
    await chat.begin();
    const before = chat.views().length;
    for (const caption of ['News', undefined, undefined]) {
      await chat.bring({ photo: [FILE], media_group_id: '13', ...(caption && { caption }) });
    }
    expect(chat.views().slice(before)).toHaveLength(1);
    expect(chat.html()).toContain(chat.words.html('problem-making-album'));
    await chat.bring({ photo: [FILE] });
    expect(chat.html()).toContain('Buttons below it?');
  });

  test('has a hash that depends on its text, formatting, file and buttons', async () => {
    const hashes = new Set<string | undefined>();
    const other = { ...FILE, file_unique_id: 'b' };
    const messages = [
      ...KINDS.slice(0, -1).map(([, message]) => message),
      ...[{ text: 'Newt', entities: BOLD }, { text: 'News' }, { photo: [other] }, { document: other }],
      ...[{ photo: [FILE], caption: 'News' }],
    ];
    const drafts: [Partial<Message>, Answer][] = messages.map((message) => [message, SITE]);
    for (const buttons of [{ tap: 'none' }, SITE.replace('Our', 'The')])
      drafts.push([{ text: 'News' }, buttons]);
    for (const [message, buttons] of drafts) {
      const chat = await openDraft(message, buttons);
      hashes.add((await chat.draft()).contents?.default?.hash);
    }
    expect(hashes.size).toBe(drafts.length);
  });

  test('keeps its question open if Telegram rejects the copy, and shows the reason', async ({ chat }) => {
    await chat.begin('News');
    chat.trouble('copyMessage', { code: 400, description: 'Bad Request: BUTTON_URL_INVALID' });
    await chat.say(SITE);
    expect(chat.html()).toContain('<code>Bad Request: BUTTON_URL_INVALID</code>');
    chat.trouble('copyMessage', undefined);
    await chat.say({ tap: 'none' });
    expect(chat.copies()).toHaveLength(2);
    expect((await chat.draft()).contents?.default?.buttons).toEqual([]);
  });
});

describe('the buttons of a broadcast', () => {
  test('are parsed one per line as a browser does, with a dash or a bar before the address', async () => {
    const chat = await openDraft('News');
    await chat.say(
      ' One - https://a.example/x-y \n\nTwo-fold|https://b.example\nA-b-https://c.example\n  Three — https://пример.рф/|  \nSite - https://good.example\\@evil.example/',
    );
    expect((await chat.draft()).contents?.default?.buttons).toEqual([
      { text: 'One', url: 'https://a.example/x-y' },
      { text: 'Two-fold', url: 'https://b.example/' },
      { text: 'A-b', url: 'https://c.example/' },
      { text: 'Three', url: 'https://xn--e1afmkfd.xn--p1ai/|' },
      { text: 'Site', url: 'https://good.example/@evil.example/' },
    ]);
  });

  test('lead into the bot by links that features declare, picked in any order or typed', async () => {
    const chat = await openDraft('News');
    const offered = chat.deps.features().flatMap(startLinksOf);
    expect(offered.map(({ payload }) => payload)).toEqual(
      expect.arrayContaining(['buy', 'buy-65000-1h', 'prices', 'link', 'invoices']),
    );
    for (const payload of ['prices', 'link', 'buy', 'link']) await chat.say({ tap: payload });
    expect(chat.html()).toContain('Buttons below it?');
    for (const line of ['Spend - buyer', 'Prices - prices-1h']) {
      await chat.say(line);
      expect(chat.html()).toContain(`No such link into the bot: <code>${line}</code>. Links: <code>buy`);
    }
    const url = (payload: string) =>
      expect.stringMatching(new RegExp(`^https://t.me/\\w+\\?start=${payload}$`));
    await chat.say('Big - buy-131000-24h');
    expect((await chat.draft()).contents?.default?.buttons).toEqual([
      { text: '⚡ Buy energy', url: url('buy'), texts: { en: '⚡ Buy energy', ru: '⚡ Купить энергию' } },
      { text: '🪙 Prices', url: url('prices'), texts: { en: '🪙 Prices', ru: '🪙 Цены' } },
      { text: 'Big', url: url('buy-131000-24h') },
    ]);
  });

  test.each([
    ['buy-99', 'en', '99 is too many: at most 76 transfers.'],
    ['buy-1000', 'en', '1,000 is too little: at least'],
    ['buy-65000-7h', 'en', "7 h isn't possible: energy is rented for 1 h or 24 h."],
    ['buy-2x-9zz', 'en', "I don't understand “9zz”."],
    ['buy-99-7h', 'ru', '7 ч не получится: энергия сдаётся на 1 ч или 24 ч.'],
  ] as const)('cannot order what %s orders; the reply says why (%s)', async (payload, language, why) => {
    const chat = await openAdmin(language);
    await chat.begin('News', `Buy now - ${payload}`);
    const shown = chat.html().replaceAll('\u00a0', ' ');
    expect(shown).toContain(why);
    expect(shown).toContain(
      { en: 'Nobody can order this:', ru: 'Такой заказ сделать нельзя:' }[language] +
        ` <code>Buy now - ${payload}</code>`,
    );
    expect(shown).toContain('<code>buy-2-24h</code>');
    await chat.say('Buy now - buy-2-24h');
    expect((await chat.draft()).contents?.default?.buttons).toMatchObject([{ text: 'Buy now' }]);
  });

  test('are limited to eight, with labels of 64 characters', async () => {
    const chat = await openDraft('News');
    const line = `${'л'.repeat(64)} - https://a.example`;
    await chat.say(Array(9).fill(line).join('\n'));
    expect(chat.html()).toContain('Too many lines');
    await chat.say(Array(8).fill(line).join('\n'));
    expect((await chat.draft()).contents?.default?.buttons).toHaveLength(8);
  });

  test.each([
    ['Our site', "I can't read this line"],
    ['https://a.example', "I can't read this line"],
    ['Our site - example.com', "I can't read this line"],
    ['- https://a.example', 'Label empty or too long'],
    ['\u200b - https://a.example', 'Label empty or too long'],
    [`${'x'.repeat(65)} - https://a.example`, 'Label empty or too long'],
    ['Our site - http://a.example', 'Only https:// without a password'],
    ['Our site - tg://user?id=1', 'Only https:// without a password'],
    ['Our site - javascript://a.example', 'Only https:// without a password'],
    ['Our site - https://', 'Only https:// without a password'],
    ['Our site - https://user:word@a.example', 'Only https:// without a password'],
    ['Our site - https://user@a.example', 'Only https:// without a password'],
    ['Our site - https://:word@a.example', 'Only https:// without a password'],
  ])('are rejected if one line is %j; the reply shows the line and the reason', async (wrong, why) => {
    const chat = await openDraft('News');
    await chat.say(`Good - https://a.example\n${wrong}`);
    expect(chat.html()).toContain(why);
    if (wrong.length < 60 && !wrong.includes('\u200b'))
      expect(chat.html()).toContain(`<code>${wrong}</code>`);
    expect(chat.html()).toContain('Send up to 8 lines like');
    expect(chat.copies()).toEqual([]);
    await chat.say({ tap: 'none' });
    expect(chat.copies()).toHaveLength(1);
  });
});

describe.each(LANGUAGES)('a message for one language (%s)', (language) => {
  test('can be added, replaced and removed', async () => {
    const chat = await openAdmin(language);
    await chat.begin('News', { tap: 'none' }, { tap: 'put-ru' }, 'Новости', 'Сайт | https://a.example');
    const texts = chat.copies().map(({ reply_markup }) => JSON.stringify(reply_markup));
    expect(texts[1]).toContain('🔕 Отключить новости');
    // The preview is of this version only.
    const about = { version: 'ru', language: chat.words.plain('making-language', { language: 'ru' }) };
    expect(chat.html()).toContain(chat.words.html('making-contents', about));
    const { contents: first } = await chat.draft();
    expect(Object.keys(first ?? {})).toEqual(['default', 'ru']);
    await chat.say({ tap: 'put-ru' }, 'Другие новости', { tap: 'none' });
    const { contents: second } = await chat.draft();
    expect(second?.default).toEqual(first?.default);
    expect(second?.ru).not.toEqual(first?.ru);
    await chat.say({ tap: 'put-default' }, 'Other news', { tap: 'none' });
    const { contents: third } = await chat.draft();
    expect(third?.default?.hash).not.toBe(first?.default?.hash);
    expect(third?.ru).toEqual(second?.ru);
    await chat.say({ tap: 'drop-ru' });
    expect((await chat.draft()).contents).toEqual({ default: third?.default });
    expect(chat.data()).not.toContain('answer=drop-ru');
    for (const view of chat.views()) expectWithinLimits(view);
  });
});

test('Back leads to the preview from a language message, and out from the first one', async ({ chat }) => {
  await chat.begin('News', { tap: 'none' }, { tap: 'put-ru' }, { tap: 'back' });
  expect(chat.html()).toContain('Users get exactly the main message');
  await chat.begin({ tap: 'back' });
  expect(chat.html()).toContain('📣 Broadcasts');
});

describe('the audience of a broadcast', () => {
  test.each([
    [{ tap: 'everybody' }, { who: 'everybody' }],
    [{ tap: 'en' }, { who: 'language', language: 'en' }],
    [{ tap: 'ru' }, { who: 'language', language: 'ru' }],
    [{ tap: 'holders' }, { who: 'holders' }],
    [{ tap: 'guests' }, { who: 'guests' }],
    [{ tap: 'merchants' }, { who: 'merchants' }],
    [{ tap: '7' }, { who: 'active', days: 7 }],
    [{ tap: '30' }, { who: 'active', days: 30 }],
    [{ tap: '90' }, { who: 'active', days: 90 }],
    ['14', { who: 'active', days: 14 }],
    ['account holders', { who: 'holders' }],
    ...['0', '3651', '-7', 'friends', '1.5'].map((answer) => [answer, undefined] as const),
  ] as const)('is chosen by %j as: %j', async (answer, audience) => {
    const chat = await openDraft(...TO_AUDIENCE, answer);
    expect((await chat.draft()).audience).toEqual(audience);
    expect(chat.html()).toContain(
      audience ? 'send a UTC time within 30 days' : 'a number of days from 1 to 3,650',
    );
  });

  test('is offered with its number of users, or without if counting is late or fails', async ({ chat }) => {
    await chat.begin(...TO_AUDIENCE);
    expect(chat.labels().slice(0, 9)).toEqual([
      ...['Everyone · 1,234', 'English speakers · 1,235', 'Russian speakers · 1,236'],
      ...['Account holders · 1,237', 'Guests · 1,238', 'Sellers · 1,239', 'Active in 7 days · 1,240'],
      ...['Active in 30 days · 1,241', 'Active in 90 days · 1,242'],
    ]);
    for (const counts of [() => new Promise<never>(() => {}), () => Promise.reject(new Error('away'))]) {
      chat.broadcasts.countEach.mockImplementation(counts);
      await chat.begin(...TO_AUDIENCE);
      expect(chat.labels().slice(0, 2)).toEqual(['Everyone', 'English speakers']);
    }
    await chat.say('everyone');
    expect((await chat.draft()).audience).toEqual({ who: 'everybody' });
  });

  test('can be the admin alone as a test, after which the draft continues', async ({ chat }) => {
    await chat.begin(...TO_AUDIENCE, { tap: 'me' });
    const [begun, ...others] = chat.casting.all();
    expect(others).toEqual([]);
    expect(begun).toMatchObject({ audience: { who: 'me' }, state: 'sending', admin: USER });
    expect(chat.views().at(-1)?.html).toContain('Your test is on its way');
    expect(chat.html()).toContain('Choose an audience');
    await chat.broadcasts.stop(begun?.id ?? '');
    await chat.say({ tap: 'everybody' }, { tap: 'now' }, { tap: 'send' });
    expect(chat.casting.all().map(({ audience }) => audience.who)).toEqual(['me', 'everybody']);
    expect(chat.casting.all()[1]?.contents).toEqual(begun?.contents);
  });

  test('can be tested with the messages of all languages, which take over the main buttons on request', async ({
    chat,
  }) => {
    const toButtons = ['News', 'Site | https://a.example', { tap: 'put-ru' }, 'Новости'];
    await chat.begin(...toButtons);
    expect(chat.labels()).toContain('As on main message (1)');
    await chat.say({ tap: 'same' }, { tap: 'next' });
    const previews = chat.copies().length;
    await chat.say({ tap: 'me' });
    // The broadcast itself sends the version of the admin's language.
    const others = chat.copies().slice(previews);
    expect(others).toMatchObject([{ message_id: (await chat.draft()).contents?.ru?.message }]);
    expect(JSON.stringify(others)).toContain('https://a.example/');
    const [{ id = '' } = {}] = chat.casting.all();
    await chat.broadcasts.stop(id);
    await chat.say({ tap: 'everybody' }, { tap: 'now' });
    chat.shows('Buttons: main message 1, RU 1');
  });

  test('gets one test if the update is repeated', async ({ chat }) => {
    await chat.begin(...TO_AUDIENCE);
    chat.trouble('sendMessage', { code: 500, description: 'Internal Server Error' });
    await expect(chat.say('Only me (test)')).rejects.toThrow();
    chat.trouble('sendMessage', undefined);
    await chat.again();
    expect(chat.casting.all()).toHaveLength(1);
    expect(chat.html()).toContain('Choose an audience');
    expect(await chat.acts()).toEqual([]);
  });

  test('gets no test while another broadcast runs', async ({ chat }) => {
    await chat.toCard();
    await chat.answer('send');
    await chat.begin(...TO_AUDIENCE, { tap: 'me' });
    expect(chat.html()).toContain(chat.words.html('making-busy'));
    expect(chat.casting.all()).toHaveLength(1);
  });
});

describe('the time of a broadcast', () => {
  const HOUR = 3600_000;

  // The clock of these chats is set to 2025-06-01 12:00 UTC.
  test.each([
    [{ tap: 'now' }, undefined],
    [{ tap: '1h' }, HOUR],
    [{ tap: '3h' }, 3 * HOUR],
    [{ tap: 'tomorrow' }, 24 * HOUR],
    ['2025-06-01 12:01', 60_000],
    ['2025-07-01 12:00 UTC', 30 * 24 * HOUR],
  ])('can be set with %j', async (answer, later) => {
    const chat = await openDraft(...TO_TIME);
    chat.shows("It's 2025-06-01 12:00 UTC now");
    await chat.say(answer);
    expect((await chat.draft()).at).toBe(later && chat.setup.clock.now + later);
    expect(chat.html()).toContain('Review and send');
  });

  test.each([
    '2025-06-01 12:00',
    '2024-01-01 00:00',
    '2025-07-01 12:01',
    '2025-06-31 12:00',
    '2025-06-02 24:00',
    '2025-06-02',
    '12:00',
    'in a while',
  ])('cannot be %j; the reply shows the limit and an example', async (answer) => {
    const chat = await openDraft(...TO_TIME, answer);
    chat.shows('within 30 days', '<code>2025-06-02 12:00</code>');
    const isPast = answer === '2025-06-01 12:00' || answer === '2024-01-01 00:00';
    expect(chat.html().includes('That time has passed.')).toBe(isPast);
    expect(chat.html().includes('The date is missing.')).toBe(answer === '12:00');
  });
});

const MINUTE = 60_000;
const SEND = answerData('send');
const MESSAGE = { chat: USER, message: 9, buttons: [], hash: 'a' };

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
    await chat.begin('News', { tap: 'none' }, { tap: 'put-ru' }, 'Новости', { tap: 'none' });
    await chat.say({ tap: 'next' }, '14', { tap: '1h' });
    const expected = {
      en: [
        'Active in 14 days',
        '1,234,567',
        'RU its own, others the main one',
        'format="Dt">1 Jun, 13:00 UTC</tg-time></b>',
        'about 14 h',
        "You can cancel it until it starts. After that, it can't be undone.",
      ],
      ru: [
        'за 14 дн.',
        '1 234 567',
        'RU своё, остальным основное',
        '1 июн., 13:00 UTC',
        'около 14 ч',
        'Рассылку можно отменить, пока она не началась.',
      ],
    }[language];
    for (const part of expected) expect(chat.html().replaceAll('\u00a0', ' ')).toContain(part);
    expect(chat.html()).toContain(chat.words.html('making-late'));
    for (const view of chat.views()) expectWithinLimits(view);
    expect(chat.broadcasts.count).toHaveBeenLastCalledWith({ who: 'active', days: 14 });
  });

  test.each([
    [40_000, 'about 1 min'],
    [90 * MINUTE, 'about 90 min'],
  ])('shows a duration of %j ms as %s', async (ms, duration) => {
    const chat = await openAdmin();
    chat.broadcasts.durationMs.mockReturnValue(ms);
    await chat.toCard();
    chat.shows(duration, 'Time: <b>now</b>');
    expect(chat.html()).not.toContain('an hour late');
  });

  test('for 100 recipients is confirmed by a tap only, and then shows the progress', async ({ chat }) => {
    chat.broadcasts.count.mockResolvedValue(100);
    await chat.toCard('everybody', '1h');
    expect(chat.labels()[0]).toBe('📣 Schedule');
    await chat.toCard();
    expect(chat.labels()[0]).toBe('📣 Send to 100');
    for (const words of ['send to 100', '100', 'confirm', 'yes']) {
      await chat.say(words);
      expect(chat.html()).toContain(chat.words.html('problem-choice'));
    }
    chat.shows('Messages: one for all languages\nButtons: 0\n');
    expect(chat.broadcasts.start).not.toHaveBeenCalled();
    const draft = await chat.draft();
    await chat.answer('send');
    const id = broadcastIdOf(draft as BroadcastDraft);
    expect(chat.broadcasts.start).toHaveBeenCalledExactlyOnceWith({ ...draft, id }, 100);
    expect(chat.html()).toBe(`✅ Sending started.\n\nHow ${id} stands: sending`);
    expect(chat.broadcasts.addProgressMessage).toHaveBeenCalledExactlyOnceWith(id, USER, chat.lastMessage());
    expect(await chat.acts()).toEqual([['broadcast-started', `everybody: 100, ${id}`]]);
  });

  test.each(['1234', '1,234', '1 234', '1.234'])(
    'for more recipients is confirmed by typing their number: %j',
    async (answer) => {
      const chat = await openAdmin();
      chat.broadcasts.count.mockResolvedValue(1_234);
      await chat.toCard('ru', 'tomorrow');
      expect(chat.data()).toEqual([answerData('back'), answerData('cancel')]);
      const before = chat.calls.length;
      await chat.tapShown(SEND);
      expect(chat.calls.slice(before).map(({ method }) => method)).toEqual(['answerCallbackQuery']);
      for (const wrong of ['1235', 'all', '12', '1234 people']) {
        await chat.say(wrong);
        expect(chat.html().split('type the number of users: <b>1,234</b>')).toHaveLength(2);
      }
      expect(chat.broadcasts.start).not.toHaveBeenCalled();
      await chat.say(answer);
      expect(chat.casting.all()).toMatchObject([{ state: 'scheduled' }]);
      expect(chat.html()).toContain('✅ Scheduled.');
      const about = expect.stringMatching(/^language ru: 1234, \d{4}-\d\d-\d\d \d\d:\d\d UTC, [\w-]{16}$/);
      expect(await chat.acts()).toEqual([['broadcast-scheduled', about]]);
    },
  );

  test('takes another time, typed as in the question before', async ({ chat }) => {
    await chat.toCard();
    await chat.say('2025-06-01 14:40');
    chat.shows('Review and send', '>1 Jun, 14:40 UTC</tg-time></b>\n');
    expect((await chat.draft()).at).toBe(Date.parse('2025-06-01T14:40Z'));
    await chat.say('2025-05-01 14:40');
    chat.shows('Review and send', chat.words.html('making-time-over'));
    await chat.say('14:50');
    chat.shows('Review and send', chat.words.html('making-time-dateless'));
    expect(chat.labels()[0]).toContain('Schedule');
  });

  test('is shown again with a fresh count when older than ten minutes', async ({ chat }) => {
    await chat.toCard();
    chat.setup.clock.now += 10 * MINUTE + 1;
    chat.broadcasts.count.mockResolvedValue(5);
    await chat.answer('send');
    expect(chat.html()).toContain('Nothing was sent: the card was out of date');
    expect(chat.labels()[0]).toBe('📣 Send to 5');
    expect(chat.broadcasts.start).not.toHaveBeenCalled();
    chat.setup.clock.now += 10 * MINUTE;
    await chat.answer('send');
    expect(chat.casting.all()).toHaveLength(1);
  });

  test('asks for the time again if the chosen time has passed', async ({ chat }) => {
    await chat.begin(...TO_TIME, '2025-06-01 12:05');
    chat.setup.clock.now += 5 * MINUTE;
    await chat.answer('send');
    expect(chat.html()).toContain(chat.words.html('making-time-over'));
    expect(chat.broadcasts.start).not.toHaveBeenCalled();
    await chat.say({ tap: 'now' }, { tap: 'send' });
    expect(chat.casting.all()).toHaveLength(1);
  });

  test.each([
    ['its audience', { audience: { who: 'guests' } }],
    ['its time', { at: Date.parse('2025-06-01T14:00:00Z') }],
    ['its message', { contents: { default: { ...MESSAGE, hash: 'another' } } }],
    ['a language', { contents: { default: MESSAGE, ru: { ...MESSAGE, hash: 'b' } } }],
  ] as const)('is shown again if %s has changed', async (_, change) => {
    const chat = await openAdmin();
    await chat.toCard();
    await chat.broadcasts.drafts.change(USER, () => structuredClone(change) as object);
    await chat.answer('send');
    expect(chat.html()).toContain('Nothing was sent: the card was out of date');
    expect(chat.broadcasts.start).not.toHaveBeenCalled();
    await chat.answer('send');
    expect(chat.casting.all()).toHaveLength(1);
  });

  test('rejects the confirmation if its draft is gone or begun anew', async ({ chat }) => {
    for (const loseDraft of [
      () => chat.setup.storage.delete(`broadcast-draft:{${USER}}`),
      () => chat.broadcasts.drafts.begin(USER),
    ]) {
      await chat.toCard();
      await loseDraft();
      await chat.answer('send');
      expect(chat.html()).toContain(chat.words.html('making-gone'));
      expect(chat.broadcasts.start).not.toHaveBeenCalled();
    }
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
    expect(chat.html()).toContain('Still counting');
    expect(chat.data()[0]).toBe(answerData('again'));
    await passing(chat.answer('again'));
    expect(chat.toast()).toBe('No change yet.');
    await passing(chat.tapShown(SEND));
    await passing(chat.say('0'));
    expect(chat.broadcasts.start).not.toHaveBeenCalled();
    chat.broadcasts.count.mockResolvedValue(7);
    await passing(chat.answer('again'));
    expect(chat.labels()[0]).toBe('📣 Send to 7');
  });

  test('shows an error with Try again if it cannot be read, not an empty audience', async ({ chat }) => {
    chat.broadcasts.count.mockRejectedValue(new Error('the storage is away'));
    await chat.toCard();
    expect(chat.html()).toContain("The audience can't be read");
    expect(chat.labels()[0]).toBe('↻ Try again');
    await chat.tapShown(SEND);
    expect(chat.broadcasts.start).not.toHaveBeenCalled();
    chat.broadcasts.count.mockResolvedValue(7);
    await chat.answer('again');
    expect(chat.labels()[0]).toBe('📣 Send to 7');
  });

  test('offers another choice and sends nothing if it is empty', async ({ chat }) => {
    chat.broadcasts.count.mockResolvedValue(0);
    await chat.toCard();
    expect(chat.html()).toContain('This audience is empty');
    await chat.tapShown(SEND);
    await chat.say('0');
    expect(chat.broadcasts.start).not.toHaveBeenCalled();
    await chat.answer('elsewhere');
    expect(chat.html()).toContain('Choose an audience');
  });
});

describe('starting a broadcast', () => {
  test('happens once on a double tap', async ({ chat }) => {
    await chat.toCard();
    const message = chat.lastMessage();
    for (let taps = 0; taps < 2; taps += 1) await chat.tap(SEND, { message, carried: true });
    expect(chat.casting.all()).toHaveLength(1);
    expect(chat.toast()).toBe(chat.words.plain('toast-question-over'));
  });

  test('happens once and is logged once when the update is repeated', async ({ chat }) => {
    chat.broadcasts.count.mockResolvedValue(1_234);
    await chat.toCard('everybody', '1h');
    chat.trouble('sendMessage', { code: 500, description: 'Internal Server Error' });
    await expect(chat.say('1234')).rejects.toThrow();
    chat.trouble('sendMessage', undefined);
    chat.setup.clock.now += 120 * MINUTE;
    await chat.again();
    expect(chat.casting.all()).toHaveLength(1);
    expect(chat.html()).toContain('✅ Scheduled.');
    expect(await chat.acts()).toEqual([
      ['broadcast-scheduled', expect.stringMatching(/^everybody: 1234, .* UTC, /)],
    ]);
  });

  test('is refused while another broadcast runs, and works after that has ended', async () => {
    const chat = await confirmed();
    await chat.toCard();
    await chat.answer('send');
    expect(chat.html()).toContain(chat.words.html('making-busy'));
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
      await (last === SEND ? chat.tapShown(SEND) : chat.say(last));
      chat.admins.add(USER);
      await chat.tapShown(SEND);
      expect(chat.toast()).toBe(chat.words.plain('toast-question-over'));
      expect(chat.broadcasts.start).not.toHaveBeenCalled();
      await chat.begin();
      expect((await chat.draft()).contents).toEqual({});
    }
  });
});

test.each([
  ['en', '⬆️ Your draft, as it will be sent: to all, then RU'],
  ['ru', '⬆️ Черновик, так он будет отправлен: для всех, затем RU'],
] as const)(
  'a draft is shown again above its question when it is continued (%s)',
  async (language, header) => {
    const chat = await openAdmin(language);
    await chat.begin('News', { tap: 'none' }, { tap: 'put-ru' }, 'Новости', { tap: 'none' });
    await chat.write('/start');
    const before = chat.copies().length;
    await chat.tapShown('broadcast:continue');
    expect(chat.copies().slice(before)).toHaveLength(2);
    chat.shows(header, chat.words.html('making-audience-ask'));
  },
);

test('a draft whose question another button has closed can be continued', async () => {
  const chat = await openDraft(...TO_TIME, { tap: 'now' });
  const card = chat.html();
  await chat.tap('people:find');
  await chat.input('/broadcast');
  const offered = () => Object.keys(buttonsOf(chat.views().at(-2) ?? chat.last()));
  expect(offered()).toContain('▶️ Continue the draft');
  await chat.input('broadcast:continue');
  expect(chat.html()).toContain(card);
  await chat.answer('send');
  await chat.input('/broadcast');
  expect(chat.labels()).not.toContain('▶️ Continue the draft');
});
