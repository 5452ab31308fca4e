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
/** Within this time of a restart the user knows: half of what is promised, of a bot four times as quick to look. */
const PROMISED_MS = 10_000;
const TEST_MS = 90_000;

interface Journey {
  world: World;
  /** Kills the bot as it is. */
  kill(): Promise<void>;
  /** Starts it again. */
  revive(): Promise<void>;
  /** The state of an operation in Redis. */
  stateOf(operation: string): Promise<string>;
}

/** A world whose bot is a process of its own, which can be killed. */
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
          // Behind its signature.
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

/** The chat is told this within the promised time, also if something else soon takes its place. */
async function expectTold(world: World, part: string): Promise<void> {
  const look = async () => expect(await world.told(part)).toBeGreaterThan(0);
  await vi.waitFor(look, { timeout: PROMISED_MS, interval: 50 });
}

test.concurrent(
  'killed between the request and its answer: the user is told not to repeat, and nothing is sent again',
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
  'killed after the service executed it and before it answered: told as unknown, then as likely, once',
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
  'killed after the answer and before its user was told: they are told the outcome',
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
  'killed after Confirm and before the request: nothing is sent, and the user is told to try again',
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
  'killed while it handled what it had already confirmed to Telegram: it is handled at the next start',
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
      const answered = await person.until('both answers', (shown) => shown.length >= length + 2 && shown);
      expect(answered.slice(length).map(({ text }) => text)).toEqual([
        expect.stringContaining('TRX'),
        expect.stringContaining('There was nothing to stop'),
      ]);
    }),
  TEST_MS,
);

test.concurrent(
  'killed between a withdrawal’s code and its request: nothing is sent, the code is nowhere, and its user is told',
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
