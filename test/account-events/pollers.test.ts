import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LOG_SEARCH } from '../../src/account-events/log-search.ts';
import { POLL_KINDS, POLLS } from '../../src/account-events/poll-state.ts';
import { POLLS_PER_TICK } from '../../src/platform/poll-runner.ts';
import { createPollSchedule } from '../../src/platform/poll-schedule.ts';
import { maxPerMinute } from '../invoices/invoices-setup.ts';
import { failing, START, USER } from '../operations/operations-setup.ts';
import { ACCOUNT, accepted, OFFLINE, profileOf, rejected } from '../operations/rental-stand-in.ts';
import { killedAfter } from '../support/killed.ts';
import { settled } from '../support/settled.ts';
import { createSignal } from '../support/signal.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { ADMIN, DAY, depositOf, HOUR, KEY, MINUTE, openPollers, SECOND } from './pollers-setup.ts';

const OTHER = USER + 1;
const MEMBER = `${ACCOUNT}/deposits`;
const CREDITED = accepted([depositOf(1, 'confirmed')]);
const UNAUTHORIZED = rejected(401, 'UNAUTHORIZED');
const LISTS = ['deposits', 'withdrawals', 'webhookLogs'] as const;
const undated = (id: number, status = 'confirmed') => depositOf(id, status, { created_at: undefined });

/** Opens an account after its first poll, which found nothing. `reads`: seconds at which deposits are read. */
async function openPolledOnce() {
  const setup = await openPollers();
  await setup.pollers.addAccount(ACCOUNT, { user: USER });
  await setup.pass(MINUTE, setup.pollers);
  return { ...setup, reads: setup.watched('deposits') };
}

test('reads the lists of an account while it is linked and again after a minute', async () => {
  const { pollers, pass, rental, scheduled } = await openPollers();
  await pollers.addAccount(ACCOUNT, { user: USER });
  for (const name of LISTS) expect(rental[name].mock.calls).toEqual([[KEY]]);
  // Linking has just read the balance.
  expect(rental.profile).not.toHaveBeenCalled();
  // Linking shows the menu.
  await pollers.onUserActive(ACCOUNT);
  await pass(MINUTE - SECOND, pollers);
  expect(rental.deposits).toHaveBeenCalledTimes(1);
  await pass(SECOND, pollers);
  expect(rental.deposits).toHaveBeenCalledTimes(2);
  expect(await scheduled('idle')).toEqual([`${ACCOUNT}/balance`]);
});

describe('deposits without a date', () => {
  test('are reported if they arrive before the first poll, and not if they were there before', async () => {
    const { pollers, rental, pass, idsFor } = await openPollers();
    rental.deposits.mockResolvedValue(accepted([undated(1)]));
    await pollers.addAccount(ACCOUNT, { user: USER });
    rental.deposits.mockResolvedValue(accepted([undated(1), undated(2)]));
    await pass(MINUTE, pollers);
    expect(await idsFor(USER)).toEqual(['2:confirmed']);
  });

  test('are reported at once if an event announces them before the first poll', async () => {
    const { pollers, rental, idsFor, pollSoon } = await openPollers();
    await pollers.addAccount(ACCOUNT, { user: USER });
    rental.deposits.mockResolvedValue(accepted([undated(1)]));
    await pollSoon();
    expect(await idsFor(USER)).toEqual(['1:confirmed']);
  });

  test('are compared with the first list that can be read, within seconds', async () => {
    const { pollers, rental, pass, idsFor } = await openPollers();
    rental.deposits.mockResolvedValue(OFFLINE);
    await pollers.addAccount(ACCOUNT, { user: USER });
    rental.deposits.mockResolvedValue(accepted([undated(1)]));
    await pass(3 * SECOND, pollers);
    rental.deposits.mockResolvedValue(accepted([undated(1), undated(2)]));
    await pass(MINUTE, pollers);
    expect(await idsFor(USER)).toEqual(['2:confirmed']);
  });

  test('are reported to the first holder when a second one links the account before the next poll', async () => {
    const { pollers, links, clock, rental, idsFor } = await openPolledOnce();
    rental.deposits.mockResolvedValue(accepted([undated(1)]));
    clock.now += 10 * SECOND;
    await links.link(OTHER, ACCOUNT, 'another-key', 'en');
    await pollers.addAccount(ACCOUNT, { user: OTHER });
    expect(await idsFor(USER)).toEqual(['1:confirmed']);
  });

  test.each([
    ['can be read', 0],
    ['cannot be read at first', 1],
  ])('are reported after the user linked the account again, if the list %s', async (_, failures) => {
    const { pollers, links, clock, rental, pass, idsFor } = await openPolledOnce();
    rental.deposits.mockResolvedValue(accepted([undated(1)]));
    for (let n = 0; n < failures; n++) rental.deposits.mockResolvedValueOnce(OFFLINE);
    const relinked = await links.find(USER);
    clock.now += 10 * SECOND;
    await links.link(USER, ACCOUNT, 'the-new-key', 'en');
    await pollers.addAccount(ACCOUNT, { user: USER, relinked });
    await pass(10 * SECOND, pollers);
    expect(await idsFor(USER)).toEqual(['1:confirmed']);
  });
});

