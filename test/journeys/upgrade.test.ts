import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DATA_FORMAT } from '../../src/stored-data.ts';
import { eventually } from '../support/eventually.ts';
import { tapUpdate } from '../support/person.ts';
import { redisUrl } from '../support/redis.ts';
import { parseStoredData, type StoredData, writeKeys } from '../support/stored-data.ts';
import { ADMIN, GUEST, HOLDER, inWorld, type World } from '../support/world.ts';

const DATA = parseStoredData(readFileSync('test/fixtures/stored-data.json', 'utf8'));
const BUY = 'POST /energy/buy';

/** Runs a journey on data of an earlier version, at the time it was taken. Users in `starting` send /start first. */
async function upgraded(
  journey: (world: World) => Promise<void>,
  { keys = DATA.keys, starting = [HOLDER, GUEST, ADMIN] } = {},
): Promise<void> {
  const url = await redisUrl();
  // An earlier release had other record formats, so all records are read at the start.
  await writeKeys(url, { keys: keys.filter(({ key }) => key !== DATA_FORMAT.keys) });
  const config = { secretKeys: [Buffer.from(DATA.secretKey, 'base64')], rentalApiKey: 'operator-key' };
  await inWorld({ redisUrl: url, startAt: DATA.takenAt, config }, async (world) => {
    // In the stored data, lower update IDs are marked as processed.
    await world.control('POST', '/telegram/updates', { update_id: 800_000, poll: {} });
    for (const chat of starting) await world.person(chat).say('/start');
    await journey(world);
  });
}

/** Returns the ID of the fixture's only operation in this state. */
function operationIn(state: string): string {
  const found = DATA.keys.find(
    (one) =>
      one.key.startsWith('operation:') &&
      one.type === 'string' &&
      String(one.value).includes(`"state":"${state}"`),
  );
  return found?.key.split(':').at(-1) ?? '';
}

test('keeps links, an open flow, an open invoice and an unknown outcome after an upgrade', () =>
  upgraded(
    async (world) => {
      const [holder, guest] = [world.person(HOLDER), world.person(GUEST)];
      await guest.sayAndRead('my wallet', 'No TRON address found');
      await holder.sayAndRead('/account', '1001');
      const history = await holder.sayAndRead('/history', 'History');
      expect(history.text).toContain('⚠️');
      expect(history.text).not.toContain("can't be read");
      await holder.sayAndRead('/invoices', 'Invoices');
      expect(await world.countCallsWithText("can't be read any more")).toBe(0);
    },
    { starting: [] },
  ));

test('voids a card that was open before an upgrade on another Redis', () =>
  upgraded(async (world) => {
    const id = operationIn('draft');
    const session = DATA.keys.find(({ key }) => key === `chat:{${HOLDER}}`);
    expect(JSON.stringify(session)).toContain(id);
    const message_id = Number(/"message\\\\?":(\d+)/.exec(JSON.stringify(session))?.[1]);
    await world.deliver(tapUpdate({ chat: HOLDER, message_id, data: `operation:confirm:${id}` }));
    await eventually(async () =>
      expect(JSON.stringify(await world.control('GET', '/telegram/calls'))).toContain(
        'This card may already have been used',
      ),
    );
    expect(world.countRequests(BUY)).toBe(0);
  }));

test('pauses a broadcast that was running, and lets admins decide', () =>
  upgraded(async (world) => {
    await world.person(ADMIN).reads('Broadcast to 63 paused');
    expect(await world.control<unknown[]>('GET', '/telegram/calls?method=copyMessage')).toHaveLength(0);
  }));

test('reports unreadable records to their users, and in the history', async () => {
  const unknown = operationIn('unknown');
  const damaged = DATA.keys.map((one): StoredData['keys'][number] => {
    if (one.type !== 'string') return one;
    if (one.key === `operation:{${HOLDER}}:${unknown}`)
      return { ...one, value: String(one.value).replace(/^s1/, 's2') };
    if (one.key === `link:{${GUEST}}`) return { ...one, value: 's1.damaged.{}' };
    return one;
  });
  await upgraded(
    async (world) => {
      const [holder, guest] = [world.person(HOLDER), world.person(GUEST)];
      const reply = await holder.reads(`${unknown} can't be read any more`);
      expect(reply.text).toContain('check your balance and history at the service before repeating it');
      await guest.reads("it's no longer linked");
      await holder.say('/history');
      expect((await holder.reads('History')).text).toContain('Unreadable entries: 1');
      await world.restart();
      await world.settled();
      expect(await world.countCallsWithText("can't be read any more")).toBe(1);
    },
    { keys: damaged },
  );
});
