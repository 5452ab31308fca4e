import type { Message } from 'grammy/types';
import { describe, expect, test } from 'vitest';
import { commandsOf } from '../../src/bot/router.ts';
import { answerData, readAnswer } from '../../src/views/callback-data.ts';
import type { View } from '../../src/views/view.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { TEXTS } from '../support/texts.ts';
import { openChat } from './chat.ts';
import { FLOWS, NAMED_QUESTIONS, openQuestion, openStateOf, QUESTIONS } from './questions.ts';

const words = TEXTS.in('en');
const [back, cancel] = [answerData('back'), answerData('cancel')];
/** Returns the text at the end of a flow: an admin's decision about an operation charges nothing anyway. */
const stoppedText = ({ flow }: { flow: string }) =>
  `✖️ <b>Cancelled.</b> Nothing was ${flow === 'unresolved' ? 'decided' : 'charged'}.`;
const MENU = 'Energy and bandwidth on TRON';

const file = { file_id: 'a', file_unique_id: 'a', width: 90, height: 90 };
const picture: Partial<Message> = { photo: [file] };
const sticker: Partial<Message> = {
  sticker: { ...file, type: 'regular', is_animated: false, is_video: false, emoji: '👍' },
};
/** Returns the view without the ids of operations, which differ in each chat. */
const withoutIds = (view: View): unknown =>
  JSON.parse(JSON.stringify(view).replace(/(?<![\da-zA-Z])[\dA-Z]{8}(?![\da-zA-Z])/g, 'ID'));
const another = { type: 'hidden_user', sender_user_name: 'Somebody', date: 0 } as const;

test('every flow has a way to each of its questions', async () => {
  const reached = new Set<string>();
  for (const target of QUESTIONS) {
    const { step } = await openStateOf(await openQuestion(target));
    reached.add(`${target.flow}: ${step}`);
  }
  const missing = FLOWS.flatMap(({ name, flow }) =>
    Object.keys(flow.questions).map((step) => `${name}: ${step}`),
  );
  expect(
    missing.filter((question) => !reached.has(question)),
    'add an example to `examples` of the flow, or a row to LISTED in test/features/questions.ts',
  ).toEqual([]);
});

