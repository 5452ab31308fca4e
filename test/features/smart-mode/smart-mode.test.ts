import { expect } from 'vitest';
import { LANGUAGES } from '../../../src/i18n/texts.ts';
import { toPrintable } from '../../../src/rental-api/schemas.ts';
import { buttonsOf, expectWithinLimits } from '../../i18n/telegram-limits.ts';
import { USER } from '../../operations/operations-setup.ts';
import { ADDRESS, accepted, OFFLINE, subscription } from '../../operations/rental-stand-in.ts';
import { openChat, testWith } from '../chat.ts';

const dataOf = (view: Parameters<typeof buttonsOf>[0]) => Object.values(buttonsOf(view));

const test = testWith(() => openChat('en'));

test('lists each subscription with its status and available actions', async ({ chat }) => {
  const paused = subscription({ id: 13, status: 'paused', label: null, bw_guarantee: false });
  const strange = subscription({ id: 14, status: 'resting' });
  chat.setup.rental.subscriptions.mockResolvedValue(accepted([subscription(), paused, strange]));
  await chat.write('/smart');
  expect(chat.html()).toContain(
    `1. ▶️ <b>active</b> · with bandwidth\n<code>Shop</code>\n<code>${ADDRESS}</code>`,
  );
  chat.shows('2. ⏸ <b>paused, probably by the service:</b> was the balance too low? · energy only');
  chat.shows(`<code>${ADDRESS}</code>`, '3. <code>resting</code>');
  expect(dataOf(chat.last())).toEqual([
    ...['smart-mode:pause:12', 'smart-mode:end:12'],
    ...['smart-mode:resume:13', 'smart-mode:end:13'],
    ...['smart-mode:end:14', 'smart-mode:start', 'menu:open'],
  ]);
});

test.each(LANGUAGES)(
  'stays within the limits in %s with the longest texts, and escapes them',
  async (language) => {
    const chat = await openChat(language);
    const label = '<b>&'.repeat(16);
    chat.setup.rental.subscriptions.mockResolvedValue(
      accepted(
        Array.from({ length: 60 }, (_, at) => subscription({ id: at, label, status: '<i>&'.repeat(16) })),
      ),
    );
    await chat.write('/smart');
    expectWithinLimits(chat.last());
    expect(chat.html()).not.toMatch(/<[bi]>&[^#]/);
    await chat.tap('smart-mode:end:7');
    expectWithinLimits(chat.last());
    expect(chat.html()).not.toMatch(/<[bi]>&[^#]/);
  },
);

test.each(['hi', 'is it expensive?'])('“%s” does not become the name of an address', async (text) => {
  const chat = await openChat('en');
  await chat.tap('smart-mode:start');
  await chat.write(ADDRESS);
  await chat.write(text);
  chat.shows('2/3');
  await chat.expectReply('Cold wallet', '3/3');
});

test('shows the card of a deactivation at once', async ({ chat }) => {
  chat.setup.rental.subscriptions.mockResolvedValue(accepted([subscription()]));
  await chat.expectReply('smart-mode:end:12', '⏹ End Smart Mode · <code>Shop', 'It ends for good');
  chat.shows(`For: <code>${ADDRESS}</code>`);
  expect(chat.html()).not.toMatch(/Price|To:/);
  expect(chat.dataWith('confirm')).toContain('operation:confirm:');
});

test('an unknown subscription opens no card', async ({ chat }) => {
  chat.setup.rental.subscriptions.mockResolvedValue(accepted([subscription()]));
  for (const id of ['13', '0', '12x']) {
    for (const action of ['pause', 'end']) {
      await chat.tapShown(`smart-mode:${action}:${id}`);
      expect(chat.toast()).toBe('It has ended, or belongs to another account.');
      expect(chat.html()).not.toContain('Review and confirm');
    }
  }
});

test('explains a list that cannot be read, also for an action', async ({ chat }) => {
  chat.setup.rental.subscriptions.mockResolvedValue(OFFLINE);
  for (const data of ['smart-mode:open', 'smart-mode:pause:12']) {
    await chat.tap(data);
    expect(dataOf(chat.last())).toEqual(['smart-mode:open', 'menu:open']);
  }
});

test('a card whose label contains HTML can be confirmed', async ({ chat }) => {
  chat.setup.rental.subscriptions.mockResolvedValue(
    accepted([subscription({ label: '<b>Shop</b> & "Co" 24/7' })]),
  );
  await chat.tap('smart-mode:end:12');
  const confirm = dataOf(chat.last()).find((data) => data.includes('confirm')) ?? '';
  await chat.tapShown(confirm);
  expect(chat.toast()).toBeUndefined();
  const id = confirm.split(':').at(-1) ?? '';
  expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'claimed' });
});

test('escapes 60 random labels and shows them unchanged', async () => {
  const signs = [
    '<',
    '>',
    '&',
    '"',
    "'",
    '<b>',
    '</code>',
    '&lt;',
    '\u202e',
    '\u200d',
    '\u0000',
    '\n',
    '@a',
    't.me/x',
    '/buy',
    'ß',
    '語',
    '👩‍🍳',
  ];
  let seed = 20261122;
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  let chat = await openChat('en');
  const tags = /<\/?(b|i|code|tg-time)( [^>]*)?>/g;
  for (let times = 0; times < 60; times++) {
    // A new chat, because too many updates in one hit the flood limit.
    if (times % 20 === 0) chat = await openChat('en');
    const named = Array.from({ length: 1 + next(12) }, () => signs[next(signs.length)]).join('');
    // The rental client cleans texts of the service in the same way.
    const label = toPrintable(named, 64);
    chat.setup.rental.subscriptions.mockResolvedValue(accepted([subscription({ label })]));
    await chat.tap('smart-mode:end:12');
    const html = chat.html();
    expect(html.replace(tags, '')).not.toMatch(/[<>]/);
    for (const hidden of ['\u202e', '\u0000']) expect(html).not.toContain(hidden);
    const [, shown = ''] = /Smart Mode(?: · <code>(.*)<\/code>)?$/m.exec(html) ?? [];
    expect(shown.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))).toBe(label);
    expectWithinLimits(chat.last());
  }
});
