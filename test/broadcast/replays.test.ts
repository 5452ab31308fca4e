import { describe, expect, test } from 'vitest';
import { signedRecords } from '../support/records.ts';
import { type House, openHouse, openProcess } from './room.ts';

describe('a chunk of the audience', () => {
  const chunkKey = (id: string, chunk: number) => `broadcast-audience:${id}:${chunk}`;

  test.each<[string, (house: House) => Promise<string>]>([
    ['is not signed', async () => JSON.stringify([1_001, 1_002])],
    [
      'was signed for another broadcast',
      async ({ storage }) => (await signedRecords(storage).set(chunkKey('b2', 0), '[1001,1002]')).text,
    ],
    [
      'was signed for another place',
      async ({ storage }) => (await signedRecords(storage).set(chunkKey('b1', 1), '[1001,1002]')).text,
    ],
  ])('is not sent to if it %s', async (_, forged) => {
    const house = openHouse();
    const { set } = house.storage;
    const text = await forged(house);
    house.storage.set = async (key, value, ...rest) =>
      set(key, key === chunkKey('b1', 0) ? text : value, ...rest);
    const one = openProcess(house);
    await one.fill(2);
    await one.broadcasts.start(one.draft());
    await one.run();
    expect(house.got).toEqual([]);
    expect(house.told).toMatchObject([{ state: 'paused', pause: { why: 'audience' } }]);
  });
});
