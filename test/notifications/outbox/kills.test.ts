import { describe, expect, test, vi } from 'vitest';
import type { NewNotification, Outbox } from '../../../src/notifications/outbox.ts';
import type { Storage } from '../../../src/platform/storage.ts';
import { failing } from '../../operations/operations-setup.ts';
import { profileOf } from '../../operations/rental-stand-in.ts';
import { storedKeys } from '../../support/stored-keys.ts';
import {
  BLOCKED,
  deposit,
  FAILED,
  intercept,
  type OutboxSetup,
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
  let isDead = false;
  const view = intercept(storage, (call) => {
    isDead = call >= at;
    return isDead ? new Promise(() => undefined) : undefined;
  });
  return { view, isDead: () => isDead };
}

/** Notifications to add, and what happens to them in the process that dies. */
interface Life {
  notifications: NewNotification[];
  lives(setup: OutboxSetup, own: Outbox): Promise<unknown>;
}

const addAll = (notifications: readonly NewNotification[], own: Outbox) => {
  // A caller whose notification wasn't stored adds it again.
  for (const notification of notifications) void own.add(notification).catch(() => undefined);
};

const LIVES: Record<string, Life> = {
  'sent at once': {
    notifications: [withdrawn(1)],
    lives: async ({ pass }, own) => pass(5_000, [own]),
  },
  'grouped, and sent one after another': {
    notifications: [deposit(1), deposit(2), deposit(3), withdrawn(4)],
    lives: async ({ pass }, own) => pass(10_000, [own]),
  },
  'sent again after failures': {
    notifications: [withdrawn(1), withdrawn(2)],
    async lives({ answer, pass }, own) {
      answer.mockResolvedValueOnce(FAILED).mockResolvedValueOnce({ kind: 'later', afterMs: 5_000 });
      await pass(20_000, [own]);
    },
  },
  'set aside and retried': {
    notifications: [withdrawn(1)],
    async lives({ says, answer, pass, clock }, own) {
      says(USER, FAILED);
      await pass(90_000, [own]);
      answer.mockResolvedValue(SENT);
      clock.now += HOUR;
      await pass(5_000, [own]);
    },
  },
  'kept until the user unblocks the bot': {
    notifications: [withdrawn(1), withdrawn(2)],
    async lives({ answer, pass }, own) {
      answer.mockResolvedValueOnce(BLOCKED);
      await pass(5_000, [own]);
      answer.mockResolvedValue(SENT);
      void own.onUserReturned(USER).catch(() => undefined);
      await pass(10_000, [own]);
    },
  },
};

/** Returns how often the chat received this notification. */
const timesTold = ({ sentTo }: OutboxSetup, { id }: NewNotification) =>
  sentTo(USER).filter((html) => new RegExp(`\\b${Number.parseInt(id, 10)}\\.00 TRX`).test(visible(html)))
    .length;

describe.each(Object.entries(LIVES))('a notification that is %s', (_, { notifications, lives }) => {
  test('is sent once if a process dies, and twice only if it died before storing the result', async () => {
    for (let at = 0; ; at += 1) {
      const setup = await openOutbox();
      const { view, isDead } = dying(setup.storage, at);
      const own = setup.replica(view);
      addAll(notifications, own);
      await lives(setup, own);
      const before = notifications.map((one) => timesTold(setup, one));
      const stored = await Promise.all(
        (await storedKeys(setup.storage, 'notification:')).map(setup.storage.get),
      );
      const known = stored.filter((text) => text?.endsWith('."delivered"')).length;
      setup.answer.mockReset().mockResolvedValue(SENT);
      const next = setup.replica();
      addAll(notifications, next);
      await settled();
      await next.onUserReturned(USER);
      await setup.pass(30_000, [next]);
      setup.clock.now += 2 * HOUR;
      await setup.pass(10_000, [next]);
      const after = notifications.map((one) => timesTold(setup, one));
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
        const setup = await openOutbox();
        let calls = 0;
        const own = setup.replica(failing(setup.storage, () => calls++ === at));
        addAll(notifications, own);
        await settled();
        await vi.advanceTimersByTimeAsync(1_000);
        addAll(notifications, own);
        await lives(setup, own);
        await vi.advanceTimersByTimeAsync(1_000);
        setup.answer.mockReset().mockResolvedValue(SENT);
        // A caller retries a failed call.
        await own.onUserReturned(USER).catch(() => own.onUserReturned(USER));
        await setup.pass(30_000, [own]);
        // Rewrites after a failure wait for a timer, not for the clock of the test.
        await vi.advanceTimersByTimeAsync(60_000);
        setup.clock.now += 2 * HOUR;
        await setup.pass(10_000, [own]);
        expect([at, notifications.map((one) => timesTold(setup, one))]).toEqual([
          at,
          notifications.map(() => 1),
        ]);
        if (calls <= at) return;
      }
    } finally {
      vi.useRealTimers();
    }
  });
});

