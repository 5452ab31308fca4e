import type { Message } from 'grammy/types';
import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { openAdmin } from './broadcasting.ts';

const file = { file_id: 'a', file_unique_id: 'a', width: 90, height: 90 };
const video = { ...file, duration: 1 };
const bold: Message['entities'] = [{ type: 'bold', offset: 0, length: 4 }];
const animation = { animation: video, document: file };
const another = { type: 'hidden_user', sender_user_name: 'Somebody', date: 0 } as const;
const OPT_OUT = {
  text: '🔕 No more news like this',
  callback_data: expect.stringMatching(/^\+announcements:off~[\w-]{20}$/),
};
const SITE = 'Our site - https://example.com/a?b=c-d';

const KINDS: [string, Partial<Message>][] = [
  ['a text', { text: 'News', entities: bold }],
  ['a photo', { photo: [file], caption: 'News', caption_entities: bold }],
  ['a photo without words', { photo: [file] }],
  ['a video', { video, caption: 'News' }],
  ['an animation', { ...animation, caption: 'News' }],
  ['a file', { document: file, caption: 'News' }],
  ['a forwarded text', { text: 'News', forward_origin: another }],
];

const sticker = { ...file, type: 'regular', is_animated: false, is_video: false } as const;
const OTHERS: [string, Partial<Message>][] = [
  ['a sticker', { sticker }],
  ['a voice message', { voice: { ...file, duration: 1 } }],
  ['music', { audio: { ...file, duration: 1 } }],
  ['a round video', { video_note: { ...file, length: 1, duration: 1 } }],
  ['a place', { location: { latitude: 1, longitude: 1 } }],
  ['a contact', { contact: { phone_number: '1', first_name: 'A' } }],
  ['dice', { dice: { emoji: '🎲', value: 1 } }],
];

describe('the message of a broadcast', () => {
  test.each(KINDS)('may be %s; the bot shows a copy as the preview', async (_, message) => {
    const chat = await openAdmin();
    await chat.begin();
    await chat.say({ ...message, message_id: 77 }, SITE);
    const site = { text: 'Our site', url: 'https://example.com/a?b=c-d' };
    expect(chat.copies()).toEqual([
      {
        ...{ chat_id: USER, from_chat_id: USER, message_id: 77 },
        reply_markup: { inline_keyboard: [[site], [OPT_OUT]] },
      },
    ]);
    const sent = 1_000 + chat.calls.findIndex(({ method }) => method === 'copyMessage') + 1;
    expect((await chat.draft()).contents).toEqual({
      default: { chat: USER, message: sent, buttons: [site], hash: expect.stringMatching(/^[\w-]{43}$/) },
    });
    expect(chat.last().html).toContain('The message above is what people get');
  });

  test.each(OTHERS)('may not be %s', async (_, message) => {
    const chat = await openAdmin();
    await chat.begin();
    await chat.say(message);
    expect(chat.last().html).toBe(chat.words.html('problem-making-message'));
    await chat.say('News');
    expect(chat.last().html).toContain('Which buttons stand below it?');
  });

  test('may not be an album, which gets one reply for all parts', async () => {
    const chat = await openAdmin();
    await chat.begin();
    const before = chat.views().length;
    for (const caption of ['News', undefined, undefined]) {
      await chat.bring({ photo: [file], media_group_id: '13', ...(caption && { caption }) });
    }
    expect(chat.views().slice(before)).toHaveLength(1);
    expect(chat.last().html).toBe(chat.words.html('problem-making-album'));
    await chat.bring({ photo: [file] });
    expect(chat.last().html).toContain('Which buttons stand below it?');
  });

  test('has a hash that depends on its text, formatting, file and buttons', async () => {
    const hashes = new Set<string | undefined>();
    const other = { ...file, file_unique_id: 'b' };
    const messages = [
      ...KINDS.slice(0, -1).map(([, message]) => message),
      ...[{ text: 'Newt', entities: bold }, { text: 'News' }, { photo: [other] }, { document: other }],
      ...[{ photo: [file], caption: 'News' }],
    ];
    for (const message of messages) {
      for (const buttons of [{ tap: 'none' }, SITE, SITE.replace('Our', 'The')]) {
        const chat = await openAdmin();
        await chat.begin();
        await chat.say(message, buttons);
        hashes.add((await chat.draft()).contents?.default?.hash);
      }
    }
    expect(hashes.size).toBe(messages.length * 3);
  });

  test('keeps its question open if Telegram rejects the copy, and shows the reason', async () => {
    const chat = await openAdmin();
    await chat.begin();
    await chat.say('News');
    chat.trouble('copyMessage', { code: 400, description: 'Bad Request: BUTTON_URL_INVALID' });
    await chat.say(SITE);
    expect(chat.last().html).toContain('<code>Bad Request: BUTTON_URL_INVALID</code>');
    chat.trouble('copyMessage', undefined);
    await chat.say({ tap: 'none' });
    expect(chat.copies()).toHaveLength(2);
    expect((await chat.draft()).contents?.default?.buttons).toEqual([]);
  });
});

