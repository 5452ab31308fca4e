import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBots } from '../chaos/bots.ts';
import { type Chat, followChat } from '../chaos/chat.ts';
import { createHealth } from '../chaos/health.ts';
import { FIRST_PERSON } from '../chaos/people.ts';
import { type SandboxProcess, startSandbox } from '../chaos/sandbox-process.ts';
import { startRedis } from '../support/redis-process.ts';

export interface BenchWorld {
  sandbox: SandboxProcess;
  /** Address of the bot itself. */
  bot: string;
  flooder: Chat;
  others: Chat[];
}

/** Runs a bot in a separate process with its own Redis, `people` users and one user who floods. */
export async function inBenchWorld<T>(
  { push, people }: { push: boolean; people: number },
  measure: (world: BenchWorld) => Promise<T>,
): Promise<T> {
  const logs = await mkdtemp(join(tmpdir(), 'rental-bot-bench-'));
  const sandbox = await startSandbox(people + 1);
  const redis = await startRedis();
  const health = createHealth();
  const bots = createBots({ origin: sandbox.origin, redisUrl: redis.url, logs, health, logLevel: 'warn' });
  const chats: Chat[] = [];
  try {
    const [bot = ''] = await bots.start({ name: 'bench', push, replicas: 1 });
    await sandbox.control('POST', '/chaos/bots', { origins: [bot] });
    for (let at = 0; at <= people; at++) chats.push(await followChat(sandbox.origin, FIRST_PERSON + at));
    const [flooder, ...others] = chats;
    if (flooder === undefined) throw new Error('there are no users');
    return await measure({ sandbox, bot, flooder, others });
  } finally {
    for (const chat of chats) chat.leave();
    await bots.stop();
    await redis.stop();
    sandbox.stop();
    await rm(logs, { recursive: true, force: true });
  }
}