test('sends an unanswered notification once more, at whichever call a process dies', async () => {
  for (let at = 0; ; at += 1) {
    const setup = await openOutbox();
    const { view, isDead } = dying(setup.storage, at);
    const own = setup.replica(view);
    setup.answer.mockResolvedValueOnce(UNCLEAR);
    addAll([deposit(1)], own);
    await setup.pass(5_000, [own]);
    const wasAsked = setup.asked.length > 0;
    const record = (
      await Promise.all((await storedKeys(setup.storage, 'notification:')).map(setup.storage.get))
    )[0];
    const wasStored = record?.includes('"isUnclear":true') ?? false;
    setup.answer.mockReset().mockResolvedValue(SENT);
    const next = setup.replica();
    addAll([deposit(1)], next);
    await setup.pass(60_000, [next]);
    addAll([withdrawn(2)], next);
    await setup.pass(60_000, [next]);
    const said = setup.asked.filter(({ html }) => html.includes('<b>1.00 TRX'));
    expect([at, said.length]).toEqual([at, wasAsked ? 2 : 1]);
    // A process that dies before it stores the missing response leaves no trace of the sending.
    expect([at, said.at(-1)?.html.includes('You may have seen this')]).toEqual([at, wasStored]);
    if (!isDead()) return;
  }
});

