import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type Chat, followChat } from '../chaos/chat.ts';
import type { Journal } from '../chaos/journal.ts';
import { accountOf, addressOf, FIRST_PERSON, keyOf, TOKEN } from '../chaos/people.ts';
import { type SandboxProcess, startSandbox } from '../chaos/sandbox-process.ts';
import { fixedPart } from '../support/locales.ts';
import { findButton, type ShownMessage } from '../support/person.ts';
import { botReady, isGone, killProcess, spawnBot } from '../support/processes.ts';
import { freePort, type RedisServer, startRedis } from '../support/redis-process.ts';

/** Maximum wait for the bot, in milliseconds. */
const PATIENCE_MS = 60_000;
/** Pause before *Confirm*. The bot ignores a tap on a card that is younger than 0.7 seconds. */
const READING_MS = 750;
const POLL_MS = 20;
/** Text of a purchase that wasn't made. */
const DENIAL = fixedPart('energy-refused');

/** Result of a drill. `findings`: what contradicts docs/operating/backup.md, one sentence each. */
export interface Drill {
  purchases: number;
  /** Purchases whose request had no response at the time of the backup. */
  underWay: number;
  findings: string[];
}

/**
 * Follows docs/operating/backup.md on the real bot with the simulated service and a Redis of its own: backup, purchases,
 * restore of the backup, start. Every fourth user has a purchase without a response at the backup. The others have an
 * open card, and confirm it afterwards.
 */
export async function restoreDrill({ people, seed }: { people: number; seed: number }): Promise<Drill> {
  // The last user is the admin.
  const sandbox = await startSandbox(people + 1);
  const redis = await startRedis(['--appendfsync', 'always']);
  const folder = await mkdtemp(join(tmpdir(), 'restore-drill-'));
  const bot = createBot(sandbox.origin, redis.url, FIRST_PERSON + people);
  const ids = Array.from({ length: people + 1 }, (_, at) => FIRST_PERSON + at);
  const chats = await Promise.all(ids.map((id) => followChat(sandbox.origin, id)));
  try {
    return await drill();
  } finally {
    for (const chat of chats) chat.leave();
    await bot.kill();
    await redis.stop();
    sandbox.stop();
    await rm(folder, { recursive: true });
  }

  async function drill(): Promise<Drill> {
    const admin = chats.at(-1) as Chat;
    const buyers = chats.slice(0, -1).map((chat) => createBuyer(chat, seed));
    // Users of a shared account would wait for each other's purchases.
    const [hanging, shopping] = [true, false].map((is) => buyers.filter((_, at) => (at % 4 === 1) === is));
    await bot.start();
    await admin.say('/start');
    await all(buyers, (buyer) => buyer.link());
    await all(buyers, (buyer) => buyer.buy('before'));

    const cards = await all(shopping, async (buyer) => ({ buyer, card: await buyer.open('card') }));
    const fault = { endpoint: 'POST /energy/buy', kind: 'hang-after', times: hanging?.length };
    if (fault.times) await sandbox.control('POST', '/sandbox/rental/faults', fault);
    const underWay = await all(hanging, async (buyer) => {
      const card = await buyer.open('under way');
      await buyer.tapConfirm(card);
      return { buyer, card };
    });
    while (await isFaultLeft(sandbox)) await delay(POLL_MS);
    const backup = await backUp(redis, folder);

    await all(cards, async ({ buyer, card }) => {
      await buyer.tapConfirm(card);
      await buyer.shows(card, fixedPart('energy-done'));
    });
    await all(shopping, (buyer) => buyer.buy('after'));

    await Promise.all([bot.kill(), redis.kill()]);
    const seenBefore = buyers.map(({ chat }) => chat.seen.length);
    await restore(redis, backup);
    await bot.start();
    await all(cards, ({ buyer, card }) => buyer.tapConfirm(card));

    const expected = [
      expectText(admin, fixedPart('continuity-unproved')),
      ...cards.map(async ({ buyer, card }) => {
        await buyer.tap(await buyer.shows(card, fixedPart('operation-void')), fixedPart('button-show-again'));
        await buyer.shows(card, fixedPart('operation-repeats-void'));
      }),
      ...underWay.map(({ buyer, card }) => buyer.shows(card, fixedPart('operation-uncertain'))),
    ];
    const missing = (await Promise.allSettled(expected)).flatMap((one) =>
      one.status === 'rejected' ? [String(one.reason)] : [],
    );
    const said = buyers.flatMap(({ chat }, at) =>
      chat.seen.slice(seenBefore[at]).map(({ message }) => message?.text ?? ''),
    );
    await all(shopping, (buyer) => buyer.buy('last'));
    const { money } = await sandbox.control<Journal>('GET', JOURNAL);
    const names = money.map(({ purchase }) => purchase);
    const twice = names.filter((name, at) => names.indexOf(name) !== at);
    return {
      purchases: names.length,
      underWay: underWay.length,
      findings: [
        ...missing,
        ...twice.map((name) => `requested twice: ${name}`),
        // All of them went through.
        ...said.filter((text) => text.includes(DENIAL)).map((text) => `denies a purchase: ${text}`),
      ],
    };
  }
}

