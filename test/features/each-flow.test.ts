import type { Message } from 'grammy/types';
import { describe, expect, test } from 'vitest';
import { answerData } from '../../src/i18n/view.ts';
import { buttonsOf } from '../i18n/telegram-limits.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';
import { ask, NAMED, WAYS } from './ways.ts';

const [back, cancel] = [answerData('back'), answerData('cancel')];
const STOPPED = 'Stopped. Nothing was done.';
const LEFT = 'I stopped what you had begun. Nothing was done.';
const MENU = 'What would you like to do?';

const file = { file_id: 'a', file_unique_id: 'a', width: 90, height: 90 };
const picture: Partial<Message> = { photo: [file] };
const sticker: Partial<Message> = {
  sticker: { ...file, type: 'regular', is_animated: false, is_video: false, emoji: '👍' },
};
const another = { type: 'hidden_user', sender_user_name: 'Somebody', date: 0 } as const;

test('WAYS covers every flow', async () => {
  const { features } = await openChat('en');
  const flows = features.filter(({ flow }) => flow).map(({ name }) => name);
  expect(new Set(WAYS.map(({ flow }) => flow))).toEqual(new Set(flows));
});

describe.each(NAMED)('at the question after %s', (_, way) => {
  const { said, wants } = way;
  const odd: [string, Partial<Message>][] = [
    ['a sticker', sticker],
    ['a photo', picture],
    ['a forwarded photo', { ...picture, forward_origin: another }],
  ];

  test.each(odd.slice(0, way.takesMessages ? 1 : undefined))(
    '%s gets a reply with the expected format, and the question stays open',
    async (_, message) => {
      const chat = await ask(way);
      const [question, buttons] = [chat.lastMessage(), buttonsOf(chat.last())];
      await chat.bring(message);
      expect(chat.last().html).toContain(wants);
      expect(chat.lastMessage()).toBeGreaterThan(question);
      expect(buttonsOf(chat.last())).toEqual(buttons);
      await chat.tap(back);
      expect(chat.toast()).toBeUndefined();
    },
  );

  test('an edited message is not an answer, and the question stays open', async () => {
    const chat = await ask(way);
    await chat.write(way.wrong ?? 'what is this?');
    // Subscription names, payer notes and broadcast messages accept any text. *Back* returns to the question.
    if (way.takesMessages || /^Write (a name of one|one line of up)/.test(wants)) await chat.write('back');
    const question = chat.lastMessage();
    await chat.edit({ text: ADDRESS });
    expect(chat.last().html).toContain("I don't read what you change");
    await chat.tap(back, { message: question });
    expect(chat.toast()).toBeUndefined();
  });

  test('captions and forwarded texts count as typed answers', async () => {
    const typed = await ask(way);
    await typed.write('what is this?');
    for (const message of [
      { ...picture, caption: 'what is this?' },
      { text: 'what is this?', forward_origin: another },
    ]) {
      const chat = await ask(way);
      await chat.bring(message);
      expect(chat.last()).toEqual(typed.last());
    }
  });

  test.each(['tapped', 'in words'])(
    'Back, %s, leads to the previous question, or out of the flow',
    async (how) => {
      const chat = await ask(way);
      await (how === 'tapped' ? chat.tap(back) : chat.write('‹ Back'));
      const before = said.length > 1 ? (await ask({ ...way, said: said.slice(0, -1) })).last().html : MENU;
      expect(chat.last().html).toContain(before);
    },
  );

  test.each(['tapped', 'in words', 'as a command'])('Cancel, %s, ends the flow', async (how) => {
    const chat = await ask(way);
    const question = chat.lastMessage();
    if (how === 'tapped') await chat.tap(cancel);
    else await chat.write(how === 'in words' ? 'cancel' : '/cancel');
    expect(chat.last().html).toContain(STOPPED);
    await chat.tap(back, { message: question });
    expect(chat.toast()).toBe(chat.words.plain('toast-question-over'));
    await chat.write('hello');
    expect(chat.last().html).toContain("I didn't understand that");
  });

  test.each(['/activate', '/withdraw'])('%s starts its flow instead and says so', async (other) => {
    const chat = await ask(way);
    const question = chat.lastMessage();
    await chat.write(other);
    const begun = (await ask({ ...way, said: [other] })).last().html;
    expect(chat.last().html).toBe(`${LEFT}\n\n${begun}`);
    await chat.tap(cancel, { message: question });
    expect(chat.toast()).toBe(chat.words.plain('toast-question-over'));
    await chat.tap(back);
    expect(chat.last().html).toContain(MENU);
  });

  test('continues at the same step when the Telegram language of the user changes', async () => {
    const [chat, russian] = [await ask(way), await ask(way, 'ru')];
    chat.speak('ru');
    for (const one of [chat, russian]) await one.bring(picture);
    expect(chat.last()).toEqual(russian.last());
    for (const one of [chat, russian]) await one.write('назад');
    expect(chat.last()).toEqual(russian.last());
  });

  test('repeats the question in the language chosen in the settings', async () => {
    const [chat, russian] = [await ask(way), await ask(way, 'ru')];
    const question = chat.lastMessage();
    await chat.tap('settings:language:ru', { message: question - 1, carried: true });
    expect(chat.last()).toEqual(russian.last());
    await chat.tap(back, { message: question });
    expect(chat.toast()).toBe(russian.words.plain('toast-question-over'));
    for (const one of [chat, russian]) await one.write('назад');
    expect(chat.last()).toEqual(russian.last());
  });
});

describe('an edited message', () => {
  /** Sends these messages, edits the last one, and returns the API methods called for the edit. */
  async function changed(said: Partial<Message>[], into: Partial<Message>, asked?: string) {
    const chat = await openChat('en');
    for (const message of said) await chat.bring(message);
    if (asked) await chat.tap(asked);
    const before = chat.calls.length;
    await chat.edit(into);
    return chat.calls.slice(before).map(({ method }) => method);
  }

  test('gets no reply without an open question, nor as a live location', async () => {
    expect(await changed([{ text: 'hello' }], { text: ADDRESS })).toEqual([]);
    const location = { latitude: 1, longitude: 1 };
    expect(await changed([{ text: '/buy' }, { location }], { location })).toEqual([]);
  });

  test('is not accepted as an API key', async () => {
    expect(await changed([{ text: 'hello' }], { text: 'hello there' }, 'link:open')).toEqual(['sendMessage']);
  });

  test.each(['menu:open', 'link:open'])('is deleted if it contains an API key, after %s', async (asked) => {
    const into = { text: 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4' };
    expect(await changed([{ text: 'hello' }], into, asked)).toEqual(['deleteMessage', 'sendMessage']);
  });
});
