import { describe, expect } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { answerData } from '../../src/views/callback-data.ts';
import { HELP_TOPICS, type HelpTopic } from '../../src/views/help-buttons.ts';
import { buttonsOf, buttonWith, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS, API_KEY } from '../operations/rental-stand-in.ts';
import { type Chat, openChat, testWith } from './chat.ts';
import { openQuestion, QUESTIONS } from './questions.ts';

const numbers = (chat: Chat) => chat.last().keyboard.slice(0, 2).flat();
/** Returns the ids of the deleted messages. */
const deleted = ({ calls }: Chat) =>
  calls.flatMap(({ method, payload }) => (method === 'deleteMessage' ? payload.message_id : []));
const edited = ({ calls }: Chat) =>
  calls.findLast(({ method }) => method === 'editMessageText')?.payload.message_id;

const test = testWith(() => openChat('en'));

describe.each(LANGUAGES)('in %s', (language) => {
  test('Help lists ten questions with numbered buttons in rows of five', async () => {
    const chat = await openChat(language);
    await chat.write('/help');
    const { html, keyboard } = chat.last();
    expectWithinLimits(chat.last());
    for (const [at, topic] of HELP_TOPICS.entries())
      expect(html).toContain(`\n${at + 1}. ${chat.words.html(`help-question-${topic}`)}`);
    expect(keyboard.slice(0, 2).map((row) => row.map(({ text }) => text))).toEqual([
      ['1', '2', '3', '4', '5'],
      ['6', '7', '8', '9', '10'],
    ]);
    expect(numbers(chat)).toMatchObject(HELP_TOPICS.map((topic) => ({ callback_data: `help:${topic}` })));
    expect(keyboard.slice(2)).toMatchObject([
      [{ callback_data: 'help:commands' }],
      [{ url: 'https://support.example/' }],
      [{ callback_data: 'menu:open' }],
    ]);
  });

  test.each(HELP_TOPICS)(
    '%s opens in the Help message, within the limits, and Back returns to the list',
    async (topic) => {
      for (const withdrawCap of ['1000', '0']) {
        const chat = await openChat(language);
        Object.assign(chat.deps.operations.dailyCap, { trx: withdrawCap });
        await chat.write('/help');
        const [message, list] = [chat.lastMessage(), chat.last()];
        await chat.tapShown(`help:${topic}`);
        expect(edited(chat)).toBe(message);
        expectWithinLimits(chat.last());
        const question = chat.words.html(`help-question-${topic}`);
        expect(chat.html().startsWith(`<b>${question}</b>\n\n`)).toBe(true);
        expect(chat.html()).not.toMatch(/\{|\}|help-|NaN|undefined/);
        expect(chat.data()).toEqual(['help:open', 'menu:open']);
        await chat.tap('help:open', { message, carried: true });
        expect(edited(chat)).toBe(message);
        expect(chat.last()).toEqual(list);
      }
    },
  );

  test('lists all commands on a separate page, and Back returns to the questions', async () => {
    const chat = await openChat(language);
    await chat.write('/help');
    const list = chat.last();
    await chat.tapShown('help:commands');
    expectWithinLimits(chat.last());
    for (const command of ['/buy', '/withdraw', '/prices', '/cancel']) expect(chat.html()).toContain(command);
    await chat.tapShown('help:open');
    expect(chat.last()).toEqual(list);
  });
});

test('offers no support contact without a support URL', async () => {
  const chat = await openChat('en', { supportUrl: undefined });
  await chat.write('/help');
  expect(chat.last().keyboard.slice(2)).toHaveLength(2);
});

test('answers contain the configured limits and no prices', async ({ chat }) => {
  const { trx } = chat.deps.operations.dailyCap;
  await chat.expectReply('help:withdrawal', `${trx} TRX daily limit`);
  Object.assign(chat.deps.operations.dailyCap, { trx: '0' });
  await chat.expectReply('help:withdrawal', 'withdrawals are off');
  await chat.tap('help:amount');
  expect(chat.html()).toMatch(/<b>65,000<\/b>[\s\S]*<b>131,000<\/b>[\s\S]*\/prices/);
});

/** Help topics of the questions of each flow, in the order of `QUESTIONS`. */
const TOPICS: Record<string, HelpTopic[]> = {
  energy: ['sender', 'amount', 'amount', 'amount', 'duration'],
  bandwidth: ['sender', 'bandwidth', 'duration'],
  activation: ['activation'],
  'smart-mode': ['sender'],
  invoice: ['sender', 'amount', 'duration', 'sender'],
  withdraw: ['withdrawal', 'withdrawal', 'withdrawal'],
};

test('each question of these flows has its Help topic beside Back and Cancel', async () => {
  const found: Record<string, string[]> = {};
  for (const target of QUESTIONS) {
    const chat = await openQuestion(target);
    const row = chat.last().keyboard.at(-1) ?? [];
    expect(row.slice(0, 2)).toMatchObject([
      { callback_data: answerData('back') },
      { callback_data: answerData('cancel') },
    ]);
    for (const one of row.slice(2)) {
      expect(one.text).toBe('❓');
      const [, topic = ''] =
        /^help:([a-z]+):question$/.exec('callback_data' in one ? one.callback_data : '') ?? [];
      found[target.flow] = [...(found[target.flow] ?? []), topic];
    }
  }
  expect(found).toEqual(TOPICS);
});

