import { expect, test } from 'vitest';
import { ADMIN_ACTIONS } from '../../src/accounts/admin-log.ts';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { openChat } from './chat.ts';

const openAs = (language: (typeof LANGUAGES)[number]) => openChat(language, { isAdmin: () => true });

test.each(LANGUAGES)('each admin action has a distinct text in %s', async (language) => {
  const { words } = await openAs(language);
  const said = ADMIN_ACTIONS.map((act) => words.html(`admin-act-${act}`));
  expect(new Set(said).size).toBe(ADMIN_ACTIONS.length);
  expect(said.join()).not.toMatch(/[{}]/);
});

test('says so when the log is empty', async () => {
  const chat = await openAs('en');
  await chat.write('/log');
  expect(chat.last().html).toContain('Nothing was done within the last 90 days.');
  expect(Object.values(buttonsOf(chat.last()))).toEqual(['menu:admin', 'menu:open']);
});

test('lists actions with admin, target and time, latest first', async () => {
  const chat = await openAs('en');
  await chat.deps.adminLog.add(504, 'person-barred', '501');
  chat.setup.clock.now += 60_000;
  await chat.deps.adminLog.add(USER, 'maintenance-on');
  await chat.write('/log');
  expect(chat.last().html.split('\n')).toEqual([
    '<b>📜 What admins did</b>, the latest first',
    '',
    `<i>1 Jun, 12:01 UTC</i> · admin <code>${USER}</code>`,
    'Turned maintenance mode on',
    '',
    '<i>1 Jun, 12:00 UTC</i> · admin <code>504</code>',
    'Shut a person out · <code>501</code>',
  ]);
});

test.each(LANGUAGES)(
  'shows ten entries per page, however long their targets are, in %s',
  async (language) => {
    const chat = await openAs(language);
    const { adminLog } = chat.deps;
    for (let count = 0; count < 25; count += 1) {
      chat.setup.clock.now += 1;
      await adminLog.add(10_000_000_000, 'operation-not-done', `${count} <b>\u202e${'🙈'.repeat(300)}`);
    }
    await chat.write('/log');
    const numbers = () =>
      [...chat.last().html.matchAll(/<code>(\d+) &#60;b&#62;/g)].map(([, number]) => Number(number));
    const tap = (way: string) =>
      chat.tap(Object.values(buttonsOf(chat.last())).find((data) => data.startsWith(way)) ?? way, {
        carried: true,
      });
    expect(numbers()).toEqual([24, 23, 22, 21, 20, 19, 18, 17, 16, 15]);
    expectWithinLimits(chat.last());
    const message = chat.lastMessage();
    // A new entry doesn't shift the pages.
    await adminLog.add(USER, 'maintenance-on');
    await tap('admin-log:older');
    expect(numbers()).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5]);
    expectWithinLimits(chat.last());
    await tap('admin-log:older');
    expect(numbers()).toEqual([4, 3, 2, 1, 0]);
    expect(Object.values(buttonsOf(chat.last())).join()).not.toContain('older');
    expect(chat.lastMessage()).toBe(message);
    await tap('admin-log:open');
    expect(numbers()).toHaveLength(9);
    await chat.tap('admin-log:older:made-up', { carried: true });
    expect(numbers()).toHaveLength(9);
  },
);
