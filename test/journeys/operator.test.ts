import { expect } from 'vitest';
import { journeysWith } from '../support/journey.ts';
import { findButton, type Person } from '../support/person.ts';
import { buyEnergy, operationOf, toCard } from '../support/steps.ts';
import { ADMIN, HOLDER, type World } from '../support/world.ts';

const SECOND = HOLDER;
const OPERATOR = 1000;
const OPERATED = { config: { rentalApiKey: 'operator-key', adminIds: new Set([ADMIN, SECOND]) } };
const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

async function balanceOf(world: World, account = OPERATOR): Promise<number> {
  const found = (await world.rental()).accounts.find(({ id }) => id === account);
  return Number(found?.balance_trx);
}

/** Starts the bot as two admins. */
async function openAdmins(world: World): Promise<[Person, Person]> {
  const [admin, second] = [world.person(ADMIN), world.person(SECOND)];
  for (const one of [admin, second]) {
    await one.sayAndRead('/start', 'Energy and bandwidth on TRON');
  }
  return [admin, second];
}

async function linkByTap(admin: Person): Promise<void> {
  await admin.say('/start');
  await admin.tap('🛠 Admin');
  await admin.tapAndRead('🏦 Operator account', "Withdrawals aren't possible");
  await admin.tapAndRead('Link it', 'Operator account linked');
}

const it = journeysWith(OPERATED);

it('an admin links the operator’s account and buys within the daily limit; all admins are notified', async (_person, world) => {
  const [admin, second] = await openAdmins(world);
  await linkByTap(admin);
  const menu = await admin.reads('Account 1000 · operator');
  for (const one of [admin, second]) await one.reads(`Linked by admin ${ADMIN}`);

  const before = await balanceOf(world);
  const bought = await buyEnergy(admin, 'Bought');
  const spent = before - (await balanceOf(world));
  expect(spent).toBeGreaterThan(0);
  for (const one of [admin, second]) {
    const reply = await one.reads(`Admin ${ADMIN}: done`);
    expect(reply.text).toContain('65,000 energy · 1 h');
    expect(reply.text).toContain(`Number: ${operationOf(bought)}`);
    expect(reply.text).toContain(`Charged: ${spent.toFixed(2)}`);
  }

  await second.say('/operator');
  await second.tapAndRead('Daily limit', 'How many TRX may all admins together spend');
  await second.say(`${(spent + 0.5).toFixed(2)}`);
  const screen = await second.reads(`of ${(spent + 0.5).toFixed(2)} TRX`);
  expect(screen.text).toContain(`Spent today (UTC): ${spent.toFixed(2)}`);
  expect(screen.text).toContain(`Linked by: ${ADMIN}`);
  await admin.reads('Daily limit set to');
  expect(await world.countCallsWithText('Daily limit set to')).toBe(1);

  const { message_id = 0 } = await admin.say('/buy');
  await admin.reads('Which address', { message_id });
  await admin.say(OTHER);
  await admin.tap('wallet with USDT');
  const stopped = await admin.tapAndRead('1 hour', "Over the operator account's daily limit", { message_id });
  expect(stopped.text).toContain('0.50 of ');
  expect(before - (await balanceOf(world))).toBeCloseTo(spent);

  // The limit applies to each day separately.
  await world.advance(24 * 3600);
  await buyEnergy(admin, 'Bought', OTHER);
  expect(menu.keyboard?.flat().map(({ text }) => text)).toContain('💰 Balance');
});

journeysWith({ ...OPERATED, onRedis: true })(
  'links the operator’s account when an admin sends its key, until the admin is removed',
  async (_person, world) => {
    const [admin, second] = await openAdmins(world);
    const question = await admin.tapAndRead('Link account', 'Send your API key');
    expect(findButton([question], 'Link operator account')).toBeDefined();
    await admin.sayAndRead('operator-key', 'Operator account linked');
    await second.reads(`Linked by admin ${ADMIN}`);
    const card = await toCard(admin);
    const before = await balanceOf(world);
    await world.restart({ adminIds: new Set([SECOND]) });
    await admin.tapData(card.message_id, findButton([card], 'Confirm')?.[1].data ?? '');
    await world.settled();
    expect(await balanceOf(world)).toBe(before);
    await admin.sayAndRead('/account', 'You need an account for this');

    await world.restart({ adminIds: new Set([ADMIN, SECOND]) });
    await admin.sayAndRead('/account', "API key: the operator's");
    await admin.tapAndRead('Unlink account', 'Unlink the operator account?');
    await admin.tapAndRead('Yes, unlink', 'Operator account unlinked');
    await second.reads(`Unlinked by admin ${ADMIN}`);
  },
);