describe('the buttons of a broadcast', () => {
  async function asked() {
    const chat = await openAdmin();
    await chat.begin();
    await chat.say('News');
    return chat;
  }

  test('are parsed one per line, with a dash or a bar before the address', async () => {
    const chat = await asked();
    await chat.say(
      ' One - https://a.example/x-y \n\nTwo-fold|https://b.example\nA-b-https://c.example\n  Three — https://пример.рф/|  ',
    );
    expect((await chat.draft()).contents?.default?.buttons).toEqual([
      { text: 'One', url: 'https://a.example/x-y' },
      { text: 'Two-fold', url: 'https://b.example/' },
      { text: 'A-b', url: 'https://c.example/' },
      { text: 'Three', url: 'https://xn--e1afmkfd.xn--p1ai/|' },
    ]);
  });

  test('are limited to eight, with labels of 64 characters', async () => {
    const chat = await asked();
    const line = `${'л'.repeat(64)} - https://a.example`;
    await chat.say(Array(9).fill(line).join('\n'));
    expect(chat.last().html).toContain('These are too many lines');
    await chat.say(Array(8).fill(line).join('\n'));
    expect((await chat.draft()).contents?.default?.buttons).toHaveLength(8);
  });

  test.each([
    ['Our site', "don't understand this line"],
    ['https://a.example', "don't understand this line"],
    ['Our site - example.com', "don't understand this line"],
    ['- https://a.example', 'label in this line is empty or too long'],
    ['\u200b - https://a.example', 'label in this line is empty or too long'],
    [`${'x'.repeat(65)} - https://a.example`, 'label in this line is empty or too long'],
    ['Our site - http://a.example', 'no address that I can take'],
    ['Our site - tg://user?id=1', 'no address that I can take'],
    ['Our site - javascript://a.example', 'no address that I can take'],
    ['Our site - https://', 'no address that I can take'],
    ['Our site - https://user:word@a.example', 'no address that I can take'],
    ['Our site - https://user@a.example', 'no address that I can take'],
    ['Our site - https://:word@a.example', 'no address that I can take'],
  ])('are rejected if one line is %j; the reply shows the line and the reason', async (wrong, why) => {
    const chat = await asked();
    await chat.say(`Good - https://a.example\n${wrong}`);
    expect(chat.last().html).toContain(why);
    if (wrong.length < 60 && !wrong.includes('\u200b'))
      expect(chat.last().html).toContain(`<code>${wrong}</code>`);
    expect(chat.last().html).toContain('Expected: up to 8 lines like');
    expect(chat.copies()).toEqual([]);
    await chat.say({ tap: 'none' });
    expect(chat.copies()).toHaveLength(1);
  });

  test('use the URL as a browser parses it', async () => {
    const chat = await asked();
    await chat.say('Site - https://good.example\\@evil.example/');
    expect((await chat.draft()).contents?.default?.buttons).toEqual([
      { text: 'Site', url: 'https://good.example/@evil.example/' },
    ]);
  });
});

describe.each(LANGUAGES)('a message for one language (%s)', (language) => {
  test('can be added, replaced and removed', async () => {
    const chat = await openAdmin(language);
    await chat.begin();
    await chat.say('News', { tap: 'none' }, { tap: 'put-ru' }, 'Новости', 'Сайт | https://a.example');
    const texts = chat.copies().map(({ reply_markup }) => JSON.stringify(reply_markup));
    expect(texts[1]).toContain('🔕 Больше не присылать новости');
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
    expect(Object.values(buttonsOf(chat.last()))).not.toContain('answer=drop-ru');
    for (const view of chat.views()) expectWithinLimits(view);
  });
});

