import { describe, expect, test, vi } from 'vitest';
import type { NewNotice, Outbox } from '../../../src/notifications/outbox.ts';
import type { Storage } from '../../../src/platform/storage.ts';
import { failing } from '../../operations/operations-setup.ts';
import { profileOf } from '../../operations/rental-stand-in.ts';
import {
  BLOCKED,
  deposit,
  FAILED,
  type OutboxRoom,
  openOutbox,
  settled,
  UNCLEAR,
  USER,
  visible,
  withdrawn,
} from './outbox-setup.ts';

vi.mock('node:timers/promises', () => import('../../operations/promised-timers.ts'));

const HOUR = 3_600_000;
const SENT = { kind: 'sent', messageId: 1 } as const;

/** Simulates a process that dies at storage call number `at`: later calls never resolve. */
function dying(storage: Storage, at: number) {
  let calls = 0;
  const mortal =
    <T extends unknown[], R>(run: (...given: T) => Promise<R>) =>
    (...given: T): Promise<R> =>
      calls++ < at ? run(...given) : new Promise<R>(() => undefined);
  const { index } = storage;
  const view: Storage = {
    ...storage,
    ...{ get: mortal(storage.get), set: mortal(storage.set), add: mortal(storage.add) },
    ...{ replace: mortal(storage.replace), delete: mortal(storage.delete) },
    index: {
      ...{ put: mortal(index.put), remove: mortal(index.remove), upTo: mortal(index.upTo) },
      ...{
        above: mortal(index.above),
        last: mortal(index.last),
        before: mortal(index.before),
        due: mortal(index.due),
      },
      ...{ putIn: mortal(index.putIn), putWithin: mortal(index.putWithin), moveIn: mortal(index.moveIn) },
      overdueMs: mortal(index.overdueMs),
    },
  };
  return { view, isDead: () => calls > at };
}

/** Notifications to add, and what happens to them in the process that dies. */
interface Life {
  notices: NewNotice[];
  lives(room: OutboxRoom, own: Outbox): Promise<unknown>;
}

const addAll = (notices: readonly NewNotice[], own: Outbox) => {
  // A caller whose notification wasn't stored adds it again.
  for (const notice of notices) void own.add(notice).catch(() => undefined);
};

const LIVES: Record<string, Life> = {
  'sent at once': {
    notices: [withdrawn(1)],
    lives: async ({ pass }, own) => pass(5_000, [own]),
  },
  'grouped, and sent one after another': {
    notices: [deposit(1), deposit(2), deposit(3), withdrawn(4)],
    lives: async ({ pass }, own) => pass(10_000, [own]),
  },
  'sent again after failures': {
    notices: [withdrawn(1), withdrawn(2)],
    async lives({ answer, pass }, own) {
      answer.mockResolvedValueOnce(FAILED).mockResolvedValueOnce({ kind: 'later', afterMs: 5_000 });
      await pass(20_000, [own]);
    },
  },
  'set aside and retried': {
    notices: [withdrawn(1)],
    async lives({ says, answer, pass, clock }, own) {
      says(USER, FAILED);
      await pass(90_000, [own]);
      answer.mockResolvedValue(SENT);
      clock.now += HOUR;
      await pass(5_000, [own]);
    },
  },
  'kept until the user unblocks the bot': {
    notices: [withdrawn(1), withdrawn(2)],
    async lives({ answer, pass }, own) {
      answer.mockResolvedValueOnce(BLOCKED);
      await pass(5_000, [own]);
      answer.mockResolvedValue(SENT);
      void own.returned(USER).catch(() => undefined);
      await pass(10_000, [own]);
    },
  },
};

/** Returns how often the chat received this notification. */
const timesTold = ({ sentTo }: OutboxRoom, { id }: NewNotice) =>
  sentTo(USER).filter((html) => new RegExp(`\\b${Number.parseInt(id, 10)} TRX`).test(visible(html))).length;

