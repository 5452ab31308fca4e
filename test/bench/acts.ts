import { type Chat, createChat } from './chat.ts';
import { type Loop, walkTogether } from './crowd.ts';
import { createEventPosting } from './event-posting.ts';
import { FIRST_PERSON, type Side } from './identities.ts';
import { createPerson, type Person } from './person.ts';
import { createPushing } from './push.ts';
import { createRentalStandIn } from './rental-stand-in.ts';
import { type Call, serveStandIns } from './stand-in-server.ts';
import { createSteps } from './steps-alone.ts';
import { createTelegramLimits } from './telegram-limits.ts';
import { createTelegramStandIn } from './telegram-stand-in.ts';
import { waitUntilTold } from './told.ts';
import { WALKS, type WalkName } from './walks.ts';

/** Users of one side, starting with number `first`. */
export interface Group {
  side?: Side;
  first?: number;
  people: number;
}

export type Acts = Awaited<ReturnType<typeof createActs>>;
export type ActName = keyof Acts;

/** Creates all actions that the benchmark can request from the process of the stand-ins. */
export async function createActs() {
  const chats = new Map<number, Chat>();
  const people = new Map<number, Person>();
  const pushing = createPushing();
  const rental = createRentalStandIn();
  let updates = 1_000_000;
  let heard: Call[] | undefined;
  let lastCall = 0;
  let calls = 0;
  let askedForUpdates: (() => void) | undefined;

  const limits = createTelegramLimits();
  const telegram = createTelegramStandIn({
    limits,
    chatOf: (id) => chats.get(id),
    setWebhook(webhook) {
      pushing.to('app', webhook);
      askedForUpdates?.();
    },
  });
  const origin = await serveStandIns({
    telegram: telegram.answer,
    rental,
    hear(call) {
      calls += 1;
      lastCall = performance.now();
      heard?.push(call);
    },
  });

  function person(side: Side, at: number): Person {
    const id = FIRST_PERSON[side] + at;
    const known = people.get(id);
    if (known) return known;
    const chat = createChat(id, side);
    const push = (update: object) => {
      steps.pushed(update);
      return pushing.push(side, update);
    };
    const made = createPerson({ chat, push, nextUpdate: () => ++updates });
    chats.set(id, chat);
    people.set(id, made);
    return made;
  }

  const group = ({ side = 'app', first = 0, people }: Group) =>
    Array.from({ length: people }, (_, at) => person(side, first + at));

  const steps = createSteps({
    listen() {
      heard = [];
      return heard;
    },
  });
  const events = createEventPosting({ rental, chatOf: (account) => chats.get(account) });

  return {
    origin: (_: null) => origin,
    floorAt: ({ origin }: { origin: string }) =>
      pushing.to('floor', { url: `${origin}/updates`, secret: '-' }),
    walk: (about: Group & Loop & { walk: WalkName }) => walkTogether(group(about), WALKS[about.walk], about),
    /** Starts a walk that waits before each of its steps. */
    begin: ({ at, walk }: { at: number; walk: WalkName }) => steps.begin(person('app', at), WALKS[walk]),
    /** Executes the walk's next step. Resolves with `undefined` after the last one. */
    next: (_: null) => steps.next(),
    /** Returns everything that the bot did since that step started. */
    replied: (_: null) => steps.replied(),
    calls: (_: null) => calls,
    msSinceLastCall: (_: null) => performance.now() - lastCall,
    /** Returns when the first response arrived to a message that is sent once the bot has set its webhook. */
    async firstWords({ at }: { at: number }) {
      await new Promise<void>((resolve) => {
        askedForUpdates = resolve;
      });
      await WALKS.greet(person('app', at), () => undefined);
      return Date.now();
    },
    hang: ({ on }: { on: boolean }) => rental.hang(on),
    hanging: (_: null) => rental.hanging(),
    orders: (_: null) => rental.orders(),
    sentAgain: (_: null) => pushing.sentAgain(),
    /** Makes all users confirm, without waiting for the results. */
    confirmAll(about: Group) {
      for (const one of group(about)) WALKS.confirm(one, () => undefined).catch(() => undefined);
    },
    untilTold: ({ parts, ms, ...about }: Group & { parts: string[]; ms: number }) =>
      waitUntilTold(
        group(about).map(({ chat }) => chat),
        parts,
        ms,
      ),
    postEvents: (about: { perSecond: number; count: number; patienceMs: number }) => events.post(about),
    postDeposits: (about: { perSecond: number; count: number; patienceMs: number }) =>
      events.postDeposits(about),
    postMixed: (about: { perSecond: number; count: number; patienceMs: number }) => events.postMixed(about),
    copies: (_: null) => telegram.copies(),
    limitTelegram: (about: { on: boolean }) => limits.turn(about),
    refusals: (_: null) => limits.counts(),
    eventsLeft: (_: null) => events.left(),
  };
}
