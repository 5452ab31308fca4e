import { setTimeout as delay } from 'node:timers/promises';
import { LOG_SEARCH } from '../../../src/account-events/log-search.ts';
import { queueIndexes } from '../../../src/stored-data.ts';
import type { Started } from '../app-process.ts';
import type { Bench, RedisWorld } from '../bench-world.ts';
import { readCpu } from '../process-cpu.ts';
import { FIRST_GUEST, type Filling } from './filling.ts';
import { type Probe, type Shares, sharesOf } from './probe.ts';

/** A start of the process, and the polls that follow. Times since the start and CPU in seconds. */
export interface Start {
  ready: { seconds: number; cpu: number };
  answered: { seconds: number; cpu: number };
  /** Time from readiness to the first poll. Missing if there was none. */
  firstPollSeconds?: number;
  polls: Polls;
  /**
   * Linked accounts whose webhook log was read, is due soon or will be reached by the stored search. Events of the others
   * stay lost for hours.
   */
  covered: number;
}

/** Polls of invoices a second, and the time from readiness to the first one. */
export interface InvoicePolls {
  perSecond: number;
  /** Missing if there was none. */
  firstSeconds?: number;
}

/** Polls of lists, requests to the service, and CPU, a second. */
interface Polls extends Shares {
  count: number;
  perSecond: number;
  requestsPerSecond: number;
}

/** Longest wait for the first poll, and for all accounts to be due, in milliseconds. */
const FIRST_POLL_MS = 300_000;
const COVERED_MS = 120_000;
/** Polls are over when none was made for this time, in milliseconds. */
const QUIET_MS = 3_000;
/** Time within which a poll counts as due soon, in milliseconds. */
const SOON_MS = 60_000;

/** Creates the measurement of starts, after which the bot reads the webhook log of every account. */
export function createStarts(
  { standIns }: Bench,
  deps: {
    world: RedisWorld;
    probe: Probe;
    filling: Filling;
    start: () => Promise<Started>;
    accounts: ReadonlySet<number>;
    pollSeconds: number;
  },
) {
  const { world, probe, filling, start, accounts, pollSeconds } = deps;

  /** Returns the accounts whose webhook log is due now or soon. */
  async function dueAccounts(): Promise<number[]> {
    const until = filling.storage.now() + SOON_MS;
    const indexes = queueIndexes().polls ?? [];
    const due = await Promise.all(indexes.map((name) => world.redis.zrangebyscore(name, '-inf', until)));
    return due.flat().flatMap((member) => Number(/^(\d+)\/log$/.exec(member)?.[1] ?? []));
  }

  /** Returns whether the search of all webhook logs will reach an account. */
  async function readSearch(): Promise<(account: number) => boolean> {
    const { above, round } = LOG_SEARCH.schema.parse(
      JSON.parse((await filling.storage.get(LOG_SEARCH.keys)) ?? '{"above":0}'),
    );
    if (round === undefined) return () => false;
    const { hasWrapped, until } = round;
    return (account) =>
      hasWrapped ? account > above && account <= until : account > above || account <= until;
  }

  /** Counts the covered accounts. Waits until their number is complete or stops growing. */
  async function countCovered(): Promise<number> {
    const end = performance.now() + COVERED_MS;
    for (let before = -1; ; await delay(QUIET_MS)) {
      // Read first, because the search goes on.
      const isAwaited = await readSearch();
      const found = new Set([...(await dueAccounts()), ...(await standIns.ask('polledAccounts', null))]);
      const covered = [...accounts].filter((account) => found.has(account) || isAwaited(account)).length;
      if (covered === accounts.size || covered === before || performance.now() > end) return covered;
      before = covered;
    }
  }

  /** Measures polls from the first one, until none follows or the time is over. */
  async function measurePolls(pid: number): Promise<Polls> {
    const read = () => standIns.ask('polls', null);
    for (const end = performance.now() + FIRST_POLL_MS; performance.now() < end; await delay(QUIET_MS / 60))
      if ((await read()).polls > 0) break;
    const first = await read();
    const { used } = await probe.during(pid, async () => {
      const end = performance.now() + 1_000 * pollSeconds;
      for (let before = -1; performance.now() < end; await delay(QUIET_MS)) {
        const { polls } = await read();
        if (polls === before) break;
        before = polls;
      }
    });
    const last = await read();
    // Less than the measured time if the last poll came before its end.
    const seconds = Math.max(1, last.lastAt - first.lastAt) / 1_000;
    return {
      ...sharesOf({ ...used, seconds }),
      count: last.polls,
      perSecond: (last.polls - first.polls) / seconds,
      requestsPerSecond: (last.requests - first.requests) / seconds,
    };
  }

  return {
    /** Starts the process while every user has an open invoice, whose polls are due. */
    async measureInvoices(users: number): Promise<InvoicePolls> {
      await filling.openInvoices(users);
      await standIns.ask('resetPolls', null);
      const app = await start();
      const readyAt = Date.now();
      try {
        await delay(1_000 * pollSeconds);
        const { invoices } = await standIns.ask('polls', null);
        const perSecond = invoices.polls / ((Date.now() - (invoices.firstAt || readyAt)) / 1_000);
        if (invoices.firstAt === 0) return { perSecond };
        return { perSecond, firstSeconds: Math.max(0, (invoices.firstAt - readyAt) / 1_000) };
      } finally {
        await app.stop();
      }
    },
    /** Starts the process while the service responds after `rentalMs`, and stops it afterwards. */
    async measure(rentalMs: number): Promise<Start> {
      await standIns.ask('delay', { telegramMs: 0, rentalMs });
      await standIns.ask('resetPolls', null);
      const began = Date.now();
      const app = await start();
      const sinceStart = () => ({
        seconds: (Date.now() - began) / 1_000,
        cpu: readCpu({ app: app.pid }).byProcess.app ?? 0,
      });
      const ready = sinceStart();
      try {
        // A guest, because an update of a linked user has their account polled.
        await standIns.ask('visit', { at: FIRST_GUEST, visit: 'start' });
        const answered = sinceStart();
        const polls = await measurePolls(app.pid);
        const { firstAt } = await standIns.ask('polls', null);
        const sinceReady = (firstAt - began) / 1_000 - ready.seconds;
        const covered = await countCovered();
        const measured = { ready, answered, polls, covered };
        return firstAt === 0 ? measured : { ...measured, firstPollSeconds: Math.max(0, sinceReady) };
      } finally {
        await app.stop();
        await standIns.ask('delay', { telegramMs: 0, rentalMs: 0 });
      }
    },
  };
}
