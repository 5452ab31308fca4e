import { expect, test } from 'vitest';
import { answerData, readAnswer } from '../../../src/texts/callback-data.ts';
import { ADDRESS, profileOf } from '../../operations/rental-stand-in.ts';
import { USER } from '../../operations/room.ts';
import { buttonsOf } from '../../texts/telegram-limits.ts';
import { openChat } from './chat.ts';

const hours = answerData('24');

/** The ways to every question there is; an account that holds nothing is asked for money last. */
const QUESTIONS = [
  ['/buy'],
  ['/buy', ADDRESS],
  ['/buy', ADDRESS, answerData('several')],
  ['/buy', ADDRESS, answerData('exact')],
  ['/buy', ADDRESS, answerData('holder')],
  ['/buy', ADDRESS, answerData('holder'), hours],
  ['/bandwidth'],
  ['/bandwidth', ADDRESS],
  ['/bandwidth', ADDRESS, answerData('350')],
  ['/bandwidth', ADDRESS, answerData('350'), hours],
  ['/activate'],
  ['/activate', ADDRESS],
];

async function ask(way: string[]) {
  const chat = await openChat('en');
  chat.room.rental.profile.mockResolvedValue(profileOf('0.01'));
  await chat.deps.addressBook.remember(USER, ADDRESS, []);
  for (const said of way) await (readAnswer(said) === undefined ? chat.write(said) : chat.tap(said));
  return chat;
}

test.each(QUESTIONS.map((way) => [way]))(
  'every button of a question is an answer to it, tapped or by its name: %j',
  async (way) => {
    const question = (await ask(way)).last();
    const answers = Object.entries(buttonsOf(question)).filter(([, data]) => readAnswer(data) !== undefined);
    expect(answers.length).toBeGreaterThanOrEqual(2);
    for (const [label, data] of answers) {
      const tapped = await ask(way);
      await tapped.tap(data);
      expect(tapped.toast()).not.toBe(tapped.words.plain('toast-question-over'));
      const written = await ask(way);
      await written.write(label);
      expect(written.last()).toEqual(tapped.last());
    }
  },
);

test.each([
  ['of the layout before', { version: [0, 2], state: { 'energy@1': [{ interrupts: [3] }] } }],
  ['at a step that is no more', { version: [0, 3], flow: 'energy@1', state: { step: 'colour' } }],
  ['of a flow that is no more', { version: [0, 3], flow: 'energy@0', state: { step: 'address' } }],
])('a question %s is over, which is said in a word', async (_, stored) => {
  const chat = await ask(['/buy']);
  const leave = async (update: number) => {
    const about = { chat: USER, update, token: `token ${update}` };
    await chat.room.storage.chats.begin({ ...about, leaseMs: 1_000 });
    const changes = { conversation: JSON.stringify(stored) };
    expect(await chat.room.storage.chats.commit({ ...about, changes })).toBe('committed');
  };
  await leave(9_000);
  await chat.tap(answerData(ADDRESS));
  expect(chat.toast()).toBe(chat.words.plain('toast-question-over'));
  await leave(9_001);
  await chat.write(ADDRESS);
  expect(chat.last().html).toContain(chat.words.html('menu-idle'));
});