describe.each(NAMED_QUESTIONS)('at the question after %s', (_, target) => {
  const { inputs, expected } = target;
  // Subscription names, payer notes and broadcast messages accept any text.
  const acceptsAnyText = target.invalid === undefined && /^Send (a name of up|up to)/.test(expected);
  const odd: [string, Partial<Message>, string][] = [
    ['a sticker', sticker, target.acceptsMessages ? expected : words.html('talk-emoji')],
    ['a forwarded photo', { ...picture, forward_origin: another }, words.html('talk-picture')],
    ['an unknown text', { text: target.invalid ?? '§' }, expected],
  ];

  test.each(odd.slice(0, target.acceptsMessages ? 1 : acceptsAnyText ? 2 : undefined))(
    '%s gets a reply, and the question stays open',
    async (_, message, reply) => {
      const chat = await openQuestion(target);
      const [question, buttons] = [chat.lastMessage(), chat.buttons()];
      await chat.bring(message);
      expect(chat.html()).toContain(reply);
      expect(chat.lastMessage()).toBeGreaterThan(question);
      expect(chat.buttons()).toEqual(buttons);
      await chat.tap(back);
      expect(chat.toast()).toBeUndefined();
    },
  );

  test('an edited message is not an answer, and the question stays open', async () => {
    const chat = await openQuestion(target);
    await chat.write(target.invalid ?? 'qwerty');
    // *Back* returns to the question.
    if (target.acceptsMessages || acceptsAnyText) await chat.write('back');
    const question = chat.lastMessage();
    await chat.edit({ text: ADDRESS });
    expect(chat.html()).toContain("I don't read edits");
    await chat.tap(back, { message: question });
    expect(chat.toast()).toBeUndefined();
  });

  test('captions and forwarded texts count as typed answers', async () => {
    const typed = await openQuestion(target);
    await typed.write('qwerty');
    for (const message of [
      { ...picture, caption: 'qwerty' },
      { text: 'qwerty', forward_origin: another },
    ]) {
      const chat = await openQuestion(target);
      await chat.bring(message);
      expect(withoutIds(chat.last())).toEqual(withoutIds(typed.last()));
    }
  });

  test('Back leads to the previous question, or out of the flow', async () => {
    const chat = await openQuestion(target);
    await chat.tap(back);
    if (inputs.length === 1) return expect(chat.html()).toContain(MENU);
    const before = await openQuestion({ ...target, inputs: inputs.slice(0, -1) });
    const [shown, expected] = [chat, before].map(({ last }) => withoutIds({ ...last(), keyboard: [] }));
    expect((shown as View).html).toContain((expected as View).html);
  });

  // All questions of a flow read words and commands in the same way, so the first one is enough.
  test.each(['tapped', 'in words', 'as a command'].slice(0, inputs.length > 1 ? 1 : undefined))(
    'Cancel, %s, ends the flow',
    async (how) => {
      const chat = await openQuestion(target);
      const question = chat.lastMessage();
      if (how === 'tapped') await chat.tap(cancel);
      else await chat.write(how === 'in words' ? 'cancel' : '/cancel');
      expect(chat.html()).toContain(stoppedText(target));
      await chat.tap(back, { message: question });
      expect(chat.toast()).toBe(chat.words.plain('toast-question-over'));
      await chat.expectReply('qwerty', "I didn't understand that");
    },
  );

  test("another flow's command starts that flow instead, and says so", async () => {
    const other = target.flow === 'withdraw' ? '/activate' : '/withdraw';
    const chat = await openQuestion(target);
    const question = chat.lastMessage();
    await chat.write(other);
    const begun = (await openQuestion({ ...target, inputs: [other] })).last().html;
    expect(chat.html()).toBe(`${chat.words.html('flow-left')}\n\n${begun}`);
    await chat.tap(cancel, { message: question });
    expect(chat.toast()).toBe(chat.words.plain('toast-question-over'));
    await chat.tap(back);
    expect(chat.html()).toContain(MENU);
  });

  test.each([
    ['that only shows something', '/prices', 'prices-card'],
    ['that is unknown', '/foobar 7', 'problem-command'],
  ] as const)('a command %s returns to the question', async (_, command, reply) => {
    const chat = await openQuestion(target);
    const [asked, message] = [chat.last(), chat.lastMessage()];
    await chat.write(command);
    expect(chat.views().at(-2)?.html).toContain(chat.words.html(reply, { command: '/foobar' }));
    expect(withoutIds({ ...chat.last(), html: '' })).toEqual(withoutIds({ ...asked, html: '' }));
    expect(chat.lastMessage()).toBeGreaterThan(message);
    await chat.tap(back);
    expect(chat.toast()).toBeUndefined();
  });

  test('is within the limits, and continues when the Telegram language of the user changes', async () => {
    const [chat, russian] = [await openQuestion(target), await openQuestion(target, 'ru')];
    chat.speak('ru');
    for (const one of [chat, russian]) {
      expectWithinLimits(one.last());
      await one.bring(picture);
      expectWithinLimits(one.last());
    }
    expect(withoutIds(chat.last())).toEqual(withoutIds(russian.last()));
    for (const one of [chat, russian]) await one.write('назад');
    expect(withoutIds(chat.last())).toEqual(withoutIds(russian.last()));
  });

  test('repeats the question in the language chosen in the settings', async () => {
    const [chat, russian] = [await openQuestion(target), await openQuestion(target, 'ru')];
    const question = chat.lastMessage();
    await chat.tap('settings:language:ru', { message: question - 1, carried: true });
    expect(withoutIds(chat.last())).toEqual(withoutIds(russian.last()));
    await chat.tap(back, { message: question });
    expect(chat.toast()).toBe(russian.words.plain('toast-question-over'));
    for (const one of [chat, russian]) await one.write('назад');
    expect(withoutIds(chat.last())).toEqual(withoutIds(russian.last()));
  });
});