test('does not delay linking while a list does not arrive', async () => {
  const { pollers, rental } = await openPollers();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  rental.deposits.mockImplementation(() => new Promise(() => {}));
  const added = pollers.addAccount(ACCOUNT, { user: USER });
  await vi.advanceTimersByTimeAsync(1_500);
  await added;
});

test('polls accounts that were linked before polling existed, after the next start', async () => {
  const { pollers, pass, rental } = await openPollers();
  await pass(HOUR + 2 * MINUTE, pollers);
  for (const name of LISTS) expect(rental[name]).toHaveBeenCalled();
});

test('polls at once when a change is expected', async () => {
  const { pollSoon, rental, notified } = await openPolledOnce();
  rental.deposits.mockResolvedValue(CREDITED);
  await pollSoon();
  expect(await notified()).toMatchObject([{ chat: USER, kind: 'deposit', id: '1:confirmed' }]);
});

test('serves many simultaneous expectations with one read', async () => {
  const { pollSoon, reads } = await openPolledOnce();
  await Promise.all(Array.from({ length: 50 }, () => pollSoon()));
  // The first read may already be in flight when the others arrive.
  expect(reads.length).toBeLessThanOrEqual(2);
});

test('polls again if a change is expected during a poll, which may have missed it', async () => {
  const { pollSoon, rental, notified } = await openPolledOnce();
  const { raised: until, raise: end } = createSignal();
  rental.deposits.mockImplementationOnce(() => until.then(() => accepted([])));
  await pollSoon();
  await pollSoon();
  rental.deposits.mockResolvedValue(CREDITED);
  end();
  await settled();
  expect(await notified()).toHaveLength(1);
});

test('does not lose an expectation that arises during another replica’s poll', async () => {
  const { clock, replica, storage, reads, pass, pollSoon } = await openPolledOnce();
  const { raised, raise } = createSignal();
  const slow = replica({
    ...storage,
    async set(key, ...given) {
      if (key.startsWith('poll-state:')) await raised;
      await storage.set(key, ...given);
    },
  });
  const other = replica();
  clock.now += MINUTE;
  await slow.run();
  await settled();
  await pollSoon(other);
  expect(reads).toEqual([60]);
  raise();
  await settled();
  // The first read was a regular poll. The others follow the intervals for an expected change.
  await pass(10 * SECOND, other);
  expect(reads).toEqual([60, 60, 61, 63, 68]);
});

test('polls a due account on one of two replicas', async () => {
  const { pollers, replica, pass, reads } = await openPolledOnce();
  await pass(MINUTE, pollers, replica(), replica());
  expect(reads).toEqual([60]);
});

describe('an expected change', () => {
  const SECONDS = [0, 1, 3, 8, 23, 83, 383];

  test('is polled for by a replica that did not create the expectation', async () => {
    const { pollers, pollSoon, replica, pass, reads } = await openPolledOnce();
    await pollSoon();
    await pollers.close();
    await pass(7 * MINUTE, replica());
    expect(reads.slice(0, 7)).toEqual(SECONDS);
  });

  test('is polled for at once when it is expected again', async () => {
    const { pollers, pollSoon, pass, reads } = await openPolledOnce();
    await pollSoon();
    await pass(30 * SECOND, pollers);
    expect(reads.slice(5)).toEqual([]);
    await pollSoon();
    expect(reads.slice(5)).toEqual([30]);
    await pass(3 * SECOND, pollers);
    expect(reads.slice(5)).toEqual([30, 31, 33]);
  });
});

