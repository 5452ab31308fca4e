import { randomBytes } from 'node:crypto';
import { setGlobalDispatcher } from 'undici';
import type { Config } from '../../src/config.ts';
import { createClock } from '../../src/sandbox/clock.ts';
import { createSandbox } from '../../src/sandbox/server.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { recordingLog } from '../support/log-lines.ts';
import { createPerson, type Person } from '../support/person.ts';
import type { RentalState } from '../support/rental-state.ts';
import { createSandboxRequests } from '../support/sandbox-requests.ts';
import { configAt, TOKEN } from '../support/world.ts';
import { type Crossing, type Fault, type FaultKind, faultsAt } from './faults.ts';
import { createInstance, dispatcherOf, type Gate, type Instance, outsideOf } from './instance.ts';
import type { VirtualTime } from './virtual-time.ts';

const ORIGIN = 'http://localhost';
/** After a crash another process is started so soon. */
const RESTART_MS = 2_000;
/** Delay of a call. A second replica takes over within this time. */
const DELAY_MS = 90_000;

/** A script that takes longer waits for something that never comes. */
const LONGEST_SCRIPT_MS = 24 * 3600_000;

/** A call of the bot to Telegram, as the sandbox has recorded it. */
export interface TelegramCall {
  method: string;
  params: { chat_id?: number; text?: string; caption?: string };
  description?: string;
}

/** Record of a schedule: the counted crossings of the first instance, and the fault that struck. */
export interface Trace {
  crossings: Crossing[];
  /** The fault that struck, with what it struck. */
  struck?: { fault: Fault; crossing: Crossing };
  instances: number;
  /** Number of writes that the storage refused because the value had changed. */
  staleWrites: number;
  /** Updates or events that were delivered more than once. */
  duplicates: number;
}

/** The whole application on in-memory adapters, with the sandbox as the outside. */
export interface SimulatedWorld {
  readonly trace: Trace;
  readonly log: readonly string[];
  /** Changes of operations' states, as `claimed sent`. */
  readonly transitions: ReadonlySet<string>;
  readonly storage: Storage;
  person(chat: number): Person;
  rental(): Promise<RentalState>;
  calls(): Promise<TelegramCall[]>;
  /** Counts crossings from now on, and lets the fault strike at its number. */
  count(fault?: Fault): void;
  /** Ends counting. */
  stopCounting(): void;
  /** Runs a script while time passes. Rejects as the script does, or if it takes too long. */
  during<Result>(script: () => Promise<Result>): Promise<Result>;
  /** Lets time pass in jumps until all work has ended. */
  calm(): Promise<void>;
  end(): Promise<void>;
}

export interface WorldOptions {
  time: VirtualTime;
  /** Changes the storage that all instances share: a sabotage does. */
  alter?: (storage: Storage) => Storage;
}

