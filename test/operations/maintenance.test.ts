import { expect, test } from 'vitest';
import { createMaintenance, MAINTENANCE } from '../../src/operations/maintenance.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import { changedFields } from '../support/changed-fields.ts';
import { signedRecords } from '../support/records.ts';
import { countingRoundTrips } from '../support/round-trips.ts';

const ADMIN = 504;

function open() {
  const clock = { now: 1_000 };
  const now = () => clock.now;
  const { storage, roundTrips } = countingRoundTrips(createMemoryStorage({ now }));
  const replica = () => createMaintenance({ records: signedRecords(storage), now });
  return { clock, storage, replica, roundTrips };
}

test('who turned it on and when is known to every replica at once, until it is turned off', async () => {
  const { replica } = open();
  const [one, other] = [replica(), replica()];
  expect(await other.find()).toBeUndefined();
  expect(await one.turnOn(ADMIN)).toBe(true);
  expect(await other.find()).toEqual({ since: 1_000, admin: ADMIN });
  expect(await other.turnOff()).toBe(true);
  expect(await one.find()).toBeUndefined();
});

test('what is turned on or off already stays so, and is nobody else’s', async () => {
  const { replica, clock } = open();
  const maintenance = replica();
  await maintenance.turnOn(ADMIN);
  clock.now += 1;
  expect(await maintenance.turnOn(ADMIN + 1)).toBe(false);
  expect(await maintenance.find()).toEqual({ since: 1_000, admin: ADMIN });
  await maintenance.turnOff();
  expect(await maintenance.turnOff()).toBe(false);
});

test('it is read by one way to the storage, begun before it is asked for', async () => {
  const { replica, roundTrips } = open();
  const maintenance = replica();
  await maintenance.turnOn(ADMIN);
  const before = roundTrips();
  const read = maintenance.ahead();
  expect(await read()).toMatchObject({ admin: ADMIN });
  expect(roundTrips() - before).toBe(1);
});

test('changed from outside it is on, of nobody known; it can be turned off all the same', async () => {
  const { replica, storage } = open();
  const maintenance = replica();
  await maintenance.turnOn(ADMIN);
  const signed = (await storage.get(MAINTENANCE)) ?? '';
  const content = signed.slice(signed.indexOf('{'));
  const changes = changedFields(content).map(([, json]) => signed.replace(content, json));
  expect(changes).toHaveLength(2);
  for (const text of [...changes, 'off', '', content]) {
    await storage.set(MAINTENANCE, text);
    expect(await replica().find(), text).toEqual({});
  }
  await storage.set('other', signed);
  expect(await maintenance.turnOff()).toBe(true);
  expect(await maintenance.find()).toBeUndefined();
});
