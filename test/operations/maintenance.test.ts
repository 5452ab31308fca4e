import { expect, test } from 'vitest';
import { createMaintenance } from '../../src/operations/maintenance.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
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

test('every replica reads the start and the admin of a maintenance until its end', async () => {
  const { replica } = open();
  const [one, other] = [replica(), replica()];
  expect(await other.find()).toBeUndefined();
  expect(await one.turnOn(ADMIN)).toBe(true);
  expect(await other.find()).toEqual({ since: 1_000, admin: ADMIN });
  expect(await other.turnOff()).toBe(true);
  expect(await one.find()).toBeUndefined();
});

test('turning it on or off again changes nothing', async () => {
  const { replica, clock } = open();
  const maintenance = replica();
  await maintenance.turnOn(ADMIN);
  clock.now += 1;
  expect(await maintenance.turnOn(ADMIN + 1)).toBe(false);
  expect(await maintenance.find()).toEqual({ since: 1_000, admin: ADMIN });
  await maintenance.turnOff();
  expect(await maintenance.turnOff()).toBe(false);
});

test('reads the state with one round trip, which starts ahead of its use', async () => {
  const { replica, roundTrips } = open();
  const maintenance = replica();
  await maintenance.turnOn(ADMIN);
  const before = roundTrips();
  const read = maintenance.readAhead();
  expect(await read()).toMatchObject({ admin: ADMIN });
  expect(roundTrips() - before).toBe(1);
});

test('counts as on without a known admin if the record was tampered with', async () => {
  const { replica, storage } = open();
  const maintenance = replica();
  await maintenance.turnOn(ADMIN);
  const signed = (await storage.get('maintenance')) ?? '';
  const content = signed.slice(signed.indexOf('{'));
  const changes = changedFields(content).map(([, json]) => signed.replace(content, json));
  expect(changes).toHaveLength(2);
  for (const text of [...changes, 'off', '', content]) {
    await storage.set('maintenance', text);
    expect(await replica().find(), text).toEqual({});
  }
  await storage.set('other', signed);
  expect(await maintenance.turnOff()).toBe(true);
  expect(await maintenance.find()).toBeUndefined();
});