test('reads one list of an account at most 30 times a minute, without losing a change', async () => {
  const { pollers, pollSoon, replica, pass, reads, rental, notified } = await openPolledOnce();
  const other = replica();
  for (let n = 0; n < 240; n++) {
    await pollSoon(n % 2 ? pollers : other);
    await pass(SECOND / 2, pollers, other);
  }
  expect(maxPerMinute(reads.map((at) => at * SECOND))).toBe(30);
  rental.deposits.mockResolvedValue(CREDITED);
  await pollSoon();
  await pass(MINUTE, pollers, other);
  expect(await notified()).toHaveLength(1);
});

test('postpones an account until its rate limit allows another read', async () => {
  const { pollers, pollSoon, pass, scheduled, storage } = await openPolledOnce();
  for (let n = 0; n < 40; n++) await pollSoon();
  await pass(10 * SECOND, pollers);
  expect(await scheduled('announced')).toEqual([MEMBER]);
  expect(await storage.index.due('polls:announced', 10, Number.MAX_SAFE_INTEGER)).toEqual([]);
});

describe('if the service does not respond', () => {
  test('keeps polling other accounts', async () => {
    const { pollers, pollSoon, links, rental, notified } = await openPolledOnce();
    await links.link(OTHER, ACCOUNT + 1, 'another-key', 'en');
    rental.profile.mockImplementation(async (key) => profileOf('1', key === KEY ? ACCOUNT : ACCOUNT + 1));
    rental.deposits.mockImplementation((key) =>
      key === KEY ? new Promise(() => undefined) : Promise.resolve(CREDITED),
    );
    await pollSoon();
    await pollers.pollSoon(ACCOUNT + 1, 'deposits');
    await settled();
    expect(await notified()).toMatchObject([{ chat: OTHER, account: ACCOUNT + 1 }]);
  });
});

/** Opens an account with two holders, after the service has moved the first one's key to another account. */
async function openMoved() {
  const setup = await openPolledOnce();
  await setup.links.link(OTHER, ACCOUNT, 'another-key', 'en');
  const move = () =>
    setup.rental.profile.mockImplementation(async (key) =>
      profileOf('1', key === KEY ? ACCOUNT + 1 : ACCOUNT),
    );
  const listed = (ofMoved: number[]) =>
    setup.rental.deposits.mockImplementation(async (key) =>
      accepted((key === KEY ? ofMoved : [2]).map((id) => depositOf(id, 'confirmed'))),
    );
  return { ...setup, move, listed };
}

test('reports nothing of another account that a key opens now, but what the next holder’s key shows', async () => {
  const { pollSoon, notified, move, listed } = await openMoved();
  listed([1]);
  move();
  await pollSoon();
  expect(new Set((await notified()).map(({ id }) => id))).toEqual(new Set(['2:confirmed']));
});

test('stops a report if the key is moved to another account during it', async () => {
  const { replica, storage, clock, notified, move, listed } = await openMoved();
  listed([1, 3]);
  const slow = replica({
    ...storage,
    async add(key, ...given) {
      if (key.startsWith('notified:')) {
        move();
        clock.now += 10 * SECOND;
      }
      return storage.add(key, ...given);
    },
  });
  await slow.pollSoon(ACCOUNT, 'deposits');
  await settled();
  expect((await notified()).map(({ id }) => id)).not.toContain('3:confirmed');
});

test('reads the profile hourly beside lists without news, and so notices that a key was moved', async () => {
  const { pollers, pass, watched, idsFor, move, listed } = await openMoved();
  listed([]);
  const [profiles, lists, subscriptions] = [
    watched('profile'),
    watched('deposits'),
    watched('subscriptions'),
  ];
  await pass(59 * MINUTE, pollers);
  expect(lists.length).toBeGreaterThanOrEqual(8);
  expect(profiles).toEqual([]);
  await pass(10 * HOUR, pollers);
  // The three lists of the account share a read. The subscriptions are read a minute later than these.
  const shared = profiles.filter((at) => lists.includes(at));
  expect(shared).toEqual(lists.slice(-shared.length));
  expect(profiles.filter((at) => !shared.includes(at))).toEqual(subscriptions.slice(-shared.length));
  move();
  await pass(7 * HOUR, pollers);
  expect(await idsFor(OTHER)).toEqual(['2:confirmed']);
});

