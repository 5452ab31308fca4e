import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Pool } from 'undici';
import { formatAmount } from '../../src/i18n/texts.ts';
import { mb, memoryOf, watchMemory } from '../bench/process-cpu.ts';
import { keyOf } from '../chaos/people.ts';
import { type Delivery, startSandbox } from '../event-kills/sandbox.ts';
import { createVictim } from '../event-kills/victim.ts';
import { createRandom } from '../support/random.ts';
import { startRedis } from '../support/redis-process.ts';
import { linkWithEvents } from '../support/steps.ts';
import { type Answers, createAnswers } from './answers.ts';
import { createForger, type Known } from './forgeries.ts';

interface Assault {
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
  const memory = watchMemory(victim.pid);
  let deposits = 0;

  /** Makes a genuine deposit at each account. Resolves once every user is notified. */
  async function genuine(): Promise<string[]> {
    const amount = `${++deposits}.5`;
    const tells = `✅ ${formatAmount(amount, 'en')} TRX credited`;
    for (const { chat } of people) await control('POST', `/rental/accounts/${chat}/deposit`, { amount });
    await Promise.all(people.map((person) => person.reads(tells)));
    return [tells];
  }

  /** Sends incomplete bodies to a new process, and measures genuine deliveries at the same time. */
  async function half(who: string, paths: readonly string[], deliveries: readonly Delivery[]) {
    await anew();
    const idle = memoryOf(victim.pid());
    const sent = sendHalf({ origin: victim.origin, paths, count: halfSent, patienceMs: CUT_WITHIN_MS });
    const taken = await meanwhile(deliveries, sent);
    const worst = Math.max(0, ...taken.map(({ ms }) => ms));
    const late = taken.filter(({ tries }) => tries > 1).length;
    // `idle` and `most` are memory in bytes, before and at most. `taken`, `late` and `worst` count genuine deliveries: those
    // accepted, those that needed retries, and the slowest in milliseconds.
    return { who, ...(await sent), idle, most: memory.most(), taken: taken.length, late, worst };
  }

  async function anew(): Promise<void> {
    await victim.kill();
    victim.start();
    await victim.ready();
    memory.reset();
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
      progress?.(
        `${Math.round((Date.now() - began) / 1000)} s: ${done + portion} forged, ${mb(memory.most())} MB`,
      );
    }
    const bulkSeconds = (Date.now() - began) / 1000;
    const fellAmid = victim.fell();
    // The previous process also created the forgeries. A new one shows the memory that receiving them takes.
    await anew();
    const connecting = Date.now();
    const connected = await overSockets(known);
    const connectedSeconds = (Date.now() - connecting) / 1000;
    const mostForged = memory.most();

    const paths = known.secrets.map(([path]) => path);
    const halves: Awaited<ReturnType<typeof half>>[] = [];
    if (halfSent > 0) {
      halves.push(await half('with the secret paths', paths, known.deliveries));
      halves.push(await half('without the secret paths', ['/events/unknown'], known.deliveries));
    }

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
      unreported: people.length - (more.length - others.length),
      others: others.length,
      fell: fellAmid ?? victim.fell(),
    };
  } finally {
    memory.stop();
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

const A_SECOND = 750;
const BEGUN = 40_000;
const PROMISED = 60_000;

/**
 * Opens clients that send a part of a body and then wait. Resolves once all are closed or `patienceMs` has passed.
 */
async function sendHalf(about: {
  origin: string;
  paths: readonly string[];
  count: number;
  patienceMs: number;
}): Promise<{ cut: number; lastMs: number }> {
  const { origin, paths, count, patienceMs } = about;
  const { hostname, port } = new URL(origin);
  const held: number[] = [];
  const sockets: Socket[] = [];

  function half(path: string): Promise<void> {
    const began = performance.now();
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: bot\r\nContent-Length: ${PROMISED}\r\n\r\n${'x'.repeat(BEGUN)}`,
    );
    return new Promise((resolve) => {
      socket.once('close', () => {
        held.push(performance.now() - began);
        resolve();
      });
    });
  }

  const cuts: Promise<void>[] = [];
  for (let at = 0; at < count; at++) {
    cuts.push(half(paths[at % paths.length] ?? '/'));
    if (at % 10 === 9) await delay(10_000 / A_SECOND);
  }
  await Promise.race([Promise.all(cuts), delay(patienceMs, undefined, { ref: false })]);
  const cut = held.length;
  for (const socket of sockets) socket.destroy();
  return { cut, lastMs: Math.max(0, ...held) };
}

const MAX_MEMORY = 200 * 1024 * 1024;
/** Maximum memory of a process that receives thousands of bodies a second, in bytes. Garbage adds up. */
const MAX_FORGED = 300 * 1024 * 1024;
/** Maximum time until an incomplete request is closed on a busy machine, in milliseconds. */
const MAX_CUT_MS = 10_000;
/** Maximum time of a genuine delivery during incomplete ones on a busy machine, in milliseconds. */
const TAKEN_WITHIN_MS = 2_000;
const EXPECTED = [200, 404, 413, 429];

/** Returns a line for each violated expectation. */
export function faultsOf(assaulted: Assaulted): string[] {
  const { answers, changed, unhandled, unreported, others, fell, mostForged, halves } = assaulted;
  const faults: string[] = [];
  for (const one of answers) {
    const kinds = Object.entries(one.kinds);
    const refusals = kinds.filter(([, { status }]) => status === 404);
    if (refusals.length > 1)
      faults.push(`refusals differ: ${JSON.stringify(refusals.map(([kind]) => kind))}`);
    for (const [kind, { status }] of kinds) {
      if (!EXPECTED.includes(status)) faults.push(`unexpected response: ${JSON.stringify(kind)}`);
      if (!kind.endsWith('\n\n')) faults.push(`response with a body: ${JSON.stringify(kind)}`);
    }
    for (const [name, counts] of Object.entries(one.statuses)) {
      const isTaken = name.startsWith('signed') || name === 'what came already';
      if (!isTaken && counts[200]) faults.push(`${name}: ${counts[200]} were accepted`);
    }
  }
  if (changed) faults.push('the forgeries changed the chats');
  if (others > 0) faults.push(`${others} messages are about nothing that happened`);
  if (unreported > 0) faults.push(`${unreported} users were not notified of a real event`);
  if (unhandled > 0) faults.push(`${unhandled} records were never handled`);
  if (fell) faults.push(fell);
  for (const { most, lastMs, worst } of halves) {
    if (most > MAX_MEMORY) faults.push(`${mb(most)} MB of memory for half-sent bodies`);
    if (lastMs > MAX_CUT_MS)
      faults.push(`a connection with a half-sent body stayed open for ${Math.round(lastMs)} ms`);
    if (worst > TAKEN_WITHIN_MS)
      faults.push(`a genuine delivery took ${Math.round(worst)} ms during half-sent bodies`);
  }
  if (mostForged > MAX_FORGED) faults.push(`${mb(mostForged)} MB of memory`);
  return faults;
}
