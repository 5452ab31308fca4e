import { expect, test } from 'vitest';
import { answerData, readAnswer } from '../../src/i18n/view.ts';
import { buttonsOf } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { ask, NAMED } from './ways.ts';

test.each(NAMED)('every button of a question can be tapped or typed: %s', async (_, way) => {
  const question = (await ask(way)).last();
  const answers = Object.entries(buttonsOf(question)).filter(
    ([, data]) => readAnswer(data) !== undefined && data !== way.byTap,
  );
  expect(answers.length).toBeGreaterThanOrEqual(2);
  for (const [label, data] of answers) {
    const tapped = await ask(way);
    await tapped.tap(data);
    expect(tapped.toast()).not.toBe(tapped.words.plain('toast-question-over'));
    const written = await ask(way);
    await written.write(label);
    expect(written.last()).toEqual(tapped.last());
  }
});

test.each([
  ['in the previous layout', { version: [0, 2], state: { 'energy@1': [{ interrupts: [3] }] } }],
  ['at a removed step', { version: [0, 3], flow: 'energy@1', state: { step: 'colour' } }],
  ['of a removed flow version', { version: [0, 3], flow: 'energy@0', state: { step: 'address' } }],
])('a question %s is closed and taps get a toast', async (_, stored) => {
  const chat = await ask({ said: ['/buy'] });
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
  await chat.write('hello');
  expect(chat.last().html).toContain(chat.words.html('menu-idle'));
});