test('sends a notification at most twice if two processes die, then adds it to the next message', async () => {
  const sendings = new Set<string>();
  /** Kills both processes at the given calls. Checks the result if the first had sent without storing it. */
  async function die(first: number, second: number) {
    const setup = await openOutbox();
    const one = dying(setup.storage, first);
    const other = dying(setup.storage, second);
    const live = (view: Storage, ms: number) => {
      const own = setup.replica(view);
      addAll([deposit(1)], own);
      return setup.pass(ms, [own]);
    };
    await live(one.view, 5_000);
    const stored = await Promise.all(
      (await storedKeys(setup.storage, 'notification:')).map(setup.storage.get),
    );
    const wasInFlight =
      timesTold(setup, deposit(1)) > 0 && !stored.some((text) => text?.endsWith('."delivered"'));
    if (wasInFlight) {
      await live(other.view, 20_000);
      await live(setup.storage, 20_000);
      const blindly = timesTold(setup, deposit(1));
      await live(setup.storage, 1_000);
      await setup.add(withdrawn(2), setup.replica());
      await setup.pass(5_000);
      const isSaid = setup.sentTo(USER).at(-1)?.includes('You may have seen this') ?? false;
      expect([first, second, timesTold(setup, deposit(1))]).toEqual([
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
    const setup = await openOutbox();
    const other = setup.replica();
    setup.profile.mockImplementationOnce(async () => {
      vi.advanceTimersByTime(20_000);
      setup.clock.now += 20_000;
      await setup.pass(5_000, [other]);
      return profileOf('100.00');
    });
    await setup.add(deposit(1));
    await setup.pass(60_000, [setup.outbox, other]);
    expect(timesTold(setup, deposit(1))).toBe(1);
    await setup.add(withdrawn(2));
    await settled();
    expect(timesTold(setup, withdrawn(2))).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

/** Opens a chat with a notification that was sent twice without a response. */
async function openUnclear() {
  const setup = await openOutbox();
  setup.answer.mockResolvedValueOnce(UNCLEAR).mockResolvedValueOnce(UNCLEAR);
  await setup.add(withdrawn(1));
  await setup.pass(60_000);
  return setup;
}

test('repeats a possibly unsent notification at the menu even if the process dies', async () => {
  for (let at = 0; ; at += 1) {
    const setup = await openUnclear();
    const { view, isDead } = dying(setup.storage, at);
    void setup.replica(view).onUserActive(USER);
    await setup.pass(5_000, [setup.replica(view)]);
    const next = setup.replica();
    await next.onUserActive(USER);
    await setup.pass(60_000, [next]);
    expect([at, timesTold(setup, withdrawn(1)) > 0]).toEqual([at, true]);
    if (!isDead()) return;
  }
});

test('repeats a possibly unsent notification at the menu even if a storage call fails', async () => {
  for (let at = 0; ; at += 1) {
    const setup = await openUnclear();
    let calls = 0;
    const own = setup.replica(failing(setup.storage, () => calls++ === at));
    await own.onUserActive(USER).catch(() => undefined);
    await setup.pass(60_000, [own]);
    // The user opens the menu again if the storage failed only now.
    await own.onUserActive(USER).catch(() => own.onUserActive(USER));
    await setup.pass(60_000, [own]);
    expect([at, timesTold(setup, withdrawn(1))]).toEqual([at, 1]);
    if (calls <= at) return;
  }
});

test('sends an unanswered notification again even if the storage fails once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    for (let at = 0; ; at += 1) {
      const setup = await openOutbox();
      let calls = -1;
      const own = setup.replica(failing(setup.storage, () => calls >= 0 && calls++ === at));
      setup.answer.mockImplementationOnce(async () => {
        calls = 0;
        return UNCLEAR;
      });
      await setup.add(withdrawn(1), own);
      await setup.pass(5_000, [own]);
      await vi.advanceTimersByTimeAsync(60_000);
      await setup.pass(120_000, [own]);
      expect([at, setup.asked.length]).toEqual([at, 2]);
      if (calls <= at) return;
    }
  } finally {
    vi.useRealTimers();
  }
});

test('leaves the chat to the new lease holder if its lease expired during a send', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const setup = await openOutbox();
    const answers: ((sent: typeof SENT) => void)[] = [];
    setup.answer.mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
    await setup.add(withdrawn(1));
    await settled();
    const other = setup.replica();
    const writer = setup.replica();
    await writer.close();
    await writer.add(withdrawn(2));
    vi.advanceTimersByTime(20_000);
    setup.clock.now += 20_000;
    await setup.pass(2_000, [other]);
    expect(answers).toHaveLength(2);
    answers[0]?.(SENT);
    await settled();
    // The other replica dies during its send. The next one finds what is waiting.
    vi.advanceTimersByTime(30_000);
    setup.clock.now += 30_000;
    setup.answer.mockReset().mockResolvedValue(SENT);
    await setup.pass(30_000, [setup.replica()]);
    expect(timesTold(setup, withdrawn(2))).toBe(1);
    expect(await setup.storage.index.last('outbox:in-delivery', 9)).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

describe('a chat that another replica processes between two writes', () => {
  /**
   * A replica that sends nothing itself. Before its storage call number `at` the other replica processes due chats.
   */
  function interrupted(setup: OutboxSetup, at: number) {
    let isOver = true;
    const own = setup.replica(
      intercept(setup.storage, (call) => {
        if (call >= at) isOver = false;
        return call === at ? setup.pass(5_000) : undefined;
      }),
    );
    return { own, isOver: () => isOver };
  }

  test('receives a notification that was just added', async () => {
    for (let at = 0; ; at += 1) {
      const setup = await openOutbox();
      const { own, isOver } = interrupted(setup, at);
      await own.close();
      await own.add(withdrawn(1));
      await setup.pass(5_000);
      expect([at, setup.sentTo(USER).length]).toEqual([at, 1]);
      if (isOver()) return;
    }
  });

  test('receives what was waiting when its user returned', async () => {
    for (let at = 0; ; at += 1) {
      const setup = await openOutbox();
      setup.answer.mockResolvedValueOnce(BLOCKED);
      await setup.add(withdrawn(1));
      await setup.pass(5_000);
      const { own, isOver } = interrupted(setup, at);
      await own.close();
      await own.onUserReturned(USER);
      await setup.pass(5_000);
      expect([at, setup.sentTo(USER).length]).toEqual([at, 1]);
      if (isOver()) return;
    }
  });
});

test('sends a notification that is added while its chat leaves the queue', async () => {
  for (let at = 0; at < 60; at += 1) {
    const setup = await openOutbox();
    let isOver = true;
    // Another process adds the second notification between two storage calls of the first one's sender.
    const writer = setup.replica();
    await writer.close();
    const own = setup.replica(
      intercept(setup.storage, (call) => {
        if (call >= at) isOver = false;
        return call === at ? writer.add(withdrawn(2)) : undefined;
      }),
    );
    void own.add(withdrawn(1));
    await setup.pass(20_000, [own]);
    if (isOver) return;
    expect([at, setup.sentTo(USER).length]).toEqual([at, 2]);
  }
});
