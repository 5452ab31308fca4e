import { afterAll, beforeAll, beforeEach, type TestContext, test, vi } from 'vitest';
import type { z } from 'zod';
import { createClock } from '../../../src/sandbox/clock.ts';
import { createSandbox } from '../../../src/sandbox/server.ts';
import { startHttpServer } from '../../support/http-server.ts';
import { send } from '../../support/send.ts';
import { createClientWitness } from './client-witness.ts';
import { createService, type Service } from './service.ts';
import { State } from './state.ts';

/** The sandbox with its control API and its clock, which moves only when a test advances it. */
export interface SandboxTarget extends Service {
  now(): number;
  advance(ms: number): void;
  /** `path` is relative to `/sandbox/rental`. */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  controlled<Value>(schema: z.ZodType<Value>, method: string, path: string, body?: unknown): Promise<Value>;
  state(): Promise<z.infer<typeof State>>;
}

type Check<Target> = (target: Target, context: TestContext) => Promise<void>;

const { CONFORMANCE_BASE_URL: baseUrl = '', CONFORMANCE_KEY: key = '', CONFORMANCE_SPEND } = process.env;
const START = Date.parse('2025-06-01T12:00:00.000Z');
/** Timeout for live services, whose rate limits may require waiting, in milliseconds. */
const LIVE_TIMEOUT_MS = 150_000;

/** Whether the tests run against a live service instead of the sandbox. */
export const live = baseUrl !== '';

/** Checks that change nothing. They always run. */
export type Reads = (name: string, check: Check<Service>) => void;
/** Checks that spend or change something. Against a live service they run with `--spend` only. */
export type Spends = (name: string, check: Check<Service>) => void;
/** Checks that need the control API or undocumented behavior. They run against the sandbox only. */
export type Controls = (name: string, check: Check<SandboxTarget>) => void;

/**
 * Target of a file's tests: a separate sandbox that is reset before each test, or the service at
 * `CONFORMANCE_BASE_URL`. Checks that can't run there are skipped with a reason.
 */
export function createTarget(): { reads: Reads; spends: Spends; controls: Controls } {
  let open: { target: SandboxTarget; reset(): void; close(): Promise<void> } | undefined;
  const elsewhere = live ? createService({ baseUrl, key, patient: true }) : undefined;
  const sandbox = () => {
    if (!open) throw new Error('the sandbox is not open');
    return open.target;
  };
  const left = (name: string, why: string) => test.skipIf(true)(`${name} [skipped: ${why}]`, () => {});
  const run = (name: string, check: Check<Service>) =>
    test(name, (context) => check(elsewhere ?? sandbox(), context), live ? LIVE_TIMEOUT_MS : undefined);

  if (!live) {
    beforeAll(async () => {
      open = await openSandbox();
    });
    beforeEach(() => open?.reset());
    afterAll(() => open?.close());
  }

  return {
    reads: run,
    spends: (name, check) =>
      live && !CONFORMANCE_SPEND
        ? left(name, 'it spends or changes, and --spend was not given')
        : run(name, check),
    controls: (name, check) =>
      live
        ? left(name, 'it needs the control API, or what the specification does not show')
        : test(name, (context) => check(sandbox(), context)),
  };
}

async function openSandbox() {
  vi.setSystemTime(START);
  const clock = createClock();
  const sandbox = createSandbox({ token: '700:conformance', clock });
  const server = await startHttpServer(sandbox.fetch);
  const witness = await createClientWitness();
  const service = createService({
    baseUrl: `${server.origin}/api`,
    key: 'demo-key',
    patient: false,
    over: send,
    onAnswer: witness.show,
  });

  const control: SandboxTarget['control'] = async (method, path, body) => {
    const response = await send(`${server.origin}/sandbox/rental${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const controlled: SandboxTarget['controlled'] = async (schema, ...asked) =>
    schema.parse(await control(...asked));

  const target: SandboxTarget = {
    ...service,
    now: clock.now,
    advance: clock.advance,
    control,
    controlled,
    state: () => controlled(State, 'GET', '/state'),
  };
  return {
    target,
    reset: sandbox.reset,
    async close() {
      sandbox.stop();
      vi.useRealTimers();
      await Promise.all([server.close(), witness.close()]);
    },
  };
}
