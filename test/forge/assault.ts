import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Pool } from 'undici';
import { memoryOf } from '../bench/process-cpu.ts';
import { type Delivery, keyOf, startSandbox } from '../event-kills/sandbox.ts';
import { createVictim } from '../event-kills/victim.ts';
import { createRandom } from '../sandbox/conservation/random.ts';
import { startRedis } from '../support/redis-process.ts';
import { linkWithEvents } from '../support/steps.ts';
import { type Answers, createAnswers } from './answers.ts';
import { createForger, type Known } from './forgeries.ts';
import { sendHalf } from './half-sent.ts';

export interface Assault {
  /** Path of the bundle of `bot.ts`. */
  file: string;
  seed: number;
  /** Forgeries passed directly to the app, and those sent over connections. */
  count: number;
  overConnections: number;
  halfSent: number;
  accounts: number;
  progress?: (line: string) => void;
  onOutput?: (line: string) => void;
}

export interface Halves {
  /** Description of the sender. */
  who: string;
  cut: number;
  lastMs: number;
  /** Memory in bytes, before and at most. */
  idle: number;
  most: number;
  /**
   * Genuine deliveries at that time: number accepted, number of those that needed retries, and the slowest in
   * milliseconds.
   */
  taken: number;
  late: number;
  worst: number;
}

export type Assaulted = Awaited<ReturnType<typeof assault>>;

const CONNECTIONS = 50;
/** Forgeries per progress report. */
const PORTION = 100_000;
const CUT_WITHIN_MS = 30_000;
const TOLD_WITHIN_MS = 60_000;