describe.each(Object.entries(LIVES))('a notification that is %s', (_, { notices, lives }) => {
  test('is sent once if a process dies, and twice only if it died before storing the result', async () => {
    for (let at = 0; ; at += 1) {
      const room = await openOutbox();
      const { view, isDead } = dying(room.storage, at);
      const own = room.replica(view);
      addAll(notices, own);
      await lives(room, own);
      const before = notices.map((one) => timesTold(room, one));
      const stored = await Promise.all((await room.storage.keys('notice:')).map(room.storage.get));
      const known = stored.filter((text) => text?.endsWith('.told')).length;
      room.answer.mockReset().mockResolvedValue(SENT);
      const next = room.replica();
      addAll(notices, next);
      await settled();
      await next.returned(USER);
      await room.pass(30_000, [next]);
      room.clock.now += 2 * HOUR;
      await room.pass(10_000, [next]);
      const after = notices.map((one) => timesTold(room, one));
      const inFlight = before.filter((times) => times > 0).length - known;
      expect([at, after.every((times) => times >= 1)]).toEqual([at, true]);
      expect([at, after.reduce((sum, times) => sum + times - 1, 0)]).toEqual([at, inFlight]);
      if (!isDead()) return;
    }
  });

  test('is sent although the storage fails at any one call', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      for (let at = 0; ; at += 1) {
        const room = await openOutbox();
        let calls = 0;
        const own = room.replica(failing(room.storage, () => calls++ === at));
        addAll(notices, own);
        await settled();
        await vi.advanceTimersByTimeAsync(1_000);
        addAll(notices, own);
        await lives(room, own);
        await vi.advanceTimersByTimeAsync(1_000);
        room.answer.mockReset().mockResolvedValue(SENT);
        // A caller retries a failed call.
        await own.returned(USER).catch(() => own.returned(USER));
        await room.pass(30_000, [own]);
        // Rewrites after a failure wait for a timer, not for the clock of the test.
        await vi.advanceTimersByTimeAsync(60_000);
        room.clock.now += 2 * HOUR;
        await room.pass(10_000, [own]);
        expect([at, notices.map((one) => timesTold(room, one))]).toEqual([at, notices.map(() => 1)]);
        if (calls <= at) return;
      }
    } finally {
      vi.useRealTimers();
    }
  });
});

test('sends an unanswered notification once more, at whichever call a process dies', async () => {
  for (let at = 0; ; at += 1) {
    const room = await openOutbox();
    const { view, isDead } = dying(room.storage, at);
    const own = room.replica(view);
    room.answer.mockResolvedValueOnce(UNCLEAR);
    addAll([deposit(1)], own);
    await room.pass(5_000, [own]);
    const wasAsked = room.asked.length > 0;
    const record = (await Promise.all((await room.storage.keys('notice:')).map(room.storage.get)))[0];
    const wasStored = record?.includes('"unclear":true') ?? false;
    room.answer.mockReset().mockResolvedValue(SENT);
    const next = room.replica();
    addAll([deposit(1)], next);
    await room.pass(60_000, [next]);
    addAll([withdrawn(2)], next);
    await room.pass(60_000, [next]);
    const said = room.asked.filter(({ html }) => html.includes('<b>1 TRX'));
    expect([at, said.length]).toEqual([at, wasAsked ? 2 : 1]);
    // A process that dies before it stores the missing response leaves no trace of the sending.
    expect([at, said.at(-1)?.html.includes('You may have read this')]).toEqual([at, wasStored]);
    if (!isDead()) return;
  }
});

test('sends an unanswered notification at most twice if a process dies during the second sending', async () => {
  for (let at = 0; ; at += 1) {
    const room = await openOutbox();
    room.answer.mockResolvedValueOnce(UNCLEAR);
    await room.add(deposit(1));
    await room.pass(14_000);
    await room.outbox.close();
    const { view, isDead } = dying(room.storage, at);
    await room.pass(5_000, [room.replica(view)]);
    const next = room.replica();
    await room.pass(5 * 60_000, [next]);
    expect([at, room.asked.length <= 2]).toEqual([at, true]);
    await room.add(withdrawn(2), next);
    await room.pass(60_000, [next]);
    expect([at, timesTold(room, deposit(1)) > 0]).toEqual([at, true]);
    if (!isDead()) return;
  }
});

