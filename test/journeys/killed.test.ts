import { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import { type BotProcess, startBotProcess } from '../support/bot-process.ts';
import { eventually } from '../support/eventually.ts';
import { redisUrl } from '../support/redis.ts';
import { linkAccount, operationOf, toCard } from '../support/steps.ts';
import { codeNow, toCode } from '../support/withdrawing.ts';
import { HOLDER, inWorld, type World } from '../support/world.ts';

const BUY = 'POST /energy/buy';
const UNKNOWN = "The outcome isn't known yet";
/** Maximum time until the user is notified after a restart: half of the promise, because this bot is four times as fast. */
const PROMISED_MS = 10_000;
const TEST_MS = 90_000;

interface Journey {
  world: World;
  /** Kills the bot without a shutdown. */
  kill(): Promise<void>;
  /** Removes all faults and starts the bot again. */
  revive(): Promise<void>;
  /** Returns the state of an operation in Redis. */
  stateOf(operation: string): Promise<string>;
}

/** Runs a journey with the bot in a separate process that can be killed. */
async function withBotProcess(journey: (with_: Journey) => Promise<void>): Promise<void> {
  const url = await redisUrl();
  await inWorld({ redisUrl: url, push: false, replicas: 0 }, async (world) => {
    const redis = new Redis(url);
    let bot: BotProcess = await startBotProcess(world);
    try {
      await journey({
        world,
        kill: () => bot.kill(),
        async revive() {
          await Promise.all([
            world.control('DELETE', '/telegram/faults'),
            world.control('DELETE', '/rental/faults'),
          ]);
          bot = await startBotProcess(world);
        },
        async stateOf(operation) {
          // The JSON follows the signature.
          const text = (await redis.get(`operation:{${HOLDER}}:${operation}`)) ?? '';
          return /"state":"(\w+)"/.exec(text)?.[1] ?? '';
        },
      });
    } finally {
      await bot.kill();
      redis.disconnect();
    }
  });
}

/** Waits until this text was sent, at most for the promised time. Another text may have replaced it since. */
async function expectTold(world: World, part: string): Promise<void> {
  const look = async () => expect(await world.told(part)).toBeGreaterThan(0);
  await vi.waitFor(look, { timeout: PROMISED_MS, interval: 50 });
}

test.concurrent(
  'killed before the response: tells the user not to repeat, and sends nothing again',
  () =>
    withBotProcess(async ({ world, kill, revive }) => {
      const person = world.person(HOLDER);
      await linkAccount(person);
      const card = await toCard(person);
      await world.fault(BUY, 'latency', { ms: 300_000 });
      await person.tap('Confirm');
      await eventually(() => expect(world.asked(BUY)).toBe(1));
      await kill();
      await revive();
      await expectTold(world, UNKNOWN);
      const unknown = await person.shows(card, 'so far: no trace yet');
      expect(unknown.text).toContain("Don't repeat");
      expect(unknown.text).toContain(`Operation ${operationOf(card)}`);
      expect(unknown.text).toContain('https://support.example');
      expect(world.asked(BUY)).toBe(1);
      expect((await world.rental()).orders).toEqual([]);
    }),
  TEST_MS,
);

test.concurrent(
  'killed after the service executed the request: shows it as unknown, then as likely',
  () =>
    withBotProcess(async ({ world, kill, revive }) => {
      const person = world.person(HOLDER);
      await linkAccount(person);
      const card = await toCard(person);
      await world.fault(BUY, 'hang-after');
      await person.tap('Confirm');
      await eventually(async () => expect((await world.rental()).orders).toHaveLength(1));
      await kill();
      await revive();
      await expectTold(world, UNKNOWN);
      const likely = await person.shows(card, 'Most likely bought');
      expect(likely.text).toContain("Don't repeat");
      expect(world.asked(BUY)).toBe(1);
      expect((await world.rental()).orders).toHaveLength(1);
    }),
  TEST_MS,
);

test.concurrent(
  'killed before the outcome is shown: shows it after a restart',
  () =>
    withBotProcess(async ({ world, kill, revive, stateOf }) => {
      const person = world.person(HOLDER);
      await linkAccount(person);
      const card = await toCard(person);
      await world.telegramFault('editMessageText', 'hang', { times: 100 });
      await person.tap('Confirm');
      await eventually(async () => expect(await stateOf(operationOf(card))).toBe('done'));
      await kill();
      expect((await person.shows(card, operationOf(card))).text).toContain('Check before you confirm');
      await revive();
      const [order] = (await world.rental()).orders;
      expect((await person.shows(card, 'Bought')).text).toContain(`Order ${order?.order_id}`);
      expect(await world.told(UNKNOWN)).toBe(0);
      expect(world.asked(BUY)).toBe(1);
    }),
  TEST_MS,
);

test.concurrent(
  'killed before the request: sends nothing, and asks the user to try again',
  () =>
    withBotProcess(async ({ world, kill, revive, stateOf }) => {
      const person = world.person(HOLDER);
      await linkAccount(person);
      const card = await toCard(person);
      await world.settled();
      await world.fault('GET /account/profile', 'latency', { ms: 300_000, times: 10 });
      await world.telegramFault('getUpdates', 'hang', { times: 10 });
      await person.tap('Confirm');
      await eventually(async () => expect(await stateOf(operationOf(card))).toBe('claimed'));
      await kill();
      expect(await world.control<number>('GET', '/telegram/pending')).toBe(1);
      expect(world.asked(BUY)).toBe(0);
      await revive();
      const refused = await person.shows(card, "The request wasn't sent. Try again.");
      expect(refused.text).toContain('Nothing was charged');
      await world.settled();
      expect(world.asked(BUY)).toBe(0);
      expect((await world.rental()).orders).toEqual([]);
    }),
  TEST_MS,
);

test.concurrent(
  'killed while processing updates that Telegram no longer has: processes them after a restart',
  () =>
    withBotProcess(async ({ world, kill, revive }) => {
      const person = world.person(HOLDER);
      await linkAccount(person);
      await world.settled();
      await world.fault('GET /account/profile', 'latency', { ms: 300_000, times: 10 });
      const asked = world.asked('GET /account/profile');
      await person.say('/account');
      await person.say('/cancel');
      await eventually(() => expect(world.asked('GET /account/profile')).toBe(asked + 1));
      await world.settled();
      await kill();
      const { length } = await person.messages();
      await revive();
      const answered = await person.until('both replies', (shown) => shown.length >= length + 2 && shown);
      expect(answered.slice(length).map(({ text }) => text)).toEqual([
        expect.stringContaining('TRX'),
        expect.stringContaining('There was nothing to stop'),
      ]);
    }),
  TEST_MS,
);

test.concurrent(
  'killed after a 2FA code: sends nothing, removes the code, and notifies the user',
  () =>
    withBotProcess(async ({ world, kill, revive }) => {
      const person = world.person(HOLDER);
      await linkAccount(person, 'totp-key');
      const card = await toCode(person);
      const asked = world.asked('GET /account/profile');
      await world.fault('GET /account/profile', 'latency', { ms: 4_000 });
      const code = codeNow();
      await person.say(code);
      await eventually(() => expect(world.asked('GET /account/profile')).toBeGreaterThan(asked));
      await kill();
      await revive();
      await person.shows(card, "The request wasn't sent. Try again.");
      expect(world.asked('POST /account/withdrawal')).toBe(0);
      expect(JSON.stringify(await person.messages())).not.toContain(code);
    }),
  TEST_MS,
);
