import { expect, test } from 'vitest';
import type { Link } from '../../src/accounts/link.ts';
import { createPeople } from '../../src/accounts/people.ts';
import { createReadAudience } from '../../src/broadcast/audience.ts';
import type { Audience } from '../../src/broadcast/broadcast.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';

const DAY = 24 * 3600_000;
const ADMIN = 504;

/** 1: a guest; 2: a holder, Russian; 3: a merchant; 4: was here 20 days ago; 5 to 7: take nothing. */
async function openPeople() {
  const clock = { now: Date.UTC(2026, 10, 1, 12) };
  const now = () => clock.now;
  const people = createPeople({ storage: createMemoryStorage({ now }), now });
  await people.met(4, 'en', undefined);
  clock.now += 20 * DAY;
  for (const user of [1, 2, 3, 5, 6, 7]) await people.met(user, user === 2 ? 'ru' : 'en', undefined);
  await people.gone(5, 'blocked');
  await people.quiet(6, true);
  await people.bar(7, true);
  const link = { account: 1, tail: 'x', linkedAt: 0, language: 'en' } satisfies Link;
  const links = new Map<number, Link>([
    [2, link],
    [3, { ...link, sells: true }],
  ]);
  const read = createReadAudience({ people, links: { find: async (user) => links.get(user) }, now });
  return async (audience: Audience) => {
    const all: number[] = [];
    for await (const users of read(audience, ADMIN)) all.push(...users);
    return all;
  };
}

test.each<[Audience, number[]]>([
  [{ who: 'everybody' }, [1, 2, 3, 4]],
  [{ who: 'language', language: 'ru' }, [2]],
  [{ who: 'holders' }, [2, 3]],
  [{ who: 'guests' }, [1, 4]],
  [{ who: 'merchants' }, [3]],
  [{ who: 'active', days: 20 }, [1, 2, 3]],
  [{ who: 'active', days: 21 }, [1, 2, 3, 4]],
  [{ who: 'me' }, [ADMIN]],
])('%j are those, without who is gone, has opted out or was shut out', async (audience, expected) => {
  const read = await openPeople();
  expect(await read(audience)).toEqual(expected);
});
