import { describe, expect } from 'vitest';
import { defineFeature } from '../../src/bot/feature.ts';
import { FEATURES } from '../../src/features/features.ts';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { answerData } from '../../src/views/callback-data.ts';
import { HELP_TOPICS } from '../../src/views/help-buttons.ts';
import { buttonWith, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { ENERGY, FILLED, USER } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, API_KEY } from '../operations/rental-stand-in.ts';
import { type Chat, openChat, testWith } from './chat.ts';
import { FLOWS, openQuestion, openStateOf, QUESTIONS } from './questions.ts';

const numbers = (chat: Chat) => chat.last().keyboard.slice(0, 2).flat();
/** Returns the ids of the deleted messages. */
const deleted = ({ calls }: Chat) =>
  calls.flatMap(({ method, payload }) => (method === 'deleteMessage' ? payload.message_id : []));
const edited = ({ calls }: Chat) =>
  calls.findLast(({ method }) => method === 'editMessageText')?.payload.message_id;

const test = testWith(() => openChat('en'));

/** The general topics and those of features. */
const TOPICS = [
  ...HELP_TOPICS.map((topic) => ({ topic, question: `help-question-${topic}` as const })),
  ...(await openChat('en')).features.flatMap(({ help = [] }) => help),
];

test('the list of commands begins its shortcuts with the one that needs no command, which works', async ({
  chat,
}) => {
  await chat.expectReply('help:commands', 'Shortcuts</b>\n<code>ADDRESS 2 transfers 24h</code>');
  await chat.expectReply(`${ADDRESS} 2 transfers 24h`, '130,000 energy · 24 h');
});

