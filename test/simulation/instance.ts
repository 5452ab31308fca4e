import { Agent, type Dispatcher, errors } from 'undici';
import { type App, createApp } from '../../src/app.ts';
import type { Config } from '../../src/config.ts';
import { createTexts } from '../../src/i18n/texts.ts';
import type { Log } from '../../src/platform/log.ts';
import { type Storage, StorageUnavailable } from '../../src/platform/storage.ts';
import { requestApp } from '../support/app-request.ts';
import { EXPLORER_URL } from '../support/texts.ts';
import type { Crossing } from './faults.ts';
import { type TimerOwner, timerOwner } from './virtual-time.ts';

type Call<Result> = () => Promise<Result>;

/** Boundary between an instance and the outside. */
export interface Gate {
  /** Crosses a boundary. Never resolves once the instance has crashed. `lost` is what the instance gets instead of a result. */
  cross<Result>(crossing: Crossing, call: Call<Result>, lost: () => Error): Promise<Result>;
  /** Returns false if the instance crashes instead. */
  timer(): boolean;
  /** Cuts the instance off. Another one starts soon. */
  crash(): void;
  /** Cuts the instance off for good. */
  cutOff(): void;
  /** Resolves once the instance is cut off. */
  readonly ended: Promise<void>;
  readonly isAlive: boolean;
  /** Resolves when the instance continues. Absent unless it is stopped. */
  readonly stopped: Promise<void> | undefined;
}

/** Parsed once, because a simulation starts hundreds of instances. */
const texts = createTexts({ explorerUrl: EXPLORER_URL });

/** One process of the bot, as far as the outside can tell. */
export interface Instance {
  readonly app: App;
  /** Runs work as this instance's own. */
  run<Result>(work: () => Result): Result;
  receive(request: Request): Promise<Response>;
  start(): Promise<void>;
}

const READS = [
  'get',
  'keysPage',
  'listed',
  'ping',
  'check',
  'durability',
  'fsyncPolicy',
  'replicas',
  'continuity',
  'secure',
];
const INDEX_READS = ['upTo', 'above', 'last', 'before', 'due', 'firstDueInMs', 'size'];

export function createInstance(deps: {
  gate: Gate;
  config: Config;
  storage: Storage;
  log: Log;
  /** Answers requests to any origin. */
  outside: (request: Request) => Promise<Response>;
}): Instance {
  const { gate, config, outside, log } = deps;
  const owner: TimerOwner = {
    get isAlive() {
      return gate.isAlive;
    },
    get stopped() {
      return gate.stopped;
    },
    beforeTimer: () => gate.timer(),
  };
  const run = <Result>(work: () => Result) => timerOwner.run(owner, work);
  const app = run(() =>
    createApp(config, {
      renderPicture: async () => undefined,
      texts,
      now: Date.now,
      log,
      storage: gatedStorage(deps.storage, gate),
      connect: () => gatedDispatcher(outside, gate),
      pace: { confirmableAfterMs: 0 },
    }),
  );
  return {
    app,
    run,
    receive: (request) => {
      const crossing = {
        kind: 'delivery',
        name: new URL(request.url).pathname.split('/')[1] ?? '',
        changes: true,
      } as const;
      return gate.cross(
        crossing,
        () => run(() => requestApp(app, request.clone())),
        () => new Error('the answer was lost'),
      );
    },
    start: () => run(() => app.start()),
  };
}

/** Every call of the storage crosses a boundary. */
export function gatedStorage(storage: Storage, gate: Gate): Storage {
  const lost = () => new StorageUnavailable('the connection was lost');
  const gated = <Part extends object>(part: Part, reads: readonly string[], prefix = ''): Part =>
    Object.fromEntries(
      Object.entries(part).map(([name, member]) => {
        if (typeof member !== 'function' || name === 'now' || name === 'close') return [name, member];
        const call = (...given: unknown[]) => {
          const crossing = {
            kind: 'storage',
            name: `${prefix}${name} ${target(given[0])}`,
            changes: !reads.includes(name),
          } as const;
          return gate.cross(crossing, () => outsideOf(() => member.apply(part, given)), lost);
        };
        return [name, call];
      }),
    ) as Part;
  const index = gated(storage.index, INDEX_READS, 'index.');
  return {
    ...gated(storage, READS),
    index: {
      ...index,
      // Taking nothing changes nothing, so it is a read.
      takeDue: async (name, limit, times) =>
        (await index.due(name, 1, times.longestMs)).length === 0 ? [] : index.takeDue(name, limit, times),
    },
    chats: gated(storage.chats, [], 'chats.'),
  };
}

