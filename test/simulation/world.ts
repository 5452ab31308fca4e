import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { setGlobalDispatcher } from 'undici';
import type { Config } from '../../src/config.ts';
import { orTimeout } from '../../src/platform/async.ts';
import { deriveKeys } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createSignedRecords } from '../../src/platform/records.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { createClock } from '../../src/sandbox/clock.ts';
import { createSandbox } from '../../src/sandbox/server.ts';
import { recordFormats, rotateStoredData } from '../../src/stored-data.ts';
import { recordingLog } from '../support/log-lines.ts';
import { createPerson, type Person } from '../support/person.ts';
import { createSandboxRequests } from '../support/sandbox-requests.ts';
import { storedKeys } from '../support/stored-keys.ts';
import type { RentalState } from '../support/world.ts';
import { configAt, TOKEN } from '../support/world.ts';
import { type Crossing, type Fault, type FaultKind, faultsAt } from './faults.ts';
import {
  createInstance,
  dispatcherOf,
  type Gate,
  gatedStorage,
  type Instance,
  outsideOf,
} from './instance.ts';
import type { Sabotage } from './sabotages.ts';
import type { Scenario } from './scenarios.ts';
import { Unsettled, type VirtualTime } from './virtual-time.ts';

const ORIGIN = 'http://localhost';
/** Time from a crash to the start of the next process. */
const RESTART_MS = 2_000;
/** Delay of a call. A second replica takes over within this time. */
const DELAY_MS = 90_000;
/** Number of processes that `crash-each` ends. */
const CRASHES = 5;
/** Maximum wait of Telegram and of the service for the answer to a delivery. */
const ANSWER_TIMEOUT_MS = 60_000;
const TRY_AGAIN = /went wrong|withdrawals are paused|To link an account, tap/;
/** Maximum time that a person waits for the bot. Longer than the delay of any single fault. */
const PATIENCE_MS = 180_000;
/** Maximum time from the reply of an update until the update is handled. */
export const CALM_MS = 5_000;
/** Maximum time that the actions of a scenario take. */
const LONGEST_SCRIPT_MS = 3600_000;

/** A call of the bot to Telegram, as the sandbox has recorded it. */
export interface TelegramCall {
  method: string;
  params: { chat_id?: number; text?: string; caption?: string };
  description?: string;
}

/** Record of a schedule since counting began. */
export interface Trace {
  /** Counted crossings. Faults are injected at these. */
  crossings: Crossing[];
  /** Crossings of all instances in order, also of those that replace a crashed one. Only counted ones have a number. */
  allCrossings: { instance: number; crossing: Crossing; at?: number }[];
  /** Injected fault, its crossing, and the number of log lines at that moment. */
  injected?: { fault: Fault; crossing: Crossing; logLines: number };
  instances: number;
  /** Number of writes that the storage refused because the value had changed. */
  staleWrites: number;
  /** Updates or events that were delivered more than once. */
  duplicates: number;
}

/** The whole application on in-memory adapters. The sandbox simulates the services that it calls. */
export interface SimulatedWorld {
  readonly trace: Trace;
  readonly log: readonly string[];
  /** Changes of operations' states, as `claimed sent`. */
  readonly transitions: ReadonlySet<string>;
  readonly storage: Storage;
  person(chat: number): Person;
  rental(): Promise<RentalState>;
  /** Returns whether the bot has asked a user to try again since counting began. */
  hasAskedToTryAgain(): Promise<boolean>;
  /** Calls the sandbox's control API. */
  control<T = unknown>(method: string, path: string, body?: object): Promise<T>;
  /** Calls the service with the demo account's key, without the bot. */
  service(method: string, path: string, body: object): Promise<void>;
  /** Messages that the bot has sent since counting began. */
  sent(): Promise<TelegramCall[]>;
  /**
   * Counts the crossings of all present instances, and of those that start later without replacing a crashed or delayed
   * one. Injects the fault at the crossing with its number.
   */
  count(fault?: Fault): Promise<void>;
  /** Ends counting. */
  stopCounting(): void;
  /** Runs a script while time passes. Rejects as the script does, or if it takes too long. */
  during<Result>(script: () => Promise<Result>): Promise<Result>;
  /** Returns the keys of signed records that the present secret keys don't verify. */
  unreadableRecords(): Promise<string[]>;
  /** Advances the clock by this time in one jump. Only scripts call it. */
  passes(ms: number): Promise<void>;
  /** Starts the bot anew with a new secret key before the old one. */
  rotateKey(): Promise<KeyRotation>;
  /** Lets time pass in jumps until all work has ended. */
  calm(): Promise<void>;
  end(): void;
}

/** A change of the secret key, after the bot was started with both keys. */
export interface KeyRotation {
  /** Signs all records with the new key, in a separate process that is repeated until it succeeds. */
  renew(): Promise<void>;
  /** Starts the bot anew with the new key alone. */
  dropOldKey(): Promise<void>;
}

