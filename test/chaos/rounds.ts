import { setMaxListeners } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bots, SetUp } from './bots.ts';
import type { Chat } from './chat.ts';
import type { Health } from './health.ts';
import type { Acts } from './person.ts';
import type { SandboxProcess } from './sandbox-process.ts';
import type { Storm, Weather } from './storm.ts';
import { detailsOf, type Finding, gather, judge, type Verdict } from './verdict.ts';

/** Longest quiet period, in milliseconds. Longer than the service's delays and the notification deadline together. */
const QUIET_MS = 60_000;
const POLL_MS = 1_000;

/** Runs rounds: a storm while users shop, then a quiet period, then the verdict on all rounds up to now. */
export function createRounds(deps: {
  sandbox: SandboxProcess;
  bots: Bots;
  storm: Storm;
  weather: Weather;
  health: Health;
  chats: Chat[];
  acts: Acts;
  logs: string;
  /** Makes all users shop until the signal aborts. */
  shop(signal: AbortSignal): Promise<void>;
}) {
  const { sandbox, bots, storm, weather, health, chats, acts, logs, shop } = deps;
  const findings = new Map<string, Finding>();
  let latest: Verdict = { findings: [], confirmations: 0, executions: 0, reportedWithinMs: 0 };

  async function look() {
    const { journal, executed } = await gather(sandbox);
    latest = judge({ chats, taps: acts.taps, journal, executed, health });
    return { journal, fresh: latest.findings.filter(({ key }) => !findings.has(key)) };
  }

  /** Waits until all outcomes are shown and all taps answered, or until the quiet period ends. */
  async function quiet(): Promise<void> {
    while (!health.isWell()) await delay(POLL_MS);
    for (const end = Date.now() + QUIET_MS; Date.now() < end; await delay(POLL_MS)) {
      const pending = await sandbox.control<number>('GET', '/sandbox/telegram/pending');
      if (pending > 0 || !health.isWell()) continue;
      const { fresh } = await look();
      if (fresh.every(({ kind }) => kind === 'doubled' || kind === 'late')) return;
    }
  }

  async function report(): Promise<void> {
    const { journal, fresh } = await look();
    for (const finding of fresh) {
      findings.set(finding.key, finding);
      const chat = chats.find(({ id }) => id === finding.chat);
      const details = await detailsOf(finding, { chat, journal, health, sandbox });
      await appendFile(join(logs, 'findings.txt'), `${details}\n\n`);
    }
  }

  return {
    findings: () => [...findings.values()],
    verdict: () => latest,
    async start(setUp: SetUp): Promise<void> {
      // Requests must not reach a process of the previous round.
      await sandbox.control('POST', '/chaos/bots', { origins: [] });
      await sandbox.control('POST', '/chaos/bots', { origins: await bots.start(setUp) });
    },
    async run(stormMs: number): Promise<void> {
      const closing = new AbortController();
      setMaxListeners(0, closing.signal);
      const busy = [shop(closing.signal), weather.blow(closing.signal)];
      await storm.rage(stormMs);
      closing.abort();
      await Promise.all(busy);
      await quiet();
      await report();
    },
  };
}
