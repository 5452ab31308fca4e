import { expect, test } from 'vitest';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import { answerData, callbackData } from '../../src/texts/callback-data.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { openRoom, USER } from '../operations/room.ts';
import { countingRoundTrips } from '../support/round-trips.ts';
import { buttonsOf } from '../texts/telegram-limits.ts';
import { openChat } from './features/chat.ts';

/** A chat whose person has bought for this address, and how often what was done there went to the storage. */
async function openCounted() {
  const { storage, roundTrips } = countingRoundTrips(createMemoryStorage());
  const chat = await openChat('en', { storage });
  await chat.deps.addressBook.remember(USER, ADDRESS);
  await chat.room.continuity.check();
  // Who was here today is known already.
  await chat.write('/help');
  const during = async (work: Promise<unknown>) => {
    const before = roundTrips();
    await work;
    return roundTrips() - before;
  };
  const confirmData = () => Object.values(buttonsOf(chat.last())).find((data) => /confirm/.test(data)) ?? '';
  return { ...chat, during, confirmData };
}

test('what an update needs is read together with its beginning: it has two round trips, and one more for a draft', async () => {
  const { during, write, tap, confirmData } = await openCounted();
  expect(await during(write('/start'))).toBe(2);
  expect(await during(tap(callbackData('energy', 'open')))).toBe(2);
  expect(await during(write(ADDRESS))).toBe(2);
  expect(await during(tap(answerData('holder')))).toBe(2);
  expect(await during(tap(answerData('1')))).toBe(3);
  expect(await during(tap(confirmData(), { carried: true }))).toBe(2);
});

test('the menu of who sells has no more', async () => {
  const { during, write, links, last } = await openCounted();
  await links.sold(USER);
  expect(await during(write('/start'))).toBe(2);
  expect(Object.values(buttonsOf(last()))[0]).toBe(callbackData('invoice', 'open'));
});

test('a draft that takes the place of another writes that after its commit', async () => {
  const { during, write } = await openCounted();
  const buy = () => write(`/buy ${ADDRESS} 65000 1`);
  const alone = await during(buy());
  expect(await during(buy())).toBe(alone + 1);
});

test('a question that takes the place of a card is asked in two round trips, and cancels the card in one more', async () => {
  const { during, write, tap } = await openCounted();
  await write(`/buy ${ADDRESS} 65000 1`);
  expect(await during(tap(callbackData('energy', 'open')))).toBe(4);
  expect(await during(write(ADDRESS))).toBe(2);
});

test('a confirmed purchase is carried out in five round trips, all that its user is told included', async () => {
  const { storage, roundTrips } = countingRoundTrips(createMemoryStorage());
  const room = openRoom(storage);
  const operation = await room.claimed();
  const before = roundTrips();
  await room.carryOut(operation);
  expect(roundTrips() - before).toBe(5);
  expect(await room.read(operation)).toMatchObject({
    state: 'done',
    result: { balanceLeft: '1000.00' },
  });
});