export interface WorldOptions {
  time: VirtualTime;
  scenario: Pick<Scenario, 'config' | 'seed'>;
  sabotage?: Sabotage | undefined;
}

export async function createSimulatedWorld({
  time,
  scenario: { config: settings, seed },
  sabotage,
}: WorldOptions): Promise<SimulatedWorld> {
  const sandbox = createSandbox({ token: TOKEN, clock: createClock(), limits: false, seed });
  const requests = createSandboxRequests(sandbox);
  const { ask: control } = requests;
  const transitions = new Set<string>();
  const memory = createMemoryStorage();
  const storage = noteStates(sabotage?.alter?.(memory) ?? memory, transitions);
  const { log, texts } = recordingLog({ secrets: [TOKEN] });
  const trace: Trace = { crossings: [], allCrossings: [], instances: 0, staleWrites: 0, duplicates: 0 };
  const people = new Map<number, Person>();
  const instances: { instance: Instance; gate: Gate }[] = [];
  const jumps: { ms: number; passed: () => void }[] = [];
  let counting: { fault: Fault | undefined } | undefined;

  const config: Config = {
    ...configAt(ORIGIN),
    publicUrl: ORIGIN,
    secretKeys: [randomBytes(32)],
    ...settings,
  };
  let crashes = 0;
  /** Returns whether a process that follows the fault `crash-each` crashes after this call, too. */
  function isNextCrash({ name }: Crossing): boolean {
    const { fault, crossing } = trace.injected ?? {};
    return fault?.kind === 'crash-each' && crossing?.name === name && ++crashes < CRASHES;
  }

  const never = () => new Promise<never>(() => undefined);

  const startReplacement = () => start({ isCounted: false });
  const restart = () => outsideOf(() => setTimeout(() => void startReplacement(), RESTART_MS));

  /** `isCounted`: the instance's crossings get numbers while counting. `crashed` is called when it has crashed. */
  function createGate({ isCounted, crashed = restart }: { isCounted: boolean; crashed?: () => void }): Gate {
    const id = trace.instances++;
    let isAlive = true;
    let stopped: Promise<void> | undefined;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const cutOff = () => {
      isAlive = false;
      end();
    };
    const crash = () => {
      cutOff();
      void sabotage?.crashed?.(storage);
      crashed();
    };
    /** Counts a crossing. Returns the fault to inject there. */
    const faultFor = (crossing: Crossing): FaultKind | undefined => {
      if (counting === undefined) return undefined;
      if (!isCounted) {
        trace.allCrossings.push({ instance: id, crossing });
        return undefined;
      }
      const at = trace.crossings.push(crossing) - 1;
      trace.allCrossings.push({ instance: id, crossing, at });
      const { fault } = counting;
      if (trace.injected || fault?.at !== at || !faultsAt(crossing).includes(fault.kind)) return undefined;
      trace.injected = { fault, crossing, logLines: texts.length };
      return fault.kind;
    };
    return {
      get isAlive() {
        return isAlive;
      },
      get stopped() {
        return stopped;
      },
      crash,
      cutOff,
      ended,
      timer() {
        if (faultFor({ kind: 'timer', name: 'fires', changes: true }) !== 'crash-before') return true;
        crash();
        return false;
      },
      async cross(crossing, call, lost) {
        if (!time.active()) return never();
        if (stopped) await stopped;
        if (!isAlive) return never();
        const kind = faultFor(crossing);
        if (kind === 'crash-before') {
          crash();
          return never();
        }
        if (kind === 'delay' || kind === 'stop') {
          const late = outsideOf(async () => {
            await startReplacement();
            await delay(DELAY_MS);
          });
          if (kind === 'stop') stopped = late;
          await late;
          stopped = undefined;
        }
        if (kind === 'repeat') {
          if (crossing.kind === 'delivery') trace.duplicates += 1;
          await Promise.allSettled([call()]);
        }
        const outcome = await call().finally(time.active);
        if (stopped) await stopped;
        if (kind === 'crash-after' || kind === 'crash-each' || isNextCrash(crossing)) crash();
        if (!isAlive) return never();
        if (kind === 'lose-result') throw lost();
        return outcome;
      },
    };
  }

  /** Starts an instance. If it can't start because of a fault, another one is started soon. */
  async function start({ isCounted }: { isCounted: boolean }): Promise<void> {
    const gate = createGate({ isCounted });
    const instance = createInstance({
      gate,
      config,
      storage: counted(storage),
      log,
      outside: async (request) => sandbox.fetch(request),
    });
    instances.push({ instance, gate });
    const started = instance.start().catch((error: unknown) => {
      if (counting === undefined) throw error;
      gate.crash();
    });
    // A crashed instance never finishes its start.
    await Promise.race([started, gate.ended]);
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

  sandbox.setFallback(async (request) => {
    const alive = instances.filter(({ gate }) => gate.isAlive);
    const latest = alive.at(-1);
    const failed = () => new Response(null, { status: 502 });
    if (latest === undefined) return failed();
    // A process that ends closes its connections.
    const answer = Promise.race([
      latest.instance.receive(request).catch(failed),
      latest.gate.ended.then(failed),
    ]);
    return orTimeout(answer, ANSWER_TIMEOUT_MS, failed);
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
      if (time.now() > end) throw new Unsettled('the actions take more than an hour');
      const jump = jumps.shift();
      if (jump === undefined) await time.next();
      else {
        await time.jump(jump.ms);
        jump.passed();
        await time.settle();
      }
    }
    if (!outcome.ok) throw outcome.error;
    return outcome.result;
  }

  await during(() => start({ isCounted: true }));

  const callsOf = () => control<TelegramCall[]>('GET', '/telegram/calls');
  let callsBefore = 0;

  async function restartWith(secretKeys: Uint8Array[]): Promise<void> {
    await delay(CALM_MS);
    for (const { gate } of instances) gate.cutOff();
    config.secretKeys = secretKeys;
    await start({ isCounted: true });
  }

  function recordsIn(of: Storage, secretKeys: readonly Uint8Array[]) {
    const keys = deriveKeys(secretKeys, 'records');
    return createSignedRecords({ storage: of, keys, formats: recordFormats(), log });
  }

  async function rotateKey(): Promise<KeyRotation> {
    const keys = [randomBytes(32), ...config.secretKeys];
    await restartWith(keys);
    const begin = ({ isCounted }: { isCounted: boolean }) => {
      let gate: Gate | undefined;
      const crashed = new Promise<'crashed'>((resolve) => {
        gate = createGate({ isCounted, crashed: () => resolve('crashed') });
      });
      return { gate: gate as unknown as Gate, crashed };
    };
    const first = begin({ isCounted: true });
    const renewOnce = (gate: Gate) => {
      return rotateStoredData({ storage: gatedStorage(storage, gate), secrets: keys, log });
    };
    return {
      async renew() {
        for (let { gate, crashed } = first; ; { gate, crashed } = begin({ isCounted: false })) {
          const ended = renewOnce(gate).catch((error: Error) => error);
          const outcome = await Promise.race([ended, crashed]);
          if (outcome !== 'crashed' && !(outcome instanceof Error)) return;
        }
      },
      dropOldKey: () => restartWith(keys.slice(0, 1)),
    };
  }

  return {
    trace,
    log: texts,
    transitions,
    storage,
    person(chat) {
      const person = people.get(chat) ?? createPerson({ requests, chat, patienceMs: PATIENCE_MS });
      people.set(chat, person);
      return person;
    },
    rental: () => control('GET', '/rental/state'),
    async hasAskedToTryAgain() {
      return (await callsOf())
        .slice(callsBefore)
        .some((call) => isShown(call) && TRY_AGAIN.test(call.params.text ?? ''));
    },
    control,
    async service(method, path, body) {
      const headers = { 'x-api-key': 'demo-key', 'content-type': 'application/json' };
      const request = new Request(`${ORIGIN}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
      const response = await sandbox.fetch(request);
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    },
    async passes(ms) {
      // Lets all earlier work finish.
      await delay(CALM_MS);
      await new Promise<void>((passed) => jumps.push({ ms, passed }));
    },
    rotateKey,
    async unreadableRecords() {
      const records = recordsIn(memory, config.secretKeys);
      const found: string[] = [];
      for (const prefix of Object.keys(recordFormats()))
        for (const key of await storedKeys(memory, prefix))
          if ((await memory.get(key)) !== undefined && (await records.get(key)) === undefined)
            found.push(key);
      return found;
    },
    sent: async () => (await callsOf()).slice(callsBefore).filter(isSent),
    async count(fault) {
      callsBefore = (await callsOf()).length;
      counting = { fault };
    },
    stopCounting() {
      counting = undefined;
    },
    during,
    async calm() {
      for (const [count, ms] of [
        [60, 2_000],
        [40, 15_000],
        [30, 120_000],
      ] as const) {
        for (let jump = 0; jump < count; jump++) await time.jump(ms);
      }
    },
    end() {
      for (const { gate } of instances) gate.cutOff();
      sandbox.stop();
    },
  };
}

/** Returns whether a call brought a new message into a chat. */
function isSent({ method, params, description }: TelegramCall): boolean {
  return /^(send|copy)/.test(method) && params.chat_id !== undefined && description === undefined;
}

/** Returns whether a call showed a text in a chat: in a new message or in an earlier one. */
function isShown(call: TelegramCall): boolean {
  return isSent(call) || (call.method === 'editMessageText' && call.description === undefined);
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
