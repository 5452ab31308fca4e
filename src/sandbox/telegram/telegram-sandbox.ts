import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { createActs } from './acts.ts';
import { createApi } from './api.ts';
import { createControl } from './control.ts';
import { execute, findMethod } from './execution.ts';
import { createFaults } from './faults.ts';
import { createJournal } from './journal.ts';
import type { Limits } from './pace.ts';
import { PEOPLE, type Person } from './people.ts';
import { createWorld } from './world.ts';

export interface TelegramSandbox {
  /** Mount at `/telegram`: `/bot<token>/<method>` and `/file/bot<token>/<path>`. */
  readonly api: Hono<{ Bindings: HttpBindings }>;
  /** Mount at `/sandbox/telegram`. */
  readonly control: Hono;
  /** Empties the chats, the queue, the journal and the faults. What the bot has set stays, and ids go on counting. */
  reset(): void;
  /** Ends streams, polls and deliveries. */
  stop(): void;
}

const webhookAnswer = z.looseObject({ method: z.string() });

/** Telegram, simulated: a Bot API server for one bot, and the people who talk to it. */
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

  /** An answer to a webhook may itself be a call of the Bot API. */
  const answered = (body: string) => {
    const call = webhookAnswer.safeParse(parse(body));
    const method = call.success ? findMethod(call.data.method) : undefined;
    if (!call.success || !method) return;
    const { method: _, ...params } = call.data;
    void execute(method, { params, uploads: new Map(), signal: world.stopped }, { world, journal });
  };
  const world = createWorld({ clock, people, limits, answered });
  const reset = () => {
    journal.clear();
    faults.clear();
    world.reset();
  };
  return {
    api: createApi({ token, world, journal, faults }),
    control: createControl({ world, acts: createActs(world), journal, faults, reset }),
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
