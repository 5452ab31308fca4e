import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { redisUrl } from '../support/redis.ts';
import { dataOf, linkAccount, toCard, turnMaintenance } from '../support/steps.ts';
import { ADMIN, GUEST, HOLDER, inWorld, MERCHANT, type World } from '../support/world.ts';

const BUY = 'POST /energy/buy';
const config = { adminIds: new Set([ADMIN, MERCHANT]) };

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
    await other.tapAndRead('English', 'Language: English');
    for (const person of [first, second]) await linkAccount(person);
    const [bought, open] = [await toCard(first), await toCard(second)];
    const release = holdPurchases(world);
    await first.tapData(bought.message_id, dataOf(bought, 'Confirm'));
    await eventually(() => expect(world.countRequests(BUY)).toBe(1));

    await turnMaintenance(admin, 'on');
    await other.reads(`Maintenance mode was turned on by admin ${ADMIN}`);
    await admin.sayAndRead('/admin', 'Maintenance mode is on.');
    let said = open;
    // Taps more often than there are replicas, so that each one gets a tap.
    for (let times = 0; times < 4; times += 1) {
      const { message_id } = said;
      await second.tapData(open.message_id, dataOf(open, 'Confirm'));
      said = await second.reads('while the card is valid', { message_id });
    }
    await second.shows(open, 'Review and confirm');
    await second.sayAndRead('/bandwidth', 'Confirmed orders continue');
    await admin.say('/buy');
    await admin.tapAndRead('Link account', 'nothing new can be started');
    await second.sayAndRead('/history', 'History');

    release();
    await first.shows(bought, 'Bought');
    await world.settled();
    expect(world.countRequests(BUY)).toBe(1);

    await turnMaintenance(admin, 'off');
    await other.reads(`Maintenance mode was turned off by admin ${ADMIN}`);
    await second.tapData(open.message_id, dataOf(open, 'Confirm'));
    await second.shows(open, 'Bought');
    expect(world.countRequests(BUY)).toBe(2);

    const log = await other.sayAndRead('/log', 'Admin actions');
    expect(log.text).toMatch(/Turned maintenance mode off[\s\S]*Turned maintenance mode on/);
    expect(log.text).toContain(`admin ${ADMIN}`);
  });
});