test('sends a notification at most twice if two processes die, then adds it to the next message', async () => {
  const sendings = new Set<string>();
  /** Kills both processes at the given calls. Checks the result if the first had sent without storing it. */
  async function die(first: number, second: number) {
    const room = await openOutbox();
    const one = dying(room.storage, first);
    const other = dying(room.storage, second);
    const live = (view: Storage, ms: number) => {
      const own = room.replica(view);
      addAll([deposit(1)], own);
      return room.pass(ms, [own]);
    };
    await live(one.view, 5_000);
    const stored = await Promise.all((await room.storage.keys('notice:')).map(room.storage.get));
    const wasInFlight = timesTold(room, deposit(1)) > 0 && !stored.some((text) => text?.endsWith('.told'));
    if (wasInFlight) {
      await live(other.view, 20_000);
      await live(room.storage, 20_000);
      const blindly = timesTold(room, deposit(1));
      await live(room.storage, 1_000);
      await room.add(withdrawn(2), room.replica());
      await room.pass(5_000);
      const isSaid = room.sentTo(USER).at(-1)?.includes('You may have read this') ?? false;
      expect([first, second, timesTold(room, deposit(1))]).toEqual([
        first,
        second,
        blindly + (isSaid ? 1 : 0),
      ]);
      sendings.add(`${blindly}${isSaid ? ', and said' : ''}`);
    }
    return { isOver: !one.isDead(), isThrough: !wasInFlight || !other.isDead() };
  }

  for (let first = 0, isOver = false; !isOver; first += 1) {
    for (let second = 0, isThrough = false; !isThrough; second += 1) {
      ({ isOver, isThrough } = await die(first, second));
    }
  }
  expect([...sendings].toSorted()).toEqual(['2', '2, and said']);
});

test('does not send after its lease expired while another replica sent', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const room = await openOutbox();
    const other = room.replica();
    room.profile.mockImplementationOnce(async () => {
      vi.advanceTimersByTime(20_000);
      room.clock.now += 20_000;
      await room.pass(5_000, [other]);
      return profileOf('100.00');
    });
    await room.add(deposit(1));
    await room.pass(60_000, [room.outbox, other]);
    expect(timesTold(room, deposit(1))).toBe(1);
    await room.add(withdrawn(2));
    await settled();
    expect(timesTold(room, withdrawn(2))).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

/** Opens a chat with a notification that was sent twice without a response. */
async function openUnclear() {
  const room = await openOutbox();
  room.answer.mockResolvedValueOnce(UNCLEAR).mockResolvedValueOnce(UNCLEAR);
  await room.add(withdrawn(1));
  await room.pass(60_000);
  return room;
}

test('repeats a possibly unsent notification at the menu even if the process dies', async () => {
  for (let at = 0; ; at += 1) {
    const room = await openUnclear();
    const { view, isDead } = dying(room.storage, at);
    void room.replica(view).here(USER);
    await room.pass(5_000, [room.replica(view)]);
    const next = room.replica();
    await next.here(USER);
    await room.pass(60_000, [next]);
    expect([at, timesTold(room, withdrawn(1)) > 0]).toEqual([at, true]);
    if (!isDead()) return;
  }
});

test('repeats a possibly unsent notification at the menu even if a storage call fails', async () => {
  for (let at = 0; ; at += 1) {
    const room = await openUnclear();
    let calls = 0;
    const own = room.replica(failing(room.storage, () => calls++ === at));
    await own.here(USER).catch(() => undefined);
    await room.pass(60_000, [own]);
    // The user opens the menu again if the storage failed only now.
    await own.here(USER).catch(() => own.here(USER));
    await room.pass(60_000, [own]);
    expect([at, timesTold(room, withdrawn(1))]).toEqual([at, 1]);
    if (calls <= at) return;
  }
});

test('sends an unanswered notification again even if the storage fails once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    for (let at = 0; ; at += 1) {
      const room = await openOutbox();
      let calls = -1;
      const own = room.replica(failing(room.storage, () => calls >= 0 && calls++ === at));
      room.answer.mockImplementationOnce(async () => {
        calls = 0;
        return UNCLEAR;
      });
      await room.add(withdrawn(1), own);
      await room.pass(5_000, [own]);
      await vi.advanceTimersByTimeAsync(60_000);
      await room.pass(120_000, [own]);
      expect([at, room.asked.length]).toEqual([at, 2]);
      if (calls <= at) return;
    }
  } finally {
    vi.useRealTimers();
  }
});