test('reports nothing while the account of a key is unknown, and all of it soon after', async () => {
  const { pollers, pollSoon, rental, idsFor, pass } = await openPolledOnce();
  rental.deposits.mockResolvedValue(CREDITED);
  rental.profile.mockResolvedValue(OFFLINE);
  await pollSoon();
  await pass(10 * SECOND, pollers);
  expect(await idsFor(USER)).toEqual([]);
  rental.profile.mockResolvedValue(profileOf('1'));
  await pass(20 * SECOND, pollers);
  expect(await idsFor(USER)).toEqual(['1:confirmed']);
});

test('uses the next holder’s key at once after a refusal, and the refused one later', async () => {
  const { pollers, pollSoon, links, pass, rental, notified, watched } = await openPolledOnce();
  await links.link(OTHER, ACCOUNT, 'another-key', 'en');
  rental.deposits.mockImplementation(async (key) => (key === KEY ? UNAUTHORIZED : CREDITED));
  const reads = watched('deposits');
  await pollSoon();
  expect((await notified()).map(({ chat }) => chat)).toEqual([USER, OTHER]);
  expect(reads).toHaveLength(2);
  rental.deposits.mockClear();
  for (let times = 0; times < 5; times += 1) {
    await pass(5 * SECOND, pollers);
    await pollSoon();
  }
  expect(new Set(rental.deposits.mock.calls.map(([key]) => key))).toEqual(new Set(['another-key']));
});

test('checks the account of the next holder’s key even if its list has no news', async () => {
  const { pollSoon, links, rental } = await openPolledOnce();
  await links.link(OTHER, ACCOUNT, 'another-key', 'en');
  rental.deposits.mockImplementation(async (key) => (key === KEY ? UNAUTHORIZED : accepted([])));
  rental.profile.mockClear();
  await pollSoon();
  expect(rental.profile.mock.calls).toEqual([['another-key']]);
});

test('notifies within two minutes after the service refused a key for seconds', async () => {
  const { pollers, pollSoon, pass, rental, idsFor, clock } = await openPolledOnce();
  clock.now += 10 * MINUTE;
  rental.deposits.mockResolvedValue(UNAUTHORIZED);
  rental.profile.mockResolvedValue(UNAUTHORIZED);
  await pollSoon();
  await pass(4 * SECOND, pollers);
  rental.deposits.mockResolvedValue(CREDITED);
  rental.profile.mockResolvedValue(profileOf('1'));
  await pass(2 * MINUTE, pollers);
  expect(await idsFor(USER)).toEqual(['1:confirmed']);
});

describe('an account without holders', () => {
  test('is removed when it comes due, without a request', async () => {
    const { pollers, pollSoon, links, pass, storage, reads, scheduled } = await openPolledOnce();
    await links.unlink(USER);
    await pollSoon();
    await pass(7 * HOUR, pollers);
    expect(reads).toEqual([]);
    for (const priority of ['expected', 'active', 'idle', 'leased'])
      expect(await scheduled(priority)).toEqual([]);
    expect(await storedKeys(storage, 'poll-state:')).toEqual([]);
  });

  test('is polled if it is linked again during its removal', async () => {
    const { replica, pollSoon, links, storage, pass, reads } = await openPolledOnce();
    let isLinked = false;
    const unlinking = replica({
      ...storage,
      async delete(key, expected) {
        if (key.startsWith('poll-state:') && !isLinked) {
          isLinked = true;
          await links.link(USER, ACCOUNT, KEY, 'en');
          await replica().addAccount(ACCOUNT, { user: USER });
        }
        await storage.delete(key, expected);
      },
    });
    await links.unlink(USER);
    await pollSoon(unlinking);
    await pass(MINUTE + 2 * SECOND, unlinking);
    expect(isLinked).toBe(true);
    expect(reads.length).toBeGreaterThanOrEqual(1);
  });

  test('causes no notifications of changes between unlinking and linking again', async () => {
    const { pollers, pollSoon, links, clock, pass, rental, idsFor } = await openPolledOnce();
    const depositNow = (id: number) =>
      depositOf(id, 'confirmed', { created_at: new Date(clock.now).toISOString() });
    await links.unlink(USER);
    clock.now += 10 * MINUTE;
    const earlier = [depositNow(1), undated(2)];
    clock.now += 10 * MINUTE;
    rental.deposits.mockResolvedValue(accepted(earlier));
    await links.link(USER, ACCOUNT, KEY, 'en');
    await pollers.addAccount(ACCOUNT, { user: USER });
    await pass(SECOND, pollers);
    expect(await idsFor(USER)).toEqual([]);
    rental.deposits.mockResolvedValue(accepted([...earlier, depositNow(3)]));
    await pollSoon();
    expect(await idsFor(USER)).toEqual(['3:confirmed']);
  });
});

