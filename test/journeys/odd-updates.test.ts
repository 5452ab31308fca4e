import fc from 'fast-check';
import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { journeysWith } from '../support/journey.ts';
import { oddUpdates } from '../support/odd-updates.ts';
import { GUEST } from '../support/world.ts';

const USERS = 40;
const FIRST_USER = 8_000_000;
/** Updates before the good one. With it, as many as a chat may have open. */
const ODD = 4;

journeysWith({ push: false })(
  'handles each update once when ids restart lower, also after a restart of the process',
  async (person, world) => {
    const other = world.person(GUEST);
    for (const next of [727_334_701, 117_314_199, 117_000_000]) {
      await world.control('POST', '/telegram/update-ids', { next });
      await Promise.all([person.ask('/start', 'energy'), other.ask('/start', 'energy')]);
      await world.settled();
      if (next === 117_314_199) await world.restart();
    }
    expect(await world.countCallsWithText('Energy and bandwidth on TRON')).toBe(6);
    const polls = await world.control<unknown[]>('GET', '/telegram/calls?method=getUpdates');
    expect(polls.length).toBeLessThan(20);
    expect(world.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  },
);

journeysWith({})(
  'handles the good update of each user after odd ones of any type',
  async (_person, world) => {
    await world.control('POST', '/telegram/crowd', { first_id: FIRST_USER, count: USERS });
    let user = FIRST_USER - 1;
    await fc.assert(
      fc.asyncProperty(fc.array(oddUpdates, { minLength: ODD, maxLength: ODD }), async (updates) => {
        user += 1;
        const own: object[] = JSON.parse(JSON.stringify(updates).replaceAll(String(GUEST), String(user)));
        const odd = own.map((update, at) => ({ update_id: user * 10 + at, ...update }));
        await Promise.all(
          odd.map((update) => eventually(async () => expect(await world.deliver(update)).toBe(200))),
        );
        await world.person(user).ask('/start', 'energy');
      }),
      { numRuns: USERS, seed: 20_261_126, endOnFailure: true },
    );
    const errors = world.log.filter((line) => line.includes('"level":"error"'));
    expect(errors.filter((line) => !line.includes("can't be read"))).toEqual([]);
  },
);