test('Back leads from a language message to the preview, and from the first message out', async () => {
  const chat = await openAdmin();
  await chat.begin();
  await chat.say('News', { tap: 'none' }, { tap: 'put-ru' }, { tap: 'back' });
  expect(chat.last().html).toContain('The message above is what people get');
  await chat.begin();
  await chat.say({ tap: 'back' });
  expect(chat.last().html).toContain('📣 Broadcasts');
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
  ])('can be chosen with %j', async (said, audience) => {
    const chat = await openAdmin();
    await chat.begin();
    await chat.say('News', { tap: 'none' }, { tap: 'next' }, said);
    expect((await chat.draft()).audience).toEqual(audience);
    expect(chat.last().html).toContain('When? Tap, or write a time in UTC');
  });

  test.each(['0', '3651', '-7', 'friends', '1.5'])('cannot be chosen with %j', async (said) => {
    const chat = await openAdmin();
    await chat.begin();
    await chat.say('News', { tap: 'none' }, { tap: 'next' }, said);
    expect(chat.last().html).toContain('a whole number of days from 1 to 3,650');
    expect((await chat.draft()).audience).toBeUndefined();
  });

  test('can be the admin alone as a test, after which the draft continues', async () => {
    const chat = await openAdmin();
    await chat.begin();
    await chat.say('News', { tap: 'none' }, { tap: 'next' }, { tap: 'me' });
    const [begun, ...others] = chat.casting.all();
    expect(others).toEqual([]);
    expect(begun).toMatchObject({ audience: { who: 'me' }, state: 'sending', admin: USER });
    expect(chat.views().at(-1)?.html).toContain('The test is on its way to you');
    expect(chat.last().html).toContain('Who gets it?');
    await chat.broadcasts.stop(begun?.id ?? '');
    await chat.say({ tap: 'everybody' }, { tap: 'now' }, { tap: 'send' });
    expect(chat.casting.all().map(({ audience }) => audience.who)).toEqual(['me', 'everybody']);
    expect(chat.casting.all()[1]?.contents).toEqual(begun?.contents);
  });

  test('gets one test if the update is repeated', async () => {
    const chat = await openAdmin();
    await chat.begin();
    await chat.say('News', { tap: 'none' }, { tap: 'next' });
    chat.trouble('sendMessage', { code: 500, description: 'Internal Server Error' });
    await expect(chat.say('A test to me alone')).rejects.toThrow();
    chat.trouble('sendMessage', undefined);
    await chat.again();
    expect(chat.casting.all()).toHaveLength(1);
    expect(chat.last().html).toContain('Who gets it?');
    expect(await chat.acts()).toEqual([]);
  });

  test('gets no test while another broadcast runs', async () => {
    const chat = await openAdmin();
    await chat.toCard();
    await chat.answer('send');
    await chat.begin();
    await chat.say('News', { tap: 'none' }, { tap: 'next' }, { tap: 'me' });
    expect(chat.last().html).toBe(chat.words.html('making-busy'));
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
  ])('can be set with %j', async (said, later) => {
    const chat = await openAdmin();
    await chat.begin();
    await chat.say('News', { tap: 'none' }, { tap: 'next' }, { tap: 'everybody' });
    expect(chat.last().html).toContain('Now it is 2025-06-01 12:00 UTC');
    expect(chat.last().html).toContain("more than an hour late, it isn't sent at all");
    await chat.say(said);
    expect((await chat.draft()).at).toBe(later && chat.setup.clock.now + later);
    expect(chat.last().html).toContain('Check before you send');
  });

  test.each([
    ['2025-06-01 12:00', 'has passed'],
    ['2024-01-01 00:00', 'has passed'],
    ['2025-07-01 12:01', 'more than 30 days'],
    ['2025-06-31 12:00', 'no time in that'],
    ['2025-06-02 24:00', 'no time in that'],
    ['2025-06-02', 'no time in that'],
    ['in a while', 'no time in that'],
  ])('cannot be %j; the reply shows the reason and an example', async (said, why) => {
    const chat = await openAdmin();
    await chat.begin();
    await chat.say('News', { tap: 'none' }, { tap: 'next' }, { tap: 'everybody' }, said);
    expect(chat.last().html).toContain(why);
    expect(chat.last().html).toContain('<code>2025-06-02 12:00</code>');
  });
});