test('keeps an account’s state when one of two holders unlinks it', async () => {
  const { pollers, pollSoon, links, clock, pass, rental, idsFor } = await openPolledOnce();
  clock.now += HOUR;
  await links.link(OTHER, ACCOUNT, 'another-key', 'en');
  await pass(MINUTE, pollers);
  rental.deposits.mockResolvedValue(accepted([undated(1, 'pending')]));
  await pass(MINUTE, pollers);
  await links.unlink(USER);
  rental.deposits.mockResolvedValue(accepted([undated(1)]));
  await pollSoon();
  expect(await idsFor(OTHER)).toContain('1:confirmed');
});

describe('the operator’s account', () => {
  const OPERATOR = 1000;

  test('is read with the operator’s key', async () => {
    const { replica, pollSoon, links, operator, rental } = await openPollers();
    await links.unlink(USER);
    operator.owns.mockResolvedValue(true);
    await pollSoon(replica(undefined, { operatorKey: 'key-of-operator' }));
    expect(rental.deposits.mock.calls).toEqual([['key-of-operator']]);
  });

  test('has its balance polled every ten minutes even if no user holds the account', async () => {
    const setup = await openPollers();
    setup.operator.account.mockResolvedValueOnce(undefined).mockResolvedValue(OPERATOR);
    setup.operator.owns.mockImplementation(async (account) => account === OPERATOR);
    await setup.operatorLimits.setAlert('100.00');
    let balance = '500.00';
    const polledAt: number[] = [];
    setup.rental.profile.mockImplementation(async (key) => {
      if (key !== 'operator-key') return OFFLINE;
      polledAt.push(setup.clock.now);
      return profileOf(balance, OPERATOR);
    });
    const pollers = setup.replica(undefined, { operatorKey: 'operator-key' });
    await setup.pass(2 * MINUTE, pollers);
    expect(polledAt.length).toBeGreaterThan(0);
    await setup.pass(5 * HOUR, pollers);
    const notified = async () => (await setup.notified()).filter(({ kind }) => kind === 'operator');
    expect(await notified()).toEqual([]);
    expect(setup.clock.now - (polledAt.at(-1) ?? 0)).toBeLessThanOrEqual(10 * MINUTE);
    expect(polledAt.length).toBeLessThan(50);
    balance = '99.00';
    await setup.pass(11 * MINUTE, pollers);
    const alerts = [{ chat: ADMIN, data: { what: 'low', balance: '99.00', threshold: '100.00' } }];
    expect(await notified()).toMatchObject(alerts);
    setup.clock.now += 1;
    // The first holder's link begins a new state, but the admins were alerted already.
    await setup.links.link(OTHER, OPERATOR, 'operator-key', 'en');
    await setup.pass(11 * MINUTE, pollers);
    expect(await notified()).toMatchObject(alerts);
  });
});

