import { createEventPosting } from './event-posting.ts';
import { FIRST_PERSON, type Side, WEBHOOK_SECRET } from './identities.ts';
import { type Delays, perceive } from './perceived.ts';
import { type Chat, createChat, createPerson, type Person } from './person.ts';
import { type RecordedReply, recordReply } from './recorded-replies.ts';
import { createRentalStandIn } from './rental-stand-in.ts';
import { createPollCount } from './scale/poll-count.ts';
import { VISITS, type VisitName } from './scale/visits.ts';
import { type Call, serveStandIns } from './stand-in-server.ts';
import { createPushing, createTelegramLimits, createTelegramStandIn } from './telegram-stand-in.ts';
import { type Loop, runWalks, WALKS, type Walk, type WalkName } from './walks.ts';

/** Users of one side, starting with number `first`. */
interface Group {
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
  const pushing = createPushing({
    callInResponse(method, body) {
      telegram.answer(method, body);
      listener?.({ method: 'POST', path: `/${method}`, key: undefined, body });
    },
  });
  const rental = createRentalStandIn();
  let webhook: Parameters<typeof pushing.to>[1] | undefined;
  let updates = 1_000_000;
  let heard: Call[] | undefined;
  let lastCall = 0;
  let calls = 0;
  let delays: Delays = { telegramMs: 0, rentalMs: 0 };
  let listener: ((call: Call) => void) | undefined;

  const polls = createPollCount();
  const limits = createTelegramLimits();
  const telegram = createTelegramStandIn({
    limits,
    chatOf: (id) => chats.get(id),
    setWebhook(set) {
      webhook = set;
      pushing.to('app', set);
    },
  });
  const origin = await serveStandIns({
    telegram: telegram.answer,
    rental,
    hear(call) {
      calls += 1;
      lastCall = performance.now();
      heard?.push(call);
      listener?.(call);
      polls.hear(call);
    },
    delays: () => delays,
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
    /** Pushes the updates of that side's users to a program that sets no webhook itself. */
    pushTo: ({ side, origin }: { side: Side; origin: string }) =>
      pushing.to(side, { url: `${origin}/updates`, secret: WEBHOOK_SECRET }),
    /** Pushes the updates of a side to this process from now on. It accepts the secret of the app's webhook. */
    pushToReplica({ side = 'app', origin }: { side?: Side; origin: string }): void {
      if (webhook) pushing.to(side, { ...webhook, url: `${origin}${new URL(webhook.url).pathname}` });
    },
    walk: (about: Group & Loop & { walk: WalkName }) => runWalks(group(about), WALKS[about.walk], about),
    /** Starts a walk that waits before each of its steps. */
    begin: ({ at, walk }: { at: number; walk: WalkName }) => steps.begin(person('app', at), WALKS[walk]),
    /** Executes the walk's next step. Resolves with `undefined` after the last one. */
    next: (_: null) => steps.next(),
    /** Returns everything that the bot did since that step started. */
    replied: (_: null) => steps.replied(),
    calls: (_: null) => calls,
    msSinceLastCall: (_: null) => performance.now() - lastCall,
    delay(about: Delays): void {
      delays = about;
    },
    /** Makes a user buy, and returns what became visible when. */
    perceive: ({ side, at, thinkMs }: { side: Side; at: number; thinkMs: number }) =>
      perceive(person(side, at), {
        thinkMs,
        listen(hear) {
          listener = hear;
        },
      }),
    hang: ({ on }: { on: boolean }) => rental.hang(on),
    hanging: (_: null) => rental.hanging(),
    orders: (_: null) => rental.orders(),
    /** Makes all users confirm, without waiting for the results. */
    confirmAll(about: Group) {
      for (const one of group(about)) WALKS.confirm(one, () => undefined).catch(() => undefined);
    },
    untilNotified: ({ parts, ms, ...about }: Group & { parts: string[]; ms: number }) =>
      waitUntilNotified(
        group(about).map(({ chat }) => chat),
        parts,
        ms,
      ),
    postEvents: (about: { perSecond: number; count: number; patienceMs: number }) => events.post(about),
    postDeposits: (about: { perSecond: number; count: number; patienceMs: number }) =>
      events.postDeposits(about),
    postMixed: (about: { perSecond: number; count: number; patienceMs: number }) => events.postMixed(about),
    copies: (_: null) => telegram.copies(),
    /** Makes a user of the app do something once. `text`: what the user looks for. */
    visit: ({ at, visit, text = '' }: { at: number; visit: VisitName; text?: string }) =>
      VISITS[visit](person('app', at), { text }),
    polls: (_: null) => polls.read(),
    polledAccounts: (_: null) => polls.accounts(),
    resetPolls: (_: null) => polls.reset(),
    limitTelegram: (about: { on: boolean }) => limits.turn(about),
    refusals: (_: null) => limits.counts(),
    eventsLeft: (_: null) => events.left(),
  };
}

/**
 * Returns when each chat first showed one of these texts, in milliseconds since the epoch. Waits for at most `ms`.
 */
async function waitUntilNotified(chats: Chat[], parts: string[], ms: number) {
  const at: Record<string, number[]> = Object.fromEntries(parts.map((part) => [part, []]));
  let left = chats.length;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    for (const chat of chats) {
      chat.watch = ({ html }) => {
        const part = parts.find((one) => html.includes(one));
        if (part === undefined) return;
        chat.watch = undefined;
        at[part]?.push(Date.now());
        left -= 1;
        if (left > 0) return;
        clearTimeout(timer);
        resolve();
      };
    }
  });
  for (const chat of chats) chat.watch = undefined;
  return { at, unreported: left };
}

interface Update {
  message?: { message_id: number; text: string };
  callback_query?: { id: string; data: string; message: { message_id: number } };
}

/** A step that one user made alone. */
interface StepTaken {
  step: string;
  ms: number;
}

/**
 * Executes a walk step by step, each on request, so that its cost can be measured separately. The caller waits before
 * *Confirm*.
 */
function createSteps({ listen }: { listen: () => Call[] }) {
  let proceed: (() => void) | undefined;
  let arrived: ((taken: StepTaken | undefined) => void) | undefined;
  let failed: ((error: Error) => void) | undefined;
  let calls: Call[] = [];
  let last: { update: Update; person: number } | undefined;
  let walker = 0;

  return {
    begin(person: Person, walk: Walk): void {
      walker = person.chat.id;
      const gate = () =>
        new Promise<void>((resolve) => {
          proceed = resolve;
        });
      const opened = gate();
      void opened
        .then(() =>
          walk(
            person,
            ({ step, ms }) => {
              const next = gate();
              arrived?.({ step, ms });
              return next;
            },
            async () => {},
          ),
        )
        .then(
          () => arrived?.(undefined),
          (error: Error) => failed?.(error),
        );
    },
    next(): Promise<StepTaken | undefined> {
      calls = listen();
      return new Promise((resolve, reject) => {
        arrived = resolve;
        failed = reject;
        proceed?.();
      });
    },
    pushed(update: Update): void {
      last = { update, person: walker };
    },
    replied(): { asked: string; reply: RecordedReply } | undefined {
      if (last === undefined) return undefined;
      const { message, callback_query: tap } = last.update;
      const id = message?.message_id ?? tap?.message.message_id ?? 0;
      const asked = { chat: last.person, tap: tap?.id ?? '', message: id };
      return { asked: message?.text ?? tap?.data ?? '', reply: recordReply(calls, asked) };
    },
  };
}
