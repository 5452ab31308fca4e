import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { amongOthers, forget, goOn, KNOWN_BY, settle } from '../support/forgetting.ts';
import { killableJourneys } from '../support/journey.ts';
import { findButton, operationOf } from '../support/person.ts';
import { redisUrl } from '../support/redis.ts';
import { storedIn } from '../support/secrets.ts';
import { buyEnergy, dataOf, linkAccount, toCard } from '../support/steps.ts';
import { unsaidTraces } from '../support/traces.ts';
import { GUEST, HOLDER, inWorld, type World } from '../support/world.ts';

const BUY = 'POST /energy/buy';
const TEST_MS = 300_000;
const config = { rentalApiKey: 'operator-key' };
const known = { user: HOLDER, words: KNOWN_BY };

/** Waits until all updates are processed and no lease of background work is left. */
async function still(world: World): Promise<void> {
  await world.settled();
  await eventually(async () => {
    const all = await storedIn(world.config.redisUrl ?? '');
    const busy = all.filter(({ key }) =>
      /^(delivering|polling|sending-receipt|updating-invoice-cards):/.test(key),
    );
    expect(busy).toEqual([]);
  });
}

const kindsOf = (found: readonly { key: string }[]) => new Set(found.map(({ key }) => key.split(':')[0]));

test(
  'erases everything of a user from Redis except the disclosed retained data',
  async () => {
    const url = await redisUrl();
    await inWorld({ redisUrl: url, config }, async (world) => {
      const [person, guest] = [world.person(HOLDER), world.person(GUEST)];
      for (const part of [settle, goOn, amongOthers]) {
        await part(world);
        await still(world);
        // Starts again, so that no flood limit applies to all parts together.
        await world.restart();
      }
      // Shows that the search finds the user's data before the erasure. Others may be there for some seconds.
      expect([...kindsOf(unsaidTraces(await storedIn(url), known))]).toEqual(
        expect.arrayContaining([
          ...['addresses', 'announcing-accounts', 'deposit-address', 'holders-of-account', 'link'],
          ...['notification', 'notification-settings', 'opened-invoices', 'rental-reminders', 'users'],
          ...['webhook-subscription', 'webhook-token'],
        ]),
      );

      const question = await forget(person);
      for (const part of ['stop watching', 'instant alerts stop']) expect(question.text).toContain(part);
      const reply = await person.reads('Erased:', question);
      expect(reply.text).toContain('Instant alerts of account 1001 are off');
      expect((await world.rental()).accounts.find(({ id }) => id === 1001)?.webhook?.url ?? '').toBe('');
      await still(world);
      // This record is kept only for a banned user.
      expect((await storedIn(url)).map(({ key }) => key)).not.toContain(`user:{${HOLDER}}`);
      const left = await storedIn(url);
      expect(unsaidTraces(left, known)).toEqual([]);
      // Only confirmed operations are kept.
      const operations = left.filter(({ key }) => key.startsWith(`operation:{${HOLDER}}`));
      expect(operations.map(({ value }) => /"state":"(\w+)"/.exec(value)?.[1])).toEqual(
        Array.from({ length: 4 }, () => 'done'),
      );
      const chat = left.find(({ key }) => key === `chat:{${HOLDER}}`);
      expect(Object.keys(JSON.parse(chat?.value ?? '{}')).toSorted()).toEqual(['committed', 'handled']);

      await world.control('DELETE', '/telegram/faults');
      await world.advance(601);
      await guest.reads('Prices fall on Monday');
      await still(world);
      expect((await person.messages()).some(({ html }) => html.includes('Prices fall'))).toBe(false);
      expect(unsaidTraces(await storedIn(url), known)).toEqual([]);
    });
  },
  TEST_MS,
);

test(
  'treats an erased user as a new guest; linking and buying work again',
  async () => {
    await inWorld({ redisUrl: await redisUrl(), config }, async (world) => {
      const person = await linkAccount(world.person(HOLDER));
      const first = await buyEnergy(person, 'Bought');
      const card = await toCard(person);
      const question = await forget(person);
      await person.tapData(question.message_id, dataOf(question, 'Yes, forget me'));
      const reply = await person.reads('Erased:', question);
      await person.shows(card, 'Cancelled');
      const menu = await person.tapToShow('Menu', reply, 'Energy and bandwidth on TRON');
      expect(findButton([menu], 'Link account')).toBeDefined();
      await person.tapData(card.message_id, dataOf(card, 'Confirm'));
      await person.say('/privacy');
      await person.tap('Get a copy');
      const file = await person.until('the copy', (shown) => shown.find(({ document }) => document));
      const copy = JSON.parse(await person.download(file));
      expect(copy).toMatchObject({ notifications: [], session: {}, withdrawnTo: [] });
      for (const erased of ['addresses', 'notices', 'link']) expect(copy).not.toHaveProperty(erased);
      expect(copy.other.erasure).toMatchObject({ value: { step: 'notified' } });
      expect(copy.operations).toMatchObject([{ id: operationOf(first), state: 'done' }]);
      await linkAccount(person);
      await buyEnergy(person, 'Bought');
      expect(world.countRequests(BUY)).toBe(2);
      expect(await world.countCallsWithText('Erased:')).toBe(1);
    });
  },
  TEST_MS,
);

/** No trace of the user is left afterwards. */
const it = killableJourneys(async (world, url) => {
  await still(world);
  expect(unsaidTraces(await storedIn(url), known)).toEqual([]);
});

it('continues after a restart if killed during the erasure', async (person, _world, bot) => {
  await linkAccount(person);
  // Holds the lease for notifications of this chat, so that the erasure can't complete.
  await bot.redis.set(`delivering:{${HOLDER}}`, 'somebody', 'PX', 300_000);
  const question = await forget(person);
  await eventually(async () => expect(await bot.redis.exists(`link:{${HOLDER}}`)).toBe(0));
  expect(await bot.redis.exists(`addresses:{${HOLDER}}`, `chat:{${HOLDER}}`)).toBeGreaterThan(0);
  await bot.kill();
  await bot.redis.del(`delivering:{${HOLDER}}`);
  await bot.revive();
  await person.reads('Erased:', question);
});