describe('the logs of all accounts', () => {
  async function openMany() {
    const setup = await openPolledOnce();
    await setup.pass(10 * HOUR, setup.pollers);
    const logs = setup.watched('webhookLogs');
    const readsInNextSecond = async (pollers = setup.pollers) => {
      const before = logs.length;
      await setup.pass(SECOND, pollers);
      return logs.length - before;
    };
    return { ...setup, readsInNextSecond };
  }

  test('are read when a process starts', async () => {
    const { readsInNextSecond, replica } = await openMany();
    expect(await readsInNextSecond()).toBe(0);
    expect(await readsInNextSecond(replica())).toBe(1);
  });

  test('are read once after events may have been lost', async () => {
    const { readsInNextSecond, pollers } = await openMany();
    pollers.pollAllLogs();
    expect([await readsInNextSecond(), await readsInNextSecond()]).toEqual([1, 0]);
  });

  test('are read later if the storage failed', async () => {
    const { readsInNextSecond, replica, storage } = await openMany();
    let isAway = true;
    const pollers = replica(failing(storage, ({ method }) => isAway && method === 'above'));
    await expect(pollers.run()).rejects.toThrow('the storage is away');
    isAway = false;
    expect(await readsInNextSecond(pollers)).toBe(1);
  });

  test('are read again if more events are lost during the search', async () => {
    const { readsInNextSecond, replica, storage } = await openMany();
    const pollers = replica({
      ...storage,
      async replace(key, ...given) {
        if (key === LOG_SEARCH.keys && !isRequested) pollers.pollAllLogs();
        isRequested ||= key === LOG_SEARCH.keys;
        return storage.replace(key, ...given);
      },
    });
    let isRequested = false;
    const reads = [];
    for (let second = 0; second < 3; second += 1) reads.push(await readsInNextSecond(pollers));
    expect(reads).toEqual([1, 1, 0]);
  });

  describe('if there are many', () => {
    const COUNT = 450;
    const [FIRST, LAST] = [5_001, 5_000 + COUNT];

    /** Opens accounts whose lists aren't due for hours. `searched`: accounts whose logs were read. */
    async function openHundreds() {
      const setup = await openPollers();
      const { storage, links, rental } = setup;
      await links.unlink(USER);
      const { idle } = createPollSchedule(POLLS, { storage }).queues;
      for (let account = FIRST; account <= LAST; account += 1) {
        await links.link(account, account, `key-${account}`, 'en');
        for (const kind of POLL_KINDS) await idle.scheduleIn({ account, kind }, 5 * HOUR);
      }
      const searched: number[] = [];
      rental.profile.mockImplementation(async (key) => profileOf('1', Number(key.slice(4))));
      rental.webhookLogs.mockImplementation(async (key) => {
        searched.push(Number(key.slice(4)));
        return accepted([]);
      });
      return { ...setup, searched };
    }
    const all = Array.from({ length: COUNT }, (_, n) => FIRST + n);
    const sorted = (accounts: readonly number[]) => [...new Set(accounts)].toSorted((a, b) => a - b);

    test('are read at once, a hundred in a tick of each of two replicas that start together', async () => {
      const { replica, pass, searched, rental } = await openHundreds();
      const replicas = [replica(), replica()];
      await pass(SECOND, ...replicas);
      expect(searched).toHaveLength(2 * POLLS_PER_TICK);
      await pass(5 * SECOND, ...replicas);
      expect(sorted(searched)).toEqual(all);
      // Beginning together, they repeat at most two pages.
      expect(searched.length).toBeLessThanOrEqual(COUNT + 200);
      expect(rental.deposits).not.toHaveBeenCalled();
    });

    test('keep the queue short, so that other polls are not delayed', async () => {
      const { replica, pass, storage, rental } = await openHundreds();
      const schedule = createPollSchedule(POLLS, { storage });
      const pollers = replica();
      await pass(2 * SECOND, pollers);
      await schedule.queues.idle.scheduleNoLaterThan({ account: LAST, kind: 'deposits' }, 0);
      await pass(2 * SECOND, pollers);
      expect(rental.deposits.mock.calls).toEqual([[`key-${LAST}`]]);
      expect(await schedule.overdueMs()).toBeLessThanOrEqual(SECOND);
    });

    test('are also read while active accounts keep all replicas busy', async () => {
      const { replica, pass, storage, searched } = await openHundreds();
      const { active } = createPollSchedule(POLLS, { storage }).queues;
      const busy = Array.from(
        { length: 2_000 },
        (_, n) => [{ account: 9_000 + n, kind: 'deposits' }, 0] as const,
      );
      await active.scheduleAll('no-later-than', busy);
      await pass(10 * SECOND, replica());
      expect(await storage.index.size('polls:active')).toBeGreaterThan(1_000);
      expect(searched.length).toBeGreaterThanOrEqual(90);
    });

    test.each([1, 40, 400, 2_000])(
      'are all read after the process is killed after %d storage calls',
      async (calls) => {
        const { replica, pass, storage, searched } = await openHundreds();
        const killed = killedAfter(calls, storage);
        const victim = replica(killed.storage);
        const running = replica();
        await running.run();
        await settled();
        searched.length = 0;
        const tick = async () => void (await victim.run().catch(() => undefined));
        for (let ticks = 0; ticks < 3; ticks += 1) {
          await tick();
          await settled();
        }
        expect(killed.wasKilled()).toBe(true);
        await pass(30 * SECOND, replica());
        expect(sorted(searched)).toEqual(all);
      },
    );

    test('continue after a new request, and end where the search was', async () => {
      const { replica, pass, searched } = await openHundreds();
      const pollers = replica();
      await pass(3 * SECOND, pollers);
      const before = sorted(searched);
      searched.length = 0;
      pollers.pollAllLogs();
      await pass(SECOND, pollers);
      expect(Math.min(...searched)).toBeGreaterThan(Math.max(...before) - 100);
      await pass(20 * SECOND, pollers);
      expect(sorted(searched)).toEqual(all);
    });
  });
});

