import { expect, test } from 'vitest';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { answerData, callbackData } from '../../src/views/callback-data.ts';
import { openChat } from '../features/chat.ts';
import { buttonsOf } from '../i18n/telegram-limits.ts';
import { setUpOperations, USER } from '../operations/operations-setup.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { countingRoundTrips } from '../support/round-trips.ts';

/** Opens a chat with a known address. `during` counts the storage round trips of some work. */
async function openCounted() {
  const { storage, roundTrips } = countingRoundTrips(createMemoryStorage());
  const chat = await openChat('en', { storage });
  await chat.deps.addressBook.remember(USER, ADDRESS);
  await chat.setup.continuity.check();
  // The first update of a day also records the user, so it is not counted.
  await chat.write('/help');
  const during = async (work: Promise<unknown>) => {
    const before = roundTrips();
    await work;
    return roundTrips() - before;
  };
  const confirmData = () => Object.values(buttonsOf(chat.last())).find((data) => /confirm/.test(data)) ?? '';
  return { ...chat, during, confirmData };
}

test('an update takes two round trips, and one more for a draft', async () => {
  const { during, write, tap, confirmData } = await openCounted();
  expect(await during(write('/help'))).toBe(2);
  expect(await during(tap(callbackData('bandwidth', 'open')))).toBe(2);
  expect(await during(write(ADDRESS))).toBe(2);
  expect(await during(tap(answerData('350')))).toBe(2);
  expect(await during(tap(answerData('1')))).toBe(3);
  expect(await during(tap(confirmData(), { carried: true }))).toBe(2);
});

test('a pasted address takes four round trips to its card, and each choice on it five', async () => {
  const { during, write, tap, data } = await openCounted();
  expect(await during(write(ADDRESS))).toBe(4);
  const option = data().find((one) => one.includes('energy131000')) ?? '';
  expect(await during(tap(option, { carried: true }))).toBe(5);
});

test('a menu takes two round trips, and one more after its commit to look for unclear notifications', async () => {
  const { during, write, links, last } = await openCounted();
  await links.setMerchant(USER, true);
  // The first menu also reads the price.
  expect(await during(write('/start'))).toBe(4);
  expect(await during(write('/start'))).toBe(3);
  expect(Object.values(buttonsOf(last()))[0]).toBe(callbackData('invoice', 'open'));
});

test('a draft that replaces another takes one more round trip', async () => {
  const { during, write } = await openCounted();
  const buy = () => write(`/buy ${ADDRESS} 65000 1`);
  const alone = await during(buy());
  expect(await during(buy())).toBe(alone + 1);
});

test('a question that replaces a card takes five round trips', async () => {
  const { during, write, tap } = await openCounted();
  await write(`/buy ${ADDRESS} 65000 1`);
  expect(await during(tap(callbackData('bandwidth', 'open')))).toBe(5);
  expect(await during(write(ADDRESS))).toBe(2);
});

test('a confirmed purchase takes five round trips, including its receipt', async () => {
  const { storage, roundTrips } = countingRoundTrips(createMemoryStorage());
  const setup = setUpOperations(storage);
  const operation = await setup.claimed();
  const before = roundTrips();
  await setup.executeClaim(operation);
  expect(roundTrips() - before).toBe(5);
  expect(await setup.read(operation)).toMatchObject({
    state: 'done',
    result: { balanceLeft: '997.68' },
  });
});