export async function createSimulatedWorld({
  time,
  alter = (same) => same,
}: WorldOptions): Promise<SimulatedWorld> {
  const sandbox = createSandbox({ token: TOKEN, clock: createClock(), limits: false });
  const requests = createSandboxRequests(sandbox);
  const { ask: control } = requests;
  const transitions = new Set<string>();
  const storage = noteStates(alter(createMemoryStorage()), transitions);
  const { log, texts } = recordingLog({ secrets: [TOKEN] });
  const trace: Trace = { crossings: [], instances: 0, staleWrites: 0, duplicates: 0 };
  const people = new Map<number, Person>();
  const instances: { instance: Instance; gate: Gate }[] = [];
  let counting: { instance: number; fault: Fault | undefined } | undefined;

  const config: Config = { ...configAt(ORIGIN), publicUrl: ORIGIN, secretKeys: [randomBytes(32)] };
  const never = () => new Promise<never>(() => undefined);

  function createGate(id: number): Gate {
    let isAlive = true;
    const crash = () => {
      isAlive = false;
      outsideOf(() => setTimeout(() => void start(), RESTART_MS));
    };
    /** Counts a crossing; returns the fault that strikes there. */
    const faultFor = (crossing: Crossing): FaultKind | undefined => {
      if (counting?.instance !== id) return undefined;
      const at = trace.crossings.push(crossing) - 1;
      const { fault } = counting;
      if (trace.struck || fault?.at !== at || !faultsAt(crossing).includes(fault.kind)) return undefined;
      trace.struck = { fault, crossing };
      return fault.kind;
    };
    return {
      get isAlive() {
        return isAlive;
      },
      crash,
      timer() {
        if (faultFor({ kind: 'timer', name: 'fires', changes: true }) !== 'crash-before') return true;
        crash();
        return false;
      },
      async cross(crossing, call, lost) {
        time.active();
        if (!isAlive) return never();
        const kind = faultFor(crossing);
        if (kind === 'crash-before') {
          crash();
          return never();
        }
        if (kind === 'delay') {
          await outsideOf(start);
          await outsideOf(() => new Promise((resolve) => setTimeout(resolve, DELAY_MS)));
        }
        if (kind === 'repeat') {
          if (crossing.kind === 'delivery') trace.duplicates += 1;
          await Promise.allSettled([call()]);
        }
        const outcome = await call().finally(time.active);
        if (kind === 'crash-after') crash();
        if (!isAlive) return never();
        if (kind === 'lose-result') throw lost();
        return outcome;
      },
    };
  }

  async function start(): Promise<void> {
    const gate = createGate(trace.instances++);
    const instance = createInstance({
      gate,
      config,
      storage: counted(storage),
      log,
      outside: async (request) => sandbox.fetch(request),
    });
    instances.push({ instance, gate });
    await instance.run(() => instance.app.start());
  }

  /** Counts refused writes and repeated deliveries. */
  function counted(of: Storage): Storage {
    const stale = <Result>(result: Result, isStale: boolean) => {
      if (isStale) trace.staleWrites += 1;
      return result;
    };
    return {
      ...of,
      replace: async (...given) => of.replace(...given).then((done) => stale(done, !done)),
      chats: {
        ...of.chats,
        commit: async (...given) =>
          of.chats.commit(...given).then((done) => stale(done, done !== 'committed')),
        begin: async (...given) =>
          of.chats.begin(...given).then((begun) => {
            if (begun.kind === 'handled') trace.duplicates += 1;
            return begun;
          }),
      },
    };
  }

  sandbox.behind(async (request) => {
    const alive = instances.filter(({ gate }) => gate.isAlive);
    const latest = alive.at(-1);
    if (latest === undefined) return new Response(null, { status: 502 });
    return latest.instance.receive(request).catch(() => new Response(null, { status: 502 }));
  });
  // The sandbox's own requests: webhooks of Telegram and of the service.
  setGlobalDispatcher(dispatcherOf((request) => Promise.resolve(sandbox.fetch(request))));

  async function during<Result>(script: () => Promise<Result>): Promise<Result> {
    let outcome: { ok: true; result: Result } | { ok: false; error: unknown } | undefined;
    script().then(
      (result) => {
        outcome = { ok: true, result };
      },
      (error: unknown) => {
        outcome = { ok: false, error };
      },
    );
    await time.settle();
    const end = time.now() + LONGEST_SCRIPT_MS;
    while (outcome === undefined) {
      if (time.now() > end) throw new Error('the script takes more than a day');
      await time.next();
    }
    if (!outcome.ok) throw outcome.error;
    return outcome.result;
  }

  await during(start);

  return {
    trace,
    log: texts,
    transitions,
    storage,
    person(chat) {
      const person = people.get(chat) ?? createPerson({ requests, chat });
      people.set(chat, person);
      return person;
    },
    rental: () => control('GET', '/rental/state'),
    calls: () => control('GET', '/telegram/calls'),
    count(fault) {
      counting = { instance: trace.instances - 1, fault };
    },
    stopCounting() {
      counting = undefined;
    },
    during,
    async calm() {
      for (const [jumps, ms] of [
        [60, 2_000],
        [40, 15_000],
        [30, 120_000],
      ] as const) {
        for (let at = 0; at < jumps; at++) await time.jump(ms);
      }
    },
    async end() {
      for (const { gate } of instances) if (gate.isAlive) gate.crash();
      sandbox.stop();
    },
  };
}

/** Notes how the states of operations change. */
function noteStates(of: Storage, transitions: Set<string>): Storage {
  const states = new Map<string, string>();
  const stateIn = (text: string | undefined) => /"state":"(\w+)"/.exec(text ?? '')?.[1];
  const around = async <Result>(key: string, write: () => Promise<Result>): Promise<Result> => {
    // The write comes first: calls that are made together keep their order.
    const result = await write();
    if (!key.startsWith('operation:')) return result;
    const [before, after] = [states.get(key) ?? '[*]', stateIn(await of.get(key))];
    if (after !== undefined && after !== before) transitions.add(`${before} ${after}`);
    if (after !== undefined) states.set(key, after);
    return result;
  };
  return {
    ...of,
    set: (...given) => around(given[0], () => of.set(...given)),
    add: (...given) => around(given[0], () => of.add(...given)),
    replace: (...given) => around(given[0], () => of.replace(...given)),
    replaceAndAdd: (...given) => around(given[0], () => of.replaceAndAdd(...given)),
    chats: {
      ...of.chats,
      commit: (request) => around(request.changes.claim?.key ?? '', () => of.chats.commit(request)),
    },
  };
}