test('polls the balance after a purchase only if a user has set a threshold', async () => {
  const { pollers, notificationSettings, rental, clock } = await openPolledOnce();
  rental.profile.mockClear().mockResolvedValue(profileOf('1000'));
  for (let times = 0; times < 2; times += 1) await pollers.pollBalanceIfNeeded(ACCOUNT);
  await settled();
  expect(rental.profile).not.toHaveBeenCalled();
  await notificationSettings.setLowBalance(USER, '10');
  clock.now += MINUTE;
  await pollers.pollBalanceIfNeeded(ACCOUNT);
  await settled();
  expect(rental.profile).toHaveBeenCalledOnce();
});

describe('a killed process', () => {
  /** Number of storage calls of a poll. */
  const CALLS = 14;

  test.each(Array.from({ length: CALLS + 1 }, (_, calls) => calls))(
    'after %d storage calls: another replica notifies once of what is new',
    async (calls) => {
      const { rental, replica, storage, pass, idsFor, pollSoon, scheduled } = await openPolledOnce();
      rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed'), depositOf(2, 'pending')]));
      const killed = killedAfter(calls, storage);
      const expected = await pollSoon(replica(killed.storage)).catch(() => 'not stored');
      await settled();
      expect(killed.wasKilled()).toBe(calls < CALLS);
      // The caller repeats an expectation that was not stored.
      const successor = replica();
      if (expected === 'not stored') await successor.pollSoon(ACCOUNT, 'deposits');
      await pass(25 * SECOND, successor);
      expect((await idsFor(USER)).sort()).toEqual(['1:confirmed', '2:pending']);
      expect([...(await scheduled('active')), ...(await scheduled('idle'))]).toContain(MEMBER);
    },
  );

  test('is replaced in the middle of its poll', async () => {
    const { replica, rental, pass, notified, pollSoon } = await openPolledOnce();
    rental.deposits.mockImplementationOnce(() => new Promise(() => undefined));
    await pollSoon();
    rental.deposits.mockResolvedValue(CREDITED);
    const successor = replica();
    await successor.pollSoon(ACCOUNT, 'deposits');
    await pass(21 * SECOND, successor);
    expect(await notified()).toHaveLength(1);
  });
});

test('keeps polling for an expected change after its state could not be stored', async () => {
  const { replica, pollSoon, storage, reads, pass } = await openPolledOnce();
  let isAway = true;
  const pollers = replica(
    failing(storage, ({ method, key }) => isAway && method === 'set' && key.startsWith('poll-state:')),
  );
  await pollSoon(pollers);
  isAway = false;
  await pass(30 * SECOND, pollers);
  expect(reads).toEqual([0, 20, 21, 23, 28]);
});

test('reports changes of the last day at an account that was never polled when one is expected', async () => {
  const { pollSoon, clock, rental, idsFor } = await openPollers();
  clock.now = START + 2 * DAY;
  const before = (id: number, ago: number) =>
    depositOf(id, 'confirmed', { created_at: new Date(clock.now - ago).toISOString() });
  rental.deposits.mockResolvedValue(accepted([before(1, 25 * HOUR), before(2, 10 * MINUTE)]));
  await pollSoon();
  expect(await idsFor(USER)).toEqual(['2:confirmed']);
});

test('polls the user’s account once when the menu is opened, and more often for a while', async () => {
  const { pollers, pass, rental } = await openPolledOnce();
  await pass(5 * HOUR, pollers);
  rental.deposits.mockClear();
  for (let times = 0; times < 10; times += 1) await pollers.onUserActive(ACCOUNT);
  await settled();
  expect(rental.deposits).toHaveBeenCalledTimes(1);
  await pass(3 * MINUTE, pollers);
  expect(rental.deposits).toHaveBeenCalledTimes(4);
});
