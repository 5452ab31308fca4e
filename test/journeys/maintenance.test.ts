import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { journeysWith } from '../support/journey.ts';
import type { Person } from '../support/person.ts';
import { redisUrl } from '../support/redis.ts';
import { dataOf, linkAccount, toCard } from '../support/steps.ts';
import { ADMIN, GUEST, HOLDER, inWorld, MERCHANT, type World } from '../support/world.ts';

const BUY = 'POST /energy/buy';
const config = { adminIds: new Set([ADMIN, MERCHANT]) };

async function turn(admin: Person, to: 'on' | 'off'): Promise<void> {
  const { message_id } = await admin.say('/state');
  const below = { message_id: message_id ?? 0 };
  await admin.reads('This process: version', below);
  await admin.tapAndRead(`Turn maintenance mode ${to}…`, `Turn maintenance mode ${to}?`, below);
  await admin.tapAndRead('Turn it', `Maintenance mode is ${to}.`, below);
}

/** Holds all purchase requests until the returned function is called. */
function holdPurchases({ sandbox }: World): () => void {
  const { fetch } = sandbox;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  sandbox.fetch = async (request, env) => {
    if (request.url.endsWith('/energy/buy')) await released;
    return fetch(request, env);
  };
  return release;
}

test.concurrent('settles confirmed operations during maintenance mode, but confirms no card on any replica', async () => {
  await inWorld({ redisUrl: await redisUrl(), replicas: 2, config }, async (world) => {
    const [first, second] = [world.person(HOLDER), world.person(GUEST)];
    const [admin, other] = [world.person(ADMIN), world.person(MERCHANT)];
    await other.say('/settings');
    await other.tapAndRead('English', 'Energy and bandwidth on TRON');
    for (const person of [first, second]) await linkAccount(person);
    const [bought, open] = [await toCard(first), await toCard(second)];
    const release = holdPurchases(world);
    await first.tapData(bought.message_id, dataOf(bought, 'Confirm'));
    await eventually(() => expect(world.countRequests(BUY)).toBe(1));

    await turn(admin, 'on');
    await other.reads(`Maintenance mode was turned on by admin ${ADMIN}`);
    await admin.sayAndRead('/admin', 'Maintenance mode is on: nothing new can be begun.');
    let said = open;
    // Taps more often than there are replicas, so that each one gets a tap.
    for (let times = 0; times < 4; times += 1) {
      const { message_id } = said;
      await second.tapData(open.message_id, dataOf(open, 'Confirm'));
      said = await second.reads('Your card stays as it is', { message_id });
    }
    await second.shows(open, 'Check before you confirm');
    await second.sayAndRead('/bandwidth', 'What you have confirmed goes on');
    await admin.sayAndRead('/buy', 'nothing new can be begun');
    await second.sayAndRead('/history', 'History');

    release();
    await first.shows(bought, 'Bought');
    await world.settled();
    expect(world.countRequests(BUY)).toBe(1);

    await turn(admin, 'off');
    await other.reads(`Maintenance mode was turned off by admin ${ADMIN}`);
    await second.tapData(open.message_id, dataOf(open, 'Confirm'));
    await second.shows(open, 'Bought');
    expect(world.countRequests(BUY)).toBe(2);

    const log = await other.sayAndRead('/log', 'What admins did');
    expect(log.text).toMatch(/Turned maintenance mode off[\s\S]*Turned maintenance mode on/);
    expect(log.text).toContain(`admin ${ADMIN}`);
  });
});

const it = journeysWith({ config });

it('does not confirm a card that expired during maintenance mode, which only admins can switch', async (_person, world) => {
  const [person, admin] = [world.person(HOLDER), world.person(ADMIN)];
  await linkAccount(person);
  const card = await toCard(person);
  await turn(admin, 'on');
  await person.tapData(card.message_id, dataOf(card, 'Confirm'));
  await person.reads('Your card stays as it is');
  for (const data of ['state:turn-off', 'state:open', 'menu:admin', 'admin-log:open'])
    await person.tapData(card.message_id, data);
  for (const said of ['/state', '/admin', '/log', '/start state', '/start admin']) await person.say(said);
  await world.settled();
  const shown = (await person.messages()).map(({ text }) => text).join();
  for (const secret of ['🩺', '📜', 'Maintenance mode']) expect(shown).not.toContain(secret);

  const from = { id: HOLDER, is_bot: false, first_name: 'Somebody' };
  const query = { id: '1', from, query: '/state', offset: '' };
  expect(await world.deliver({ update_id: 800_000, inline_query: query })).toBe(200);

  await world.advance(301);
  await turn(admin, 'off');
  // The card that the texts above made the bot show again.
  const below = await person.reads('This card is still waiting');
  await person.tapData(below.message_id, dataOf(below, 'Confirm'));
  await person.shows(below, 'expired');
  expect(world.countRequests(BUY)).toBe(0);
});