/** Sends forged deliveries of every kind and compares chats, storage and process before and after. */
export async function assault(about: Assault) {
  const { seed, count, overConnections, halfSent, accounts, progress } = about;
  const server = await startRedis();
  const redis = new Redis(server.url);
  const sandbox = await startSandbox(accounts);
  const victim = await createVictim({ ...about, sandbox: sandbox.origin, redisUrl: server.url });
  const { people, control } = sandbox;
  let most = 0;
  const watch = setInterval(() => {
    try {
      most = Math.max(most, memoryOf(victim.pid()));
    } catch {
      // The process is just being restarted.
    }
  }, 100);
  let deposits = 0;

  /** Makes a genuine deposit at each account. Resolves once every user is notified. */
  async function genuine(): Promise<string[]> {
    const amount = `${++deposits}.5`;
    const tells = `✅ ${amount} TRX was credited`;
    for (const { chat } of people) await control('POST', `/rental/accounts/${chat}/deposit`, { amount });
    await Promise.all(people.map((person) => person.reads(tells)));
    return [tells];
  }

  /** Sends incomplete bodies to a new process, and measures genuine deliveries at the same time. */
  async function half(
    paths: readonly string[],
    deliveries: readonly Delivery[],
  ): Promise<Omit<Halves, 'who'>> {
    await anew();
    const idle = memoryOf(victim.pid());
    const sent = sendHalf({ origin: victim.origin, paths, count: halfSent, patienceMs: CUT_WITHIN_MS });
    const taken = await meanwhile(deliveries, sent);
    const worst = Math.max(0, ...taken.map(({ ms }) => ms));
    const late = taken.filter(({ tries }) => tries > 1).length;
    return { ...(await sent), idle, most, taken: taken.length, late, worst };
  }

  async function anew(): Promise<void> {
    await victim.kill();
    victim.start();
    await victim.ready();
    most = 0;
  }

  /** Returns the messages of each chat. */
  const shown = () => Promise.all(people.map((person) => person.messages()));

  async function overSockets(known: Known): Promise<Answers> {
    const answers = createAnswers();
    const forger = createForger(known, createRandom(seed + 1));
    const pool = new Pool(victim.origin, { connections: CONNECTIONS });
    let left = overConnections;
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (left > 0) {
          left -= 1;
          const forgery = forger.next();
          const { method, path, headers, body } = forgery;
          const names = headers.map(([name]) => name);
          const repeated = names.some((name, at) => names.indexOf(name) !== at);
          const answer = await pool
            .request({
              method: method as 'POST',
              path,
              headers: repeated ? headers.flat() : Object.fromEntries(headers),
              body,
            })
            .catch((error: Error) => error.message);
          if (typeof answer === 'string') {
            answers.note(forgery, { status: 0, headers: [answer], body: '' });
            continue;
          }
          const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`);
          answers.note(forgery, {
            status: answer.statusCode,
            headers: lines,
            body: await answer.body.text(),
          });
        }
      }),
    );
    await pool.close();
    return answers.all();
  }

  async function allHandled(): Promise<void> {
    const end = Date.now() + TOLD_WITHIN_MS;
    while (Date.now() < end && (await unhandled()) > 0) await delay(100);
  }

  /** Counts stored events that aren't handled yet. The count should soon be zero. */
  async function unhandled(): Promise<number> {
    const keys = await redis.keys('event:*');
    const texts = keys.length > 0 ? await redis.mget(keys) : [];
    return texts.filter((text) => text !== null && !text.endsWith('"handled"')).length;
  }

  try {
    await sandbox.inFrontOf(victim.origin);
    victim.start();
    await victim.ready();
    await Promise.all(people.map((person) => linkWithEvents(person, keyOf(person.chat))));
    await genuine();
    const known: Known = { deliveries: [...sandbox.deliveries], secrets: [...sandbox.secrets] };
    const before = await shown();

    const began = Date.now();
    const answers: Answers[] = [];
    for (let done = 0; done < count; done += PORTION) {
      const portion = Math.min(PORTION, count - done);
      victim.ask({ count: portion, seed: seed + 2 + done, known });
      answers.push(await victim.answer<Answers>());
      progress?.(`${Math.round((Date.now() - began) / 1000)} s: ${done + portion} forged, ${mb(most)} MB`);
    }
    const bulkSeconds = (Date.now() - began) / 1000;
    const fellAmid = victim.fell();
    // The previous process also created the forgeries. A new one shows the memory that receiving them takes.
    await anew();
    const connecting = Date.now();
    const connected = await overSockets(known);
    const connectedSeconds = (Date.now() - connecting) / 1000;
    const mostForged = most;

    const paths = known.secrets.map(([path]) => path);
    const halves: Halves[] = [];
    for (const [who, some] of [
      ['who knows the paths', paths],
      ['who knows none', ['/events/unknown']],
    ] as const)
      if (halfSent > 0) halves.push({ who, ...(await half(some, known.deliveries)) });

    await allHandled();
    const changed = JSON.stringify(await shown()) !== JSON.stringify(before);
    const tells = await genuine();
    const after = await shown();
    const more = after.flatMap((messages, at) => messages.slice(before[at]?.length ?? 0));
    // The latest events may not be marked as handled yet.
    await allHandled();
    const others = more.filter(({ text = '' }) => !tells.some((part) => text.includes(part)));
    return {
      ...{ answers: [...answers, connected], bulkSeconds, connectedSeconds },
      ...{ mostForged, halves },
      ...{ changed, unhandled: await unhandled(), records: (await redis.keys('event:*')).length },
      untold: people.length - (more.length - others.length),
      others: others.length,
      fell: fellAmid ?? victim.fell(),
    };
  } finally {
    clearInterval(watch);
    await victim.kill();
    redis.disconnect();
    sandbox.stop();
    await server.stop();
  }

  /** Sends genuine deliveries like the service, each over a new connection with retries, until `until` resolves. */
  async function meanwhile(deliveries: readonly Delivery[], until: Promise<unknown>) {
    let isOver = false;
    void until.then(() => {
      isOver = true;
    });
    const took: { ms: number; tries: number }[] = [];
    for (let at = 0; !isOver; at++) {
      const one = deliveries[at % deliveries.length];
      if (one === undefined) break;
      const began = performance.now();
      for (let tries = 1; ; tries++) {
        const answer = await fetch(`${victim.origin}${one.path}`, {
          method: 'POST',
          headers: { 'x-webhook-signature': one.signature, connection: 'close' },
          body: one.body,
        }).catch(() => undefined);
        await answer?.text();
        if (answer?.ok) {
          took.push({ ms: performance.now() - began, tries });
          break;
        }
        await delay(250);
      }
      await delay(100);
    }
    return took;
  }
}

export const mb = (bytes: number) => Math.round(bytes / 1024 / 1024);