test('leaves the chat to the new lease holder if its lease expired during a send', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const room = await openOutbox();
    const answers: ((sent: typeof SENT) => void)[] = [];
    room.answer.mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
    await room.add(withdrawn(1));
    await settled();
    const other = room.replica();
    const writer = room.replica();
    await writer.close();
    await writer.add(withdrawn(2));
    vi.advanceTimersByTime(20_000);
    room.clock.now += 20_000;
    await room.pass(2_000, [other]);
    expect(answers).toHaveLength(2);
    answers[0]?.(SENT);
    await settled();
    // The other replica dies during its send. The next one finds what is waiting.
    vi.advanceTimersByTime(30_000);
    room.clock.now += 30_000;
    room.answer.mockReset().mockResolvedValue(SENT);
    await room.pass(30_000, [room.replica()]);
    expect(timesTold(room, withdrawn(2))).toBe(1);
    expect(await room.storage.index.last('outbox:taken', 9)).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

test('sends a set-aside notification even if the process that set it aside died', async () => {
  for (let at = 0; ; at += 1) {
    const room = await openOutbox();
    room.says(USER, FAILED);
    await room.add(withdrawn(1));
    await room.outbox.close();
    const { view, isDead } = dying(room.storage, at);
    await room.pass(90_000, [room.replica(view)]);
    room.answer.mockReset().mockResolvedValue(SENT);
    await room.pass(30_000, [room.replica()]);
    room.clock.now += 2 * HOUR;
    await room.pass(10_000, [room.replica()]);
    expect([at, timesTold(room, withdrawn(1))]).toEqual([at, 1]);
    if (!isDead()) return;
  }
});

describe('a chat that another replica processes between two writes', () => {
  /**
   * A replica that sends nothing itself. Before its storage call number `at` the other replica processes due chats.
   */
  function interrupted(room: OutboxRoom, at: number) {
    let calls = 0;
    const interrupting =
      <T extends unknown[], R>(run: (...given: T) => Promise<R>) =>
      async (...given: T): Promise<R> => {
        if (calls++ === at) await room.pass(5_000);
        return run(...given);
      };
    const { index, ...rest } = room.storage;
    const own = room.replica({
      ...rest,
      ...{
        get: interrupting(rest.get),
        set: interrupting(rest.set),
        add: interrupting(rest.add),
        delete: interrupting(rest.delete),
      },
      index: {
        ...index,
        ...{
          put: interrupting(index.put),
          putIn: interrupting(index.putIn),
          putWithin: interrupting(index.putWithin),
          moveIn: interrupting(index.moveIn),
        },
        ...{ remove: interrupting(index.remove), upTo: interrupting(index.upTo) },
      },
    });
    return { own, isOver: () => calls <= at };
  }

  test('receives a notification that was just added', async () => {
    for (let at = 0; ; at += 1) {
      const room = await openOutbox();
      const { own, isOver } = interrupted(room, at);
      await own.close();
      await own.add(withdrawn(1));
      await room.pass(5_000);
      expect([at, room.sentTo(USER).length]).toEqual([at, 1]);
      if (isOver()) return;
    }
  });

  test('receives what was waiting when its user returned', async () => {
    for (let at = 0; ; at += 1) {
      const room = await openOutbox();
      room.answer.mockResolvedValueOnce(BLOCKED);
      await room.add(withdrawn(1));
      await room.pass(5_000);
      const { own, isOver } = interrupted(room, at);
      await own.close();
      await own.returned(USER);
      await room.pass(5_000);
      expect([at, room.sentTo(USER).length]).toEqual([at, 1]);
      if (isOver()) return;
    }
  });
});

test('sends a notification once if several replicas add and send it concurrently', async () => {
  const room = await openOutbox();
  const replicas = [room.outbox, room.replica(), room.replica()];
  for (let trx = 1; trx <= 5; trx += 1) for (const one of replicas) void room.add(withdrawn(trx), one);
  await room.pass(30_000, replicas);
  for (let trx = 1; trx <= 5; trx += 1) for (const one of replicas) void room.add(withdrawn(trx), one);
  await room.pass(30_000, replicas);
  expect(room.sentTo(USER)).toHaveLength(5);
});

test('sends a notification that is added while its chat leaves the queue', async () => {
  for (let at = 0; at < 60; at += 1) {
    const room = await openOutbox();
    let calls = 0;
    const { view } = dying(room.storage, Number.POSITIVE_INFINITY);
    // Another process adds the second notification between two storage calls of the first one's sender.
    const writer = room.replica();
    await writer.close();
    const meddling =
      <T extends unknown[], R>(run: (...given: T) => Promise<R>) =>
      async (...given: T): Promise<R> => {
        if (calls++ === at) await writer.add(withdrawn(2));
        return run(...given);
      };
    const { index } = view;
    const own = room.replica({
      ...view,
      ...{ get: meddling(view.get), set: meddling(view.set), delete: meddling(view.delete) },
      index: {
        ...index,
        ...{ put: meddling(index.put), putIn: meddling(index.putIn), remove: meddling(index.remove) },
        ...{ putWithin: meddling(index.putWithin), upTo: meddling(index.upTo) },
        moveIn: meddling(index.moveIn),
      },
    });
    void own.add(withdrawn(1));
    await room.pass(20_000, [own]);
    if (calls <= at) return;
    expect([at, room.sentTo(USER).length]).toEqual([at, 2]);
  }
});