describe.each(LANGUAGES)('in %s', (language) => {
  test('Help lists its questions with numbered buttons in rows of seven', async () => {
    const chat = await openChat(language);
    await chat.write('/help');
    const { html, keyboard } = chat.last();
    expectWithinLimits(chat.last());
    for (const [at, topic] of HELP_TOPICS.entries())
      expect(html).toContain(`\n${at + 1}. ${chat.words.html(`help-question-${topic}`)}`);
    expect(keyboard.slice(0, 2).map((row) => row.map(({ text }) => text))).toEqual([
      ['1', '2', '3', '4', '5', '6', '7'],
      ['8', '9', '10', '11', '12', '13', '14'],
    ]);
    expect(numbers(chat)).toMatchObject(
      HELP_TOPICS.map((topic) => ({ callback_data: `help:topic:${topic}` })),
    );
    expect(keyboard.slice(2)).toMatchObject([
      [{ callback_data: 'help:commands' }],
      [{ url: 'https://support.example/' }],
      [{ callback_data: 'menu:open' }],
    ]);
  });

  test.each(TOPICS)(
    '$topic opens in the Help message, within the limits, and Back returns to the list',
    async ({ topic, question: key }) => {
      for (const withdrawCap of ['1000', '0']) {
        const chat = await openChat(language);
        Object.assign(chat.deps.operations.dailyCap, { trx: withdrawCap });
        await chat.write('/help');
        const [message, list] = [chat.lastMessage(), chat.last()];
        await chat.tapShown(`help:topic:${topic}`);
        expect(edited(chat)).toBe(message);
        expectWithinLimits(chat.last());
        const question = chat.words.html(key);
        expect(chat.html().startsWith(`<b>${question}</b>\n\n`)).toBe(true);
        expect(chat.html()).not.toMatch(/\{|\}|help-|NaN|undefined/);
        const starts = topic === 'withdrawal' ? ['withdraw:open'] : [];
        expect(chat.data()).toEqual([...starts, '', 'help:open', 'menu:open']);
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

test('tells a guest when something is bought, and shows no questions about what needs an account', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.write('/help');
  chat.shows('until you pay the invoice', '9. Result unknown');
  expect(chat.html()).not.toMatch(/Smart Mode|withdrawals|top up/);
  await chat.tap('help:topic:duration');
  expect(chat.html()).not.toMatch(/Smart Mode|reminder/);
  await chat.expectReply('/balance', chat.words.html('account-needed'));
});

test.for([
  ...[
    'how do I withdraw my money?',
    'how to withdraw',
    'How do I withdraw?',
    'how long does a withdrawal take?',
  ],
  ...['can I withdraw USDT?', 'можно вывести USDT?'],
  ...['what is the withdrawal fee', 'withdrawal fee', 'is 2fa needed?', 'как вывести деньги?'],
  ...['сколько идёт вывод?', 'комиссия за вывод', 'нужна ли 2FA?'],
])('%s explains withdrawals, also to a guest and beside an open card', async (text, { chat }) => {
  await chat.expectReply(text, 'How do withdrawals work?', '/withdraw');
  expect(chat.data()).toContain('withdraw:open');
  await chat.write(`/buy ${ADDRESS} 65000 1h`);
  await chat.write(text);
  expect(chat.allHtml().split('How do withdrawals work?')).toHaveLength(3);
  const guest = await openChat('en', { linked: false });
  await guest.expectReply(text, 'How do withdrawals work?', 'linked account');
  expect(guest.data()).toContain('link:open');
});

test.for(['I sent it to the wrong address', 'отправил не на тот адрес'])(
  '“%s” says that a withdrawal cannot be undone',
  async (text, { chat }) => chat.expectReply(text, "A withdrawal can't be undone", 'Wrong address?'),
);

test.for([
  ...['withdrawal', 'вывод', 'send 50 trx', 'Отправить 50 TRX', 'withdraw my money'],
  ...[`50 trx to ${ADDRESS}`],
])('%s begins a withdrawal', async (text, { chat }) => {
  chat.setProfile('1000.00', { codes: true });
  await chat.write(text);
  expect(chat.html()).toContain('<b>📤</b>');
});

test.for([
  ['en', 'My transfer failed'],
  ['en', 'my transaction failed!'],
  ['ru', 'мой перевод не прошёл'],
] as const)('in %s, explains after %j why a transfer burns TRX', async ([language, text]) => {
  const chat = await openChat(language);
  await chat.expectReply(text, chat.words.html('help-question-burned'));
});

test('offers no support contact without a support URL', async () => {
  const chat = await openChat('en', { supportUrl: undefined });
  await chat.write('/help');
  expect(chat.last().keyboard.slice(2)).toHaveLength(2);
});

test('answers contain the configured limits and no prices', async ({ chat }) => {
  const { trx } = chat.deps.operations.dailyCap;
  await chat.expectReply('help:topic:withdrawal', `${trx} TRX daily limit`);
  Object.assign(chat.deps.operations.dailyCap, { trx: '0' });
  await chat.expectReply('help:topic:withdrawal', 'withdrawals are off');
  await chat.tap('help:topic:energy');
  expect(chat.html()).toMatch(/<b>65,000<\/b>[\s\S]*<b>131,000<\/b>[\s\S]*\/prices/);
});

test('a Help topic beside Back and Cancel opens below its question, and Back repeats the question in its place', async () => {
  for (const target of QUESTIONS) {
    const chat = await openQuestion(target);
    const [question, asked] = [chat.lastMessage(), chat.last()];
    const [back, cancel, ...topics] = asked.keyboard.at(-1) ?? [];
    expect(back).toMatchObject({ callback_data: answerData('back') });
    expect(cancel).toMatchObject({ callback_data: answerData('cancel') });
    const { step = '' } = await openStateOf(chat);
    const topic = FLOWS.find(({ name }) => name === target.flow)?.flow.questions[step]?.help;
    const data = `help:at-question:${topic}`;
    expect(topics).toEqual(topic ? [{ text: '?', callback_data: data }] : []);
    if (topic === undefined) continue;
    await chat.tap(data, { message: question, carried: true });
    const help = chat.lastMessage();
    expect(help).toBeGreaterThan(question);
    expect(chat.data(), `${target.flow}: no feature has the help topic ${topic}`).toEqual([
      'help:return',
      '',
    ]);
    expectWithinLimits(chat.last());
    expect(deleted(chat)).not.toContain(question);

    await chat.tap('help:return', { message: help, carried: true });
    expect(edited(chat)).toBe(help);
    expect(chat.last()).toEqual(asked);
    expect(deleted(chat)).toContain(question);
    await chat.tap(answerData('back'), { message: question });
    expect(chat.toast()).toBe(chat.words.plain('toast-question-over'));
    await chat.tap(answerData('cancel'), { message: help, carried: true });
    expect(chat.html()).toContain('<b>Cancelled.</b> Nothing was charged.');
  }
});

test('topics of features follow the general ones, 15 to a page', async () => {
  const many = defineFeature(() => ({
    name: 'many',
    help: Array.from({ length: 22 }, (_, at) => ({
      topic: `topic-${at}`,
      question: 'help-question-key' as const,
      answer: 'help-answer-deposit' as const,
    })),
  }));
  const chat = await openChat('en', { definitions: [...FEATURES, many] });
  const pages = [];
  await chat.write('/help');
  for (;;) {
    expectWithinLimits(chat.last());
    pages.push(chat.labels().filter((label) => /^\d+$/.test(label)));
    const next = chat.dataWith('help:page');
    if (next === '') break;
    await chat.tapShown(next);
  }
  expect(pages.map((page) => [page[0], page.at(-1)])).toEqual([
    ['1', '15'],
    ['16', '30'],
    ['31', '36'],
  ]);
  chat.shows(`36. ${chat.words.html('help-question-key')}`);
  await chat.tapShown('help:topic:topic-21');
  chat.shows(chat.words.html('help-question-key'), chat.words.html('help-answer-deposit'));
  await chat.tapShown('help:open');
  chat.shows(`1. ${chat.words.html('help-question-energy')}`);
});

test('typed text and old buttons still answer the question while Help is open', async () => {
  const chat = await openQuestion({ inputs: ['/bandwidth'] });
  await chat.tapShown('help:at-question:bandwidth');
  const help = chat.lastMessage();
  await chat.expectReply(ADDRESS, 'How much');
  const amount = chat.lastMessage();
  await chat.tap('help:at-question:bandwidth', { message: amount, carried: true });
  await chat.tap(answerData('350'), { message: amount, carried: true });
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
  await chat.write('qwerty');
  expect(buttonWith(chat.last(), 'help:at-question:energy')).toBeDefined();
});

test('Back to a closed question shows Help and leaves a card unchanged', async ({ chat }) => {
  for (const text of ['/bandwidth', ADDRESS, '350']) await chat.write(text);
  await chat.tapShown('help:at-question:duration');
  const help = chat.lastMessage();
  await chat.write('1 hour');
  const card = chat.last();
  expect(card.html).toContain('Review and confirm');
  await chat.tap('help:return', { message: help, carried: true });
  expect(edited(chat)).toBe(help);
  expect(chat.html()).toContain(chat.words.html('help-questions'));
  await chat.write('hm');
  expect(chat.views().at(-1)?.html).toContain(chat.words.html('operation-decide', { takes: 'none' }));
  expect(chat.views().at(-1)?.keyboard).toEqual(card.keyboard);
});

test('Help from the menu keeps the open question', async () => {
  const chat = await openQuestion({ inputs: ['/bandwidth'] });
  await chat.tap('help:open', { message: 900, carried: true });
  await chat.expectReply(ADDRESS, 'How much');
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
    expect(buttonWith(chat.last(), 'help:at-question:key')).toBeDefined();
    await chat.tap('help:at-question:key', { message: question, carried: true });
    expect(chat.lastMessage()).toBeGreaterThan(question);
    expect(chat.html()).toContain(chat.words.html('help-question-key'));
    await chat.write(API_KEY);
    expect(chat.payloads('deleteMessage')).not.toEqual([]);
    expect(chat.html()).toContain('Account linked');
    expect(await chat.links.find(USER)).toBeDefined();
  });

  test('is repeated in place of Help, and the earlier one is deleted', async () => {
    const { chat, question, view } = await asked();
    await chat.tap('help:at-question:key', { message: question, carried: true });
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
  await chat.tapShown('+help:topic:unknown');
  const help = chat.lastMessage();
  expect(chat.calls.at(-2)?.method).toBe('sendMessage');
  expect(chat.html()).toContain("Don't repeat it");
  expect(chat.data()).toEqual(['', 'help:open', 'menu:open']);
  await chat.tap('help:open', { message: help, carried: true });
  expect(edited(chat)).toBe(help);
  expect((await chat.deps.operations.drafts.find(lost))?.state).toBe('unknown');
});

test('lists exactly the commands that do nothing without an account apart for a guest, and together for others', async ({
  chat: holder,
}) => {
  const guest = await openChat('en', { linked: false });
  await guest.input('/help', 'help:commands');
  const [usable = '', linked = ''] = guest.html().split(guest.words.html('help-commands-linked'));
  expect(linked).not.toContain('/bandwidth ADDRESS');
  const named = (part: string) => [...part.matchAll(/^\/(\w+) · /gm)].map(([, name]) => name ?? '');
  for (const name of [...named(usable), ...named(linked)]) {
    // The flood guard allows twenty messages in ten seconds.
    guest.setup.clock.now += 60_000;
    const shown = guest.views().length;
    await guest.write(`/${name}`);
    const reply = guest.views()[shown]?.html ?? '';
    expect(/You need an account|No account is linked/.test(reply), name).toBe(named(linked).includes(name));
  }
  await holder.input('/help', 'help:commands');
  expect(holder.html()).not.toContain('With a linked account');
  expect(named(holder.html()).toSorted()).toEqual([...named(usable), ...named(linked)].toSorted());
});

test.each([
  ['en', 'give me my money back', 'Not delivered'],
  ['ru', 'верните деньги', 'Не доставлено'],
] as const)(
  'answers who asks for money back with the order that failed: %s',
  async (language, words, failed) => {
    const chat = await openChat(language);
    await chat.write(words);
    chat.shows(chat.words.html('help-question-failed'));
    const { setup } = chat;
    await setup.advance(await setup.claimed({ request: ENERGY }));
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
    await chat.write(words);
    chat.shows(failed);
    expect(chat.data()).toContain('menu:balance');
  },
);