describe.each(QUESTIONS.filter(({ flow }) => flow in TOPICS))('at the question after $inputs', (target) => {
  test('Help opens below the question, and Back repeats the question in place of Help', async () => {
    const chat = await openQuestion(target);
    const [question, asked] = [chat.lastMessage(), chat.last()];
    const data = Object.values(buttonsOf(asked)).find((one) => one.startsWith('help:'));
    if (data === undefined) return;
    await chat.tap(data, { message: question, carried: true });
    const help = chat.lastMessage();
    expect(help).toBeGreaterThan(question);
    expect(chat.data()).toEqual(['help:return']);
    expectWithinLimits(chat.last());
    expect(deleted(chat)).not.toContain(question);

    await chat.tap('help:return', { message: help, carried: true });
    expect(edited(chat)).toBe(help);
    expect(chat.last()).toEqual(asked);
    expect(deleted(chat)).toContain(question);
    await chat.tap(answerData('back'), { message: question });
    expect(chat.toast()).toBe(chat.words.plain('toast-question-over'));
    await chat.tap(answerData('cancel'), { message: help, carried: true });
    expect(chat.html()).toContain('Cancelled. Nothing was charged.');
  });
});

test('typed text and old buttons still answer the question while Help is open', async () => {
  const chat = await openQuestion({ inputs: ['/buy'] });
  await chat.tapShown('help:sender:question');
  const help = chat.lastMessage();
  await chat.expectReply(ADDRESS, 'How much energy?');
  const purpose = chat.lastMessage();
  await chat.tap('help:amount:question', { message: purpose, carried: true });
  await chat.tap(answerData('holder'), { message: purpose, carried: true });
  expect(chat.html()).toContain('For how long?');
  // Help opened at an earlier question returns to the current one.
  await chat.tap('help:return', { message: help, carried: true });
  expect(chat.html()).toContain('For how long?');
  expect(edited(chat)).toBe(help);
  await chat.tap(answerData('1'), { message: help, carried: true });
  expect(chat.html()).toContain('Not enough on your balance');
});

test('the reply to a wrong answer has the Help button', async () => {
  const chat = await openQuestion({ inputs: ['/buy'] });
  await chat.write('what?');
  expect(buttonWith(chat.last(), 'help:sender:question')).toBeDefined();
});

test('Back to a closed question shows Help and leaves a card unchanged', async ({ chat }) => {
  for (const text of ['/buy', ADDRESS, '65000']) await chat.write(text);
  await chat.tapShown('help:duration:question');
  const help = chat.lastMessage();
  await chat.write('1 hour');
  const card = chat.last();
  expect(card.html).toContain('Review and confirm');
  await chat.tap('help:return', { message: help, carried: true });
  expect(edited(chat)).toBe(help);
  expect(chat.html()).toContain(chat.words.html('help-questions'));
  await chat.write('hm');
  expect(chat.views().at(-2)?.html).toContain(chat.words.html('operation-decide'));
  expect(chat.views().at(-2)?.keyboard).toEqual(card.keyboard);
});

test('Help from the menu keeps the open question, while /help closes it', async () => {
  const chat = await openQuestion({ inputs: ['/buy'] });
  await chat.tap('help:open', { message: 900, carried: true });
  await chat.expectReply(ADDRESS, 'How much energy?');
  await chat.expectReply('/help', chat.words.html('help-questions'));
  await chat.expectReply('65000', "I didn't understand that");
});

describe('the question for the API key', () => {
  async function asked() {
    const chat = await openChat('en', { linked: false });
    chat.setProfile('12.00');
    await chat.tap('link:open');
    return { chat, question: chat.lastMessage(), view: chat.last() };
  }

  test('still accepts the key after Help was opened', async () => {
    const { chat, question } = await asked();
    expect(buttonWith(chat.last(), 'help:key:question')).toBeDefined();
    await chat.tap('help:key:question', { message: question, carried: true });
    expect(chat.lastMessage()).toBeGreaterThan(question);
    expect(chat.html()).toContain(chat.words.html('help-question-key'));
    await chat.write(API_KEY);
    expect(chat.payloads('deleteMessage')).not.toEqual([]);
    expect(chat.html()).toContain('Account linked');
    expect(await chat.links.find(USER)).toBeDefined();
  });

  test('is repeated in place of Help, and the earlier one is deleted', async () => {
    const { chat, question, view } = await asked();
    await chat.tap('help:key:question', { message: question, carried: true });
    const help = chat.lastMessage();
    await chat.tap('help:return', { message: help, carried: true });
    expect(edited(chat)).toBe(help);
    expect(chat.last()).toEqual(view);
    expect(deleted(chat)).toEqual([question]);
    await chat.expectReply(API_KEY, 'Account linked');
    expect(deleted(chat)).toContain(help);
  });
});

test('Help about an uncertain operation opens below its card and is edited there', async ({ chat }) => {
  const lost = await chat.setup.lost();
  await chat.tapShown('+help:unknown');
  const help = chat.lastMessage();
  expect(chat.calls.at(-2)?.method).toBe('sendMessage');
  expect(chat.html()).toContain("Don't repeat it");
  expect(chat.data()).toEqual(['help:open', 'menu:open']);
  await chat.tap('help:open', { message: help, carried: true });
  expect(edited(chat)).toBe(help);
  expect((await chat.deps.operations.drafts.find(lost))?.state).toBe('unknown');
});
