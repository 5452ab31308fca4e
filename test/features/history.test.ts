import { expect, test } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { ACTIVATION, FILLED, USER } from '../operations/operations-setup.ts';
import { openChat } from './chat.ts';

/** Opens a chat whose user made this many purchases and then activated an address. */
async function openBuyer(purchases: number, language: 'en' | 'ru' = 'en') {
  const chat = await openChat(language);
  const { setup } = chat;
  const ids: string[] = [];
  for (let made = 0; made <= purchases; made++) {
    setup.clock.now += 1_000;
    const operation = await setup.claimed(made === purchases ? { request: ACTIVATION } : {});
    await setup.advance(operation);
    ids.unshift(operation.id);
  }
  return { ...chat, ids };
}

test.each(LANGUAGES)('the history in %s is within the limits on every page', async (language) => {
  const chat = await openBuyer(7, language);
  await chat.write('/history');
  expectWithinLimits(chat.last());
  const older = Object.values(buttonsOf(chat.last())).find((data) => data.startsWith('history:older')) ?? '';
  await chat.tap(older);
  expectWithinLimits(chat.last());
  expect(Object.values(buttonsOf(chat.last())).some((data) => data.startsWith('history:older'))).toBe(false);
  await chat.tap('history:kind:bandwidth');
  expect(chat.last().html).toContain(chat.words.html('history-none-of-kind'));
  expectWithinLimits(chat.last());
});

test('lists each operation with its state and opens its receipt with Again', async () => {
  const { write, tap, last, ids, calls } = await openBuyer(2);
  await write('/history');
  expect(last().html).toMatch(/1\. ✅ <b>Activated<\/b> · 1 Jun, 12:00 UTC\n🚀 Activation of an address/);
  expect(last().html).toMatch(
    /2\. ✅ <b>Bought<\/b> · 1 Jun, 12:00 UTC\n⚡ 65,000 energy · 1 hour\nTR7NHq…gjLj6t · 2\.32 TRX/,
  );
  await tap(`history:receipt:${ids[1]}`);
  expect(last().html).toContain(`Operation ${ids[1]}`);
  expect(Object.values(buttonsOf(last()))).toEqual([`operation:again:${ids[1]}`, `operation:menu:${ids[1]}`]);
  // The message is a reply to the original receipt.
  expect(calls.findLast(({ method }) => method === 'sendMessage')?.payload).toMatchObject({
    reply_parameters: { message_id: expect.any(Number) },
  });
});

test('can be filtered by kind, and marks the current filter', async () => {
  const { tap, last, ids } = await openBuyer(2);
  await tap('history:kind:activation');
  expect(Object.values(buttonsOf(last())).filter((data) => data.startsWith('history:receipt'))).toEqual([
    `history:receipt:${ids[0]}`,
  ]);
  expect(Object.keys(buttonsOf(last()))).toContain('• 🚀 Activation');
});

test('does not open the receipt of another user or an unknown one', async () => {
  const chat = await openBuyer(0);
  const other = await chat.setup.claimed({ user: USER + 1 });
  const shown = chat.views().length;
  for (const id of [other.id, 'NONE0000']) {
    await chat.tap(`history:receipt:${id}`);
    expect(chat.toast()).toBe('I no longer have this operation.');
  }
  expect(chat.views()).toHaveLength(shown);
});

test('an operation that can still change is only linked to its receipt', async () => {
  const chat = await openChat('en');
  const { setup } = chat;
  setup.reported.mockResolvedValue(true);
  const pending = await setup.claimed();
  await setup.advance(pending);
  const lost = await setup.lost();
  for (const [{ id }, stands] of [
    [pending, 'Bought'],
    [lost, "The outcome isn't known yet"],
  ] as const) {
    await chat.tap(`history:receipt:${id}`);
    expect(chat.last()).toMatchObject({ keyboard: [] });
    expect(chat.last().html).toContain(`This is operation ${id}`);
    expect(chat.last().html).toContain(stands);
  }
  await setup.operations.settlement.report(1001, FILLED);
  await chat.tap(`history:receipt:${pending.id}`);
  expect(chat.last().html).toContain('It has arrived at the address');
});

test('an empty history offers no filters', async () => {
  const chat = await openChat('en');
  await chat.write('/history');
  expect(Object.values(buttonsOf(chat.last()))).toEqual(['menu:open']);
});

test('older pages keep the filter', async () => {
  const chat = await openChat('en');
  const { setup } = chat;
  for (let made = 0; made < 7; made++) {
    for (const more of [{}, { request: ACTIVATION }]) {
      setup.clock.now += 1_000;
      await setup.advance(await setup.claimed(more));
    }
  }
  await chat.tap('history:kind:energy');
  const older = Object.values(buttonsOf(chat.last())).find((data) => data.startsWith('history:older')) ?? '';
  await chat.tap(older);
  expect(chat.last().html.match(/65,000 energy/g)).toHaveLength(2);
  expect(chat.last().html).not.toContain('Activation of an address');
});

test('older pages reach an operation behind many of another kind', async () => {
  const chat = await openChat('en');
  const { setup } = chat;
  await setup.advance(await setup.claimed({ request: ACTIVATION }));
  for (let made = 0; made < 210; made++) {
    setup.clock.now += 1_000;
    await setup.advance(await setup.claimed());
  }
  await chat.tap('history:kind:activation');
  expect(chat.last().html).toContain('None of these among the latest');
  const older = Object.values(buttonsOf(chat.last())).find((data) => data.startsWith('history:older')) ?? '';
  await chat.tap(older);
  expect(chat.last().html).toContain('Activation of an address');
});