/** A key, or the chat and update of a transaction. */
function target(given: unknown): string {
  if (typeof given === 'string') return given;
  const { chat, update } = (given ?? {}) as { chat?: number; update?: number };
  return chat === undefined ? '' : `${chat} ${update ?? ''}`;
}

/** Requests to the service and to Telegram, without sockets. */
function gatedDispatcher(outside: (request: Request) => Promise<Response>, gate: Gate) {
  const agent = dispatcherOf(async (request, isAborted) => {
    const { pathname } = new URL(request.url);
    const isService = pathname.startsWith('/api/');
    const name = isService
      ? `${request.method} ${pathname.slice('/api/v1'.length)}`
      : (pathname.split('/').at(-1) ?? '');
    const crossing = {
      kind: isService ? 'service' : 'telegram',
      name,
      changes: isService ? request.method !== 'GET' : !name.startsWith('get'),
    } as const;
    const lost = () => new errors.SocketError('other side closed');
    // The service executes a delayed request even after the bot closed the connection. Telegram doesn't.
    const call = async () => {
      if (!isService && isAborted()) throw lost();
      return outsideOf(() => outside(request.clone()));
    };
    return gate.cross(crossing, call, lost);
  });
  return { dispatch: agent.dispatch.bind(agent), close: async () => undefined };
}

/** What happens outside isn't the instance's: its timers outlive it. */
export function outsideOf<Result>(work: () => Result): Result {
  return timerOwner.run(undefined, work);
}

/** A dispatcher of undici that calls a function instead of a socket. */
export function dispatcherOf(
  answer: (request: Request, isAborted: () => boolean) => Promise<Response>,
): Dispatcher {
  return new Agent().compose(() => (options, handler) => {
    let aborted: Error | undefined;
    const controller = {
      get aborted() {
        return aborted !== undefined;
      },
      paused: false,
      reason: null,
      rawHeaders: null,
      rawTrailers: null,
      abort(reason: Error) {
        aborted ??= reason;
        handler.onResponseError?.(controller as never, reason);
      },
      pause: () => undefined,
      resume: () => undefined,
    };
    const send = async () => {
      const body = await bodyOf(options.body);
      handler.onRequestStart?.(controller as never, {});
      if (aborted) return;
      const { method, path, headers, origin = 'http://localhost' } = options;
      const request = new Request(new URL(path, origin), {
        method,
        headers: flat(headers),
        ...(body && { body }),
      });
      const response = await answer(request, () => aborted !== undefined);
      const bytes = Buffer.from(await response.arrayBuffer());
      if (aborted) return;
      handler.onResponseStart?.(
        controller as never,
        response.status,
        Object.fromEntries(response.headers),
        '',
      );
      handler.onResponseData?.(controller as never, bytes);
      handler.onResponseEnd?.(controller as never, {});
    };
    send().catch((error: Error) => {
      if (!aborted) handler.onResponseError?.(controller as never, error);
    });
    return true;
  });
}

async function bodyOf(body: unknown): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (body === null || body === undefined) return undefined;
  if (typeof body === 'string') return new Uint8Array(Buffer.from(body));
  if (body instanceof Uint8Array) return new Uint8Array(body);
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(Buffer.from(chunk));
  return new Uint8Array(Buffer.concat(chunks));
}

function flat(headers: unknown): [string, string][] {
  const pairs = Array.isArray(headers)
    ? Array.from({ length: headers.length / 2 }, (_, at) => [headers[2 * at], headers[2 * at + 1]])
    : Object.entries(headers ?? {});
  return pairs
    .filter(([name]) => !/^(content-length|host|connection|transfer-encoding)$/i.test(String(name)))
    .map(([name, value]) => [String(name), String(value)]);
}
