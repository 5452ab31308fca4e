import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { createApi, execute, findMethod } from './api.ts';
import { createControl } from './control.ts';
import { createFaults, createJournal } from './faults.ts';
import { PEOPLE, type Person } from './people.ts';
import type { Limits } from './rate-limiter.ts';
import { createUserActions } from './user-actions.ts';
import { createWorld } from './world.ts';

export interface TelegramSandbox {
  /** Routes `/bot<token>/<method>` and `/file/bot<token>/<path>`. Mount it at `/telegram`. */
  readonly api: Hono<{ Bindings: HttpBindings }>;
  /** Control API. Mount it at `/sandbox/telegram`. */
  readonly control: Hono;
  /** Empties chats, update queue, journal and faults. Keeps the bot's settings. Ids don't restart. */
  reset(): void;
  /** Ends streams, polls and deliveries. */
  stop(): void;
}

const webhookAnswer = z.looseObject({ method: z.string() });

/** Simulates Telegram: a Bot API server for one bot, and its users. */
export function createTelegramSandbox({
  clock,
  token,
  people = PEOPLE,
  limits = { perSecond: 30, perChatPerSecond: 1 },
}: {
  clock: Clock;
  token: string;
  people?: readonly Person[];
  limits?: Limits | false;
}): TelegramSandbox {
  const journal = createJournal(clock);
  const faults = createFaults();

  /** Executes the response to a webhook, which may be a call of the Bot API. */
  const answered = (body: string) => {
    const call = webhookAnswer.safeParse(parse(body));
    const method = call.success ? findMethod(call.data.method) : undefined;
    if (!call.success || !method) return;
    const { method: _, ...params } = call.data;
    void execute(method, { params, uploads: new Map(), signal: world.stopSignal }, { world, journal });
  };
  const world = createWorld({ clock, people, limits, answered });
  const reset = () => {
    journal.clear();
    faults.clear();
    world.reset();
  };
  return {
    api: createApi({ token, world, journal, faults }),
    control: createControl({ world, userActions: createUserActions(world), journal, faults, reset }),
    reset,
    stop: world.stop,
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