describe('an edited message', () => {
  /** Sends these messages, edits the last one, and returns the API methods called for the edit. */
  async function changed(messages: Partial<Message>[], into: Partial<Message>, openedBy?: string) {
    const chat = await openChat('en');
    for (const message of messages) await chat.bring(message);
    if (openedBy) await chat.tap(openedBy);
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

  test.each([
    ['menu:open', []],
    ['link:open', ['sendMessage', 'deleteMessage']],
  ])(
    'is deleted if it contains an API key, and an open question is repeated, after %s',
    async (openedBy, repeated) => {
      const into = { text: 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4' };
      const methods = await changed([{ text: 'hello' }], into, openedBy);
      expect(methods).toEqual(['deleteMessage', 'sendMessage', ...repeated]);
    },
  );
});

test.each(NAMED_QUESTIONS)('every button of a question can be tapped or typed: %s', async (_, target) => {
  const question = (await openQuestion(target)).last();
  const answers = Object.entries(buttonsOf(question)).filter(
    ([, data]) => readAnswer(data) !== undefined && data !== target.tapOnly,
  );
  expect(answers.length).toBeGreaterThanOrEqual(2);
  for (const [label, data] of answers) {
    const tapped = await openQuestion(target);
    await tapped.tap(data);
    expect(tapped.toast()).not.toBe(tapped.words.plain('toast-question-over'));
    const written = await openQuestion(target);
    await written.write(label);
    expect(withoutIds(written.last())).toEqual(withoutIds(tapped.last()));
  }
});

test.each([
  ['in the previous layout', { version: [0, 2], state: { 'energy@2': [{ interrupts: [3] }] } }],
  ['at a removed step', { version: [0, 3], flow: 'energy@2', state: { step: 'colour' } }],
  ['of a removed flow version', { version: [0, 3], flow: 'energy@1', state: { step: 'address' } }],
])('a question %s is closed and taps get a toast', async (_, stored) => {
  const chat = await openQuestion({ inputs: ['/buy'] });
  const leave = async (update: number) => {
    const about = { chat: USER, update, token: `token ${update}` };
    await chat.setup.storage.chats.begin({ ...about, leaseMs: 1_000 });
    const changes = { conversation: JSON.stringify(stored) };
    expect(await chat.setup.storage.chats.commit({ ...about, changes })).toBe('committed');
  };
  await leave(9_000);
  await chat.tap(answerData(ADDRESS));
  expect(chat.toast()).toBe(chat.words.plain('toast-question-over'));
  await leave(9_001);
  await chat.expectReply('qwerty', chat.words.html('menu-idle'));
});

describe('beside an open purchase', () => {
  const QUESTION = 'Which address will <i>send</i> USDT? Paste it.';

  test('each command either returns to its question or says that it was closed', async () => {
    const { features, words } = await openChat('en');
    const commands = features
      .filter(({ menu = [] }) => [menu].flat().every(({ for: audience }) => audience !== 'admin'))
      .flatMap((feature) => commandsOf(feature).map(({ name }) => name));
    const silent: string[] = [];
    for (const command of commands) {
      const chat = await openChat('en');
      await chat.expectReply('/buy', QUESTION);
      const shown = chat.views().length;
      await chat.write(`/${command}`);
      const [html = ''] = chat
        .views()
        .slice(shown)
        .map((view) => view.html);
      const isClosed = html.includes(words.html('flow-left'));
      if (isClosed === chat.html().includes(QUESTION) && command !== 'buy' && command !== 'energy')
        silent.push(command);
    }
    expect(silent).toEqual([]);
  });

  test('a button that only shows something leaves the question open', async () => {
    const chat = await openChat('en');
    await chat.expectReply('/prices', chat.words.html('prices-card'));
    const prices = chat.lastMessage();
    await chat.expectReply('/buy', QUESTION);
    await chat.tap('menu:balance', { message: prices, carried: true });
    await chat.write(ADDRESS);
    chat.shows('Review and confirm');
  });

  test('a command that only shows something sends an open card again, which can be confirmed', async () => {
    const chat = await openChat('en');
    await chat.write(`/buy ${ADDRESS}`);
    const [card, first] = [chat.last(), chat.lastMessage()];
    await chat.write('/history');
    expect(chat.views().at(-2)?.html).toContain(chat.words.html('history-title'));
    expect(chat.views().at(-1)).toEqual(card);
    expect(chat.payloads('deleteMessage').at(-1)).toMatchObject({ message_id: first });
    const confirm =
      Object.values(buttonsOf(card)).find((data) => data.startsWith('operation:confirm:')) ?? '';
    await chat.tap(confirm, { carried: true });
    const id = confirm.split(':').at(-1) ?? '';
    expect(await chat.deps.operations.drafts.find({ user: USER, id })).toMatchObject({ state: 'claimed' });
  });
});
