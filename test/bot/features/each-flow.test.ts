import type { Message } from 'grammy/types';
import { describe, expect, test } from 'vitest';
import { answerData } from '../../../src/texts/callback-data.ts';
import { ADDRESS } from '../../operations/rental-stand-in.ts';
import { buttonsOf } from '../../texts/telegram-limits.ts';
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

test('every flow that there is is walked here', async () => {
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
    '%s is told what is expected, below it, and the question stays open',
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

  test('what is changed in a message is no answer: it is said, and the question stays open', async () => {
    const chat = await ask(way);
    await chat.write(way.wrong ?? 'what is this?');
    // A name for a subscription, a line for who pays and what is sent to many can be anything.
    if (way.takesMessages || /^Write (a name of one|one line of up)/.test(wants)) await chat.write('back');
    const question = chat.lastMessage();
    await chat.edit({ text: ADDRESS });
    expect(chat.last().html).toContain("I don't read what you change");
    await chat.tap(back, { message: question });
    expect(chat.toast()).toBeUndefined();
  });

  test('words below a photo, and words of another, are taken as those that are typed', async () => {
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
    'Back, %s, leads to the one before, and out of the first',
    async (how) => {
      const chat = await ask(way);
      await (how === 'tapped' ? chat.tap(back) : chat.write('‹ Back'));
      const before = said.length > 1 ? (await ask({ ...way, said: said.slice(0, -1) })).last().html : MENU;
      expect(chat.last().html).toContain(before);
    },
  );

  test.each(['tapped', 'in words', 'as a command'])('Cancel, %s, ends it', async (how) => {
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

  test.each(['/activate', '/withdraw'])('%s begins that flow in its place, and says so', async (other) => {
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

  test('it goes on at the same step in the language that its person’s Telegram changes to', async () => {
    const [chat, russian] = [await ask(way), await ask(way, 'ru')];
    chat.speak('ru');
    for (const one of [chat, russian]) await one.bring(picture);
    expect(chat.last()).toEqual(russian.last());
    for (const one of [chat, russian]) await one.write('назад');
    expect(chat.last()).toEqual(russian.last());
  });

  test('it is asked again in the language that is chosen meanwhile', async () => {
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

describe('a message that is changed', () => {
  /** What is done about it after these were said, the last of which it is. */
  async function changed(said: Partial<Message>[], into: Partial<Message>, asked?: string) {
    const chat = await openChat('en');
    for (const message of said) await chat.bring(message);
    if (asked) await chat.tap(asked);
    const before = chat.calls.length;
    await chat.edit(into);
    return chat.calls.slice(before).map(({ method }) => method);
  }

  test('where nothing is asked is left without a word, as is a place that is shared live', async () => {
    expect(await changed([{ text: 'hello' }], { text: ADDRESS })).toEqual([]);
    const location = { latitude: 1, longitude: 1 };
    expect(await changed([{ text: '/buy' }, { location }], { location })).toEqual([]);
  });

  test('is no key where one is awaited', async () => {
    expect(await changed([{ text: 'hello' }], { text: 'hello there' }, 'link:open')).toEqual(['sendMessage']);
  });

  test.each(['menu:open', 'link:open'])('so that it holds a key is deleted: after %s', async (asked) => {
    const into = { text: 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4' };
    expect(await changed([{ text: 'hello' }], into, asked)).toEqual(['deleteMessage', 'sendMessage']);
  });
});