/** Runs an action for all users at once. */
const all = <T, Result>(these: readonly T[] = [], action: (one: T) => Promise<Result>) =>
  Promise.all(these.map(action));

const JOURNAL = '/chaos/journal';

/** Returns whether a fault waits for a request. The sandbox delays requests before it applies one. */
async function isFaultLeft(sandbox: SandboxProcess): Promise<boolean> {
  const { faults } = await sandbox.control<{ faults: unknown[] }>('GET', '/sandbox/rental/state');
  return faults.length > 0;
}

/** Returns a copy of Redis' data, made while Redis runs. */
async function backUp({ url }: RedisServer, folder: string): Promise<{ data: string; copy: string }> {
  const redis = new Redis(url);
  try {
    const [, data = ''] = (await redis.config('GET', 'dir')) as string[];
    await redis.bgsave();
    while (!/rdb_bgsave_in_progress:0/.test(await redis.info('persistence'))) await delay(POLL_MS);
    const copy = join(folder, 'backup.rdb');
    await cp(join(data, 'dump.rdb'), copy);
    return { data, copy };
  } finally {
    redis.disconnect();
  }
}

/** Makes the copy the base of the append-only file and starts Redis. */
async function restore(redis: RedisServer, { data, copy }: { data: string; copy: string }): Promise<void> {
  const files = join(data, 'appendonlydir');
  await rm(data, { recursive: true });
  await mkdir(files, { recursive: true });
  await cp(copy, join(files, 'appendonly.aof.1.base.rdb'));
  await writeFile(join(files, 'appendonly.aof.manifest'), 'file appendonly.aof.1.base.rdb seq 1 type b\n');
  await redis.restart();
}

function createBot(origin: string, redisUrl: string, admin: number) {
  const secretKey = randomBytes(32).toString('base64');
  let child: ReturnType<typeof spawnBot> | undefined;
  return {
    async start(): Promise<void> {
      const port = await freePort();
      const bot = spawnBot(
        ['scripts/start.js', 'main'],
        {
          BOT_TOKEN: TOKEN,
          TELEGRAM_API_ROOT: `${origin}/telegram`,
          RENTAL_API_URL: `${origin}/api`,
          REDIS_URL: redisUrl,
          SECRET_KEY: secretKey,
          ADMIN_IDS: String(admin),
          PORT: String(port),
          LOG_LEVEL: 'fatal',
        },
        ['ignore', 'ignore', 'inherit'],
      );
      child = bot;
      await botReady(`http://127.0.0.1:${port}`, () => isGone(bot), PATIENCE_MS);
    },
    kill: async () => child && killProcess(child),
  };
}

/** Waits for a message of the bot that contains `part`. */
async function expectText(chat: Chat, part: string, below = 0): Promise<ShownMessage> {
  const find = () =>
    chat.messages().findLast((m) => m.from === 'bot' && m.message_id > below && m.text?.includes(part));
  const found = await chat.until(find, PATIENCE_MS, new AbortController().signal);
  if (found === undefined) {
    const last = chat.messages().findLast(({ from }) => from === 'bot')?.text;
    throw new Error(`chat ${chat.id} never showed “${part}”. It ends with: ${last}`);
  }
  return found;
}

/** Creates a user who buys energy, each time for another address. */
function createBuyer(chat: Chat, seed: number) {
  const buyer = {
    chat,
    async link(): Promise<void> {
      const asked = await expectText(chat, fixedPart('menu-guest'), await chat.say('/start'));
      await buyer.tap(asked, fixedPart('button-link'));
      await expectText(chat, fixedPart('link-question'));
      await expectText(chat, fixedPart('link-done'), await chat.say(keyOf(accountOf(chat.id))));
    },
    async tap(message: ShownMessage, label: string): Promise<void> {
      const data = findButton([message], label)?.[1].data;
      if (data === undefined) throw new Error(`chat ${chat.id} has no button “${label}”: ${message.text}`);
      await chat.tap(message.message_id, data);
    },
    /** Opens the card of a purchase. */
    async open(label: string): Promise<ShownMessage> {
      const id = await chat.say('/buy');
      await expectText(chat, fixedPart('energy-address'), id);
      await chat.say(addressOf(`${seed}/${chat.id}/${label}`));
      return expectText(chat, fixedPart('operation-check'), id);
    },
    /** Taps *Confirm* until the card changes: a busy bot may have shown it later than the chat got it. */
    async tapConfirm(card: ShownMessage): Promise<void> {
      const isOpen = () =>
        chat
          .messages()
          .some((m) => m.message_id === card.message_id && m.text?.includes(fixedPart('operation-check')));
      do {
        await delay(READING_MS);
        await buyer.tap(card, fixedPart('button-confirm'));
        await chat.until(() => (isOpen() ? undefined : true), READING_MS, new AbortController().signal);
      } while (isOpen());
    },
    async shows({ message_id }: ShownMessage, part: string): Promise<ShownMessage> {
      return expectText(chat, part, message_id - 1);
    },
    async buy(label: string): Promise<void> {
      const card = await buyer.open(label);
      await buyer.tapConfirm(card);
      await buyer.shows(card, fixedPart('energy-done'));
    },
  };
  return buyer;
}
