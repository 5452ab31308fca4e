import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type KillableBot, killableJourneys } from '../support/journey.ts';
import { operationOf } from '../support/person.ts';
import { codeNow, linkAccount, toCard, toCode } from '../support/steps.ts';
import { HOLDER, type World } from '../support/world.ts';

const BUY = 'POST /energy/buy';
const UNKNOWN = 'Result unknown';
const it = killableJourneys();

/** Returns the state of an operation in Redis. */
async function stateOf({ redis }: KillableBot, operation: string): Promise<string> {
  // The JSON follows the signature.
  const text = (await redis.get(`operation:{${HOLDER}}:${operation}`)) ?? '';
  return /"state":"(\w+)"/.exec(text)?.[1] ?? '';
}

/** Waits until this text was sent. Another text may have replaced it since. */
async function expectTold(world: World, part: string): Promise<void> {
  await eventually(async () => expect(await world.countCallsWithText(part)).toBeGreaterThan(0));
}

it('killed before the response: tells the user not to repeat, and sends nothing again', async (person, world, bot) => {
  await linkAccount(person);
  const card = await toCard(person);
  await world.fault(BUY, 'latency', { ms: 300_000 });
  await person.tap('Confirm');
  await eventually(() => expect(world.countRequests(BUY)).toBe(1));
  await bot.kill();
  await bot.revive();
  await expectTold(world, UNKNOWN);
  const unknown = await person.shows(card, 'no sign of it so far');
  expect(unknown.text).toContain("Don't repeat");
  expect(unknown.text).toContain(`Ref. ${operationOf(card)}`);
  expect(JSON.stringify(unknown.keyboard)).toContain('https://support.example');
  expect(world.countRequests(BUY)).toBe(1);
  expect((await world.rental()).orders).toEqual([]);
});

it('killed before the outcome is shown: shows it after a restart', async (person, world, bot) => {
  await linkAccount(person);
  const card = await toCard(person);
  await world.telegramFault('editMessageText', 'hang', { times: 100 });
  await person.tap('Confirm');
  await eventually(async () => expect(await stateOf(bot, operationOf(card))).toBe('done'));
  await bot.kill();
  await person.shows(card, 'Review and confirm');
  await bot.revive();
  const [order] = (await world.rental()).orders;
  expect((await person.shows(card, 'Bought')).text).toContain(`Order ${order?.order_id}`);
  expect(await world.countCallsWithText(UNKNOWN)).toBe(0);
  expect(world.countRequests(BUY)).toBe(1);
});

it('killed while processing updates that Telegram no longer has: processes them after a restart', async (person, world, bot) => {
  await linkAccount(person);
  await world.settled();
  await world.fault('GET /account/profile', 'latency', { ms: 300_000, times: 10 });
  const requestsBefore = world.countRequests('GET /account/profile');
  await person.say('/account');
  await person.say('/cancel');
  await eventually(() => expect(world.countRequests('GET /account/profile')).toBe(requestsBefore + 1));
  await world.settled();
  await bot.kill();
  await bot.revive();
  const isCancelled = ({ text }: { text?: string }) => text?.includes('Nothing to cancel');
  const shown = await person.until('both replies', (shown) => shown.some(isCancelled) && shown);
  expect(shown.slice(-2).map(({ text }) => text)).toEqual([
    expect.stringContaining('2FA: '),
    expect.stringContaining('Nothing to cancel'),
  ]);
});

it('killed after a 2FA code: sends nothing, removes the code, and notifies the user', async (person, world, bot) => {
  await linkAccount(person, 'totp-key');
  const card = await toCode(person);
  const requestsBefore = world.countRequests('GET /account/profile');
  await world.fault('GET /account/profile', 'latency', { ms: 4_000 });
  const code = codeNow();
  await person.say(code);
  await eventually(() => expect(world.countRequests('GET /account/profile')).toBeGreaterThan(requestsBefore));
  await bot.kill();
  await bot.revive();
  await person.shows(card, "The request wasn't sent in time.");
  expect(world.countRequests('POST /account/withdrawal')).toBe(0);
  expect(JSON.stringify(await person.messages())).not.toContain(code);
});
