import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { maxPerMinute } from '../invoices/invoices-setup.ts';
import { failing, START, USER } from '../operations/operations-setup.ts';
import { ACCOUNT, accepted, OFFLINE, profileOf, rejected } from '../operations/rental-stand-in.ts';
import { killedAfter } from '../support/killed.ts';
import { settled } from '../support/settled.ts';
import { depositOf, HOUR, KEY, MINUTE, openPollers, SECOND } from './pollers-setup.ts';

/** Opens an account after its first poll, which found nothing. */
async function openPolledOnce() {
  const setup = await openPollers();
  await setup.pollers.addAccount(ACCOUNT, { user: USER });
  await setup.pass(MINUTE, setup.pollers);
  const reads = setup.watched('deposits');
  return { ...setup, reads };
}

test('reads the lists of an account while it is linked and again after a minute', async () => {
  const { pollers, pass, rental, scheduled } = await openPollers();
  await pollers.addAccount(ACCOUNT, { user: USER });
  for (const name of ['deposits', 'withdrawals', 'webhookLogs'] as const)
    expect(rental[name].mock.calls).toEqual([[KEY]]);
  // Linking has just read the balance.
  expect(rental.profile).not.toHaveBeenCalled();
  await pass(MINUTE - SECOND, pollers);
  expect(rental.deposits).toHaveBeenCalledTimes(1);
  await pass(SECOND, pollers);
  expect(rental.deposits).toHaveBeenCalledTimes(2);
  expect(await scheduled('idle')).toEqual([`${ACCOUNT}/balance`]);
});

describe('deposits without a date', () => {
  const undated = (id: number) => depositOf(id, 'confirmed', { created_at: undefined });
  const idsOf = (notifications: { chat: number; id: string }[], user = USER) =>
    notifications.filter(({ chat }) => chat === user).map(({ id }) => id);

  test('are reported if they arrive before the first poll, and not if they were there before', async () => {
    const { pollers, rental, pass, notified } = await openPollers();
    rental.deposits.mockResolvedValue(accepted([undated(1)]));
    await pollers.addAccount(ACCOUNT, { user: USER });
    rental.deposits.mockResolvedValue(accepted([undated(1), undated(2)]));
    await pass(MINUTE, pollers);
    expect(idsOf(await notified())).toEqual(['2:confirmed']);
  });

  test('are reported at once if an event announces them before the first poll', async () => {
    const { pollers, rental, notified } = await openPollers();
    await pollers.addAccount(ACCOUNT, { user: USER });
    rental.deposits.mockResolvedValue(accepted([undated(1)]));
    await pollers.pollSoon(ACCOUNT, 'deposits');
    await settled();
    expect(idsOf(await notified())).toEqual(['1:confirmed']);
  });

  test('are compared with the first list that can be read, within seconds', async () => {
    const { pollers, rental, pass, notified } = await openPollers();
    rental.deposits.mockResolvedValue(OFFLINE);
    await pollers.addAccount(ACCOUNT, { user: USER });
    rental.deposits.mockResolvedValue(accepted([undated(1)]));
    await pass(3 * SECOND, pollers);
    rental.deposits.mockResolvedValue(accepted([undated(1), undated(2)]));
    await pass(MINUTE, pollers);
    expect(idsOf(await notified())).toEqual(['2:confirmed']);
  });

  test('are notified to the first holder when a second one links the account before the next poll', async () => {
    const { pollers, links, clock, rental, notified } = await openPolledOnce();
    rental.deposits.mockResolvedValue(accepted([undated(1)]));
    clock.now += 10 * SECOND;
    await links.link(USER + 1, ACCOUNT, 'another-key', 'en');
    await pollers.addAccount(ACCOUNT, { user: USER + 1 });
    expect(idsOf(await notified())).toEqual(['1:confirmed']);
  });

  test.each([
    ['can be read', 0],
    ['cannot be read at first', 1],
  ])('are reported after the user linked the account again, if the list %s', async (_, failures) => {
    const { pollers, links, clock, rental, pass, notified } = await openPolledOnce();
    rental.deposits.mockResolvedValue(accepted([undated(1)]));
    for (let n = 0; n < failures; n++) rental.deposits.mockResolvedValueOnce(OFFLINE);
    const relinked = await links.find(USER);
    clock.now += 10 * SECOND;
    await links.link(USER, ACCOUNT, 'the-new-key', 'en');
    await pollers.addAccount(ACCOUNT, { user: USER, relinked });
    await pass(10 * SECOND, pollers);
    expect(idsOf(await notified())).toEqual(['1:confirmed']);
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
  for (const name of ['deposits', 'withdrawals', 'webhookLogs'] as const)
    expect(rental[name]).toHaveBeenCalled();
});

test('polls at once when a change is expected', async () => {
  const { pollers, reads, rental, notified } = await openPolledOnce();
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
  await pollers.pollSoon(ACCOUNT, 'deposits');
  await settled();
  expect(await notified()).toMatchObject([{ chat: USER, kind: 'deposit', id: '1:confirmed' }]);
  expect(reads).toEqual([]);
});

test('serves many simultaneous expectations with one read', async () => {
  const { pollers, reads } = await openPolledOnce();
  await Promise.all(Array.from({ length: 50 }, () => pollers.pollSoon(ACCOUNT, 'deposits')));
  await settled();
  // The first read may already be in flight when the others arrive.
  expect(reads.length).toBeLessThanOrEqual(2);
});

test('polls again if a change is expected during a poll, which may have missed it', async () => {
  const { pollers, rental, notified } = await openPolledOnce();
  let answer: (value: ReturnType<typeof accepted<ReturnType<typeof depositOf>[]>>) => void = () => {};
  rental.deposits.mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  await pollers.pollSoon(ACCOUNT, 'deposits');
  await settled();
  await pollers.pollSoon(ACCOUNT, 'deposits');
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
  answer(accepted([]));
  await settled();
  expect(await notified()).toHaveLength(1);
});

test('polls again if another replica expects a change during a poll', async () => {
  const { pollers, replica, rental, notified, pass } = await openPolledOnce();
  const other = replica();
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  rental.deposits.mockImplementationOnce(() => held.then(() => accepted([])));
  await pollers.pollSoon(ACCOUNT, 'deposits');
  await settled();
  await other.pollSoon(ACCOUNT, 'deposits');
  await settled();
  expect(rental.deposits).toHaveBeenCalledTimes(3);
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
  answer();
  await settled();
  await pass(2 * SECOND, other);
  expect(await notified()).toHaveLength(1);
});

test('does not lose an expectation that another replica’s poll removes from the schedule', async () => {
  const { clock, replica, storage, reads, pass } = await openPolledOnce();
  function held() {
    let goOn = () => {};
    const until = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    return { until, goOn: () => goOn() };
  }
  const [leaving, ending, taking] = [held(), held(), held()];
  const slow = replica({
    ...storage,
    async set(key, ...given) {
      if (key.startsWith('poll-state:')) await ending.until;
      await storage.set(key, ...given);
    },
    index: {
      ...storage.index,
      async move(index, from, ...given) {
        if (from.includes('polls:expected')) await leaving.until;
        return storage.index.move(index, from, ...given);
      },
    },
  });
  const other = replica({
    ...storage,
    async add(key, ...given) {
      if (key.startsWith('polling:')) await taking.until;
      return storage.add(key, ...given);
    },
  });
  clock.now += MINUTE;
  await slow.run();
  await settled();
  await other.pollSoon(ACCOUNT, 'deposits');
  for (const { goOn } of [leaving, taking, ending]) {
    goOn();
    await settled();
  }
  // The first read was a regular poll. The others follow the intervals for an expected change.
  await pass(10 * SECOND, other);
  expect(reads).toEqual([60, 62, 63, 65, 70]);
});

test('polls a due account on one of two replicas', async () => {
  const { pollers, replica, pass, reads } = await openPolledOnce();
  await pass(MINUTE, pollers, replica(), replica());
  expect(reads).toEqual([60]);
});

describe('an expected change', () => {
  const SECONDS = [0, 1, 3, 8, 23, 83, 383];

  test('is polled for with growing delays until it is there', async () => {
    const { pollers, pass, reads } = await openPolledOnce();
    await pollers.pollSoon(ACCOUNT, 'deposits');
    await settled();
    await pass(7 * MINUTE, pollers);
    expect(reads.slice(0, 7)).toEqual(SECONDS);
  });

  test('is polled for by a replica that did not create the expectation', async () => {
    const { pollers, replica, pass, reads } = await openPolledOnce();
    await pollers.pollSoon(ACCOUNT, 'deposits');
    await settled();
    await pollers.close();
    await pass(7 * MINUTE, replica());
    expect(reads.slice(0, 7)).toEqual(SECONDS);
  });

  test('is notified of as soon as it is there', async () => {
    const { pollers, pass, reads, rental, notified } = await openPolledOnce();
    await pollers.pollSoon(ACCOUNT, 'deposits');
    await settled();
    await pass(5 * SECOND, pollers);
    expect(reads).toEqual([0, 1, 3]);
    rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
    await pass(3 * SECOND, pollers);
    expect(await notified()).toHaveLength(1);
  });

  test('is polled for at once when it is expected again', async () => {
    const { pollers, pass, reads } = await openPolledOnce();
    await pollers.pollSoon(ACCOUNT, 'deposits');
    await settled();
    await pass(30 * SECOND, pollers);
    expect(reads.slice(5)).toEqual([]);
    await pollers.pollSoon(ACCOUNT, 'deposits');
    await settled();
    expect(reads.slice(5)).toEqual([30]);
    await pass(3 * SECOND, pollers);
    expect(reads.slice(5)).toEqual([30, 31, 33]);
  });
});

test('reads one list of an account at most 30 times a minute, without losing a change', async () => {
  const { pollers, replica, pass, reads, rental, notified } = await openPolledOnce();
  const other = replica();
  for (let n = 0; n < 240; n++) {
    await (n % 2 ? pollers : other).pollSoon(ACCOUNT, 'deposits');
    await settled();
    await pass(SECOND / 2, pollers, other);
  }
  expect(maxPerMinute(reads.map((at) => at * SECOND))).toBe(30);
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
  await pollers.pollSoon(ACCOUNT, 'deposits');
  await pass(MINUTE, pollers, other);
  expect(await notified()).toHaveLength(1);
});

test('postpones an account until its rate limit allows another read', async () => {
  const { pollers, pass, scheduled, storage } = await openPolledOnce();
  for (let n = 0; n < 40; n++) {
    await pollers.pollSoon(ACCOUNT, 'deposits');
    await settled();
  }
  await pass(10 * SECOND, pollers);
  expect(await scheduled('expected')).toEqual([`${ACCOUNT}/deposits`]);
  expect(await storage.index.due('polls:expected', 10)).toEqual([]);
});

describe('if the service does not respond', () => {
  test('retries an expected change with growing delays and notifies once it is back', async () => {
    const { pollers, pass, rental, notified, watched } = await openPolledOnce();
    rental.deposits.mockImplementation(async () => OFFLINE);
    const reads = watched('deposits');
    await pollers.pollSoon(ACCOUNT, 'deposits');
    await settled();
    await pass(2 * MINUTE, pollers);
    expect(reads.slice(0, 6)).toEqual([0, 2, 7, 17, 47, 107]);
    rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
    await pass(MINUTE, pollers);
    expect(await notified()).toHaveLength(1);
  });

  test('keeps polling other accounts', async () => {
    const { pollers, links, rental, notified } = await openPolledOnce();
    await links.link(USER + 1, ACCOUNT + 1, 'another-key', 'en');
    rental.profile.mockImplementation(async (key) => profileOf('1', key === KEY ? ACCOUNT : ACCOUNT + 1));
    rental.deposits.mockImplementation(async (key) =>
      key === KEY ? new Promise(() => undefined) : accepted([depositOf(1, 'confirmed')]),
    );
    await pollers.pollSoon(ACCOUNT, 'deposits');
    await pollers.pollSoon(ACCOUNT + 1, 'deposits');
    await settled();
    expect(await notified()).toMatchObject([{ chat: USER + 1, account: ACCOUNT + 1 }]);
  });
});

test('does not use a key that opens another account now, nor notify its user', async () => {
  const { pollers, links, rental, notified, clock, pass } = await openPolledOnce();
  await links.link(USER + 1, ACCOUNT, 'another-key', 'en');
  rental.profile.mockImplementation(async (key) => profileOf('1', key === KEY ? ACCOUNT + 1 : ACCOUNT));
  rental.deposits.mockImplementation(async (key) => accepted([depositOf(key === KEY ? 1 : 2, 'confirmed')]));
  clock.now += 10 * MINUTE;
  rental.deposits.mockClear();
  await pollers.pollSoon(ACCOUNT, 'deposits');
  await pass(MINUTE, pollers);
  expect(rental.deposits.mock.calls.map(([key]) => key)).not.toContain(KEY);
  expect(new Set((await notified()).map(({ id }) => id))).toEqual(new Set(['2:confirmed']));
});

test('does not use a key while its account is unknown, and resumes soon after', async () => {
  const { pollers, rental, notified, clock, pass } = await openPolledOnce();
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
  rental.profile.mockResolvedValue(OFFLINE);
  clock.now += 10 * MINUTE;
  rental.deposits.mockClear();
  await pollers.pollSoon(ACCOUNT, 'deposits');
  await pass(10 * SECOND, pollers);
  expect(rental.deposits).not.toHaveBeenCalled();
  rental.profile.mockResolvedValue(profileOf('1'));
  await pass(20 * SECOND, pollers);
  expect(await notified()).toMatchObject([{ id: '1:confirmed' }]);
});

test('uses the next holder’s key at once after a refusal, and the refused one later', async () => {
  const { pollers, links, pass, rental, notified, watched } = await openPolledOnce();
  await links.link(USER + 1, ACCOUNT, 'another-key', 'en');
  rental.deposits.mockImplementation(async (key) =>
    key === KEY ? rejected(401, 'UNAUTHORIZED') : accepted([depositOf(1, 'confirmed')]),
  );
  const reads = watched('deposits');
  await pollers.pollSoon(ACCOUNT, 'deposits');
  await settled();
  expect((await notified()).map(({ chat }) => chat)).toEqual([USER, USER + 1]);
  expect(reads).toHaveLength(2);
  const before = rental.deposits.mock.calls.length;
  for (let times = 0; times < 5; times += 1) {
    await pass(5 * SECOND, pollers);
    await pollers.pollSoon(ACCOUNT, 'deposits');
    await settled();
  }
  const later = rental.deposits.mock.calls.slice(before).map(([key]) => key);
  expect(new Set(later)).toEqual(new Set(['another-key']));
});

test('notifies within two minutes after the service refused a key for seconds', async () => {
  const { pollers, pass, rental, notified, clock } = await openPolledOnce();
  clock.now += 10 * MINUTE;
  rental.deposits.mockResolvedValue(rejected(401, 'UNAUTHORIZED'));
  rental.profile.mockResolvedValue(rejected(401, 'UNAUTHORIZED'));
  await pollers.pollSoon(ACCOUNT, 'deposits');
  await pass(4 * SECOND, pollers);
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
  rental.profile.mockResolvedValue(profileOf('1'));
  await pass(2 * MINUTE, pollers);
  expect(await notified()).toMatchObject([{ id: '1:confirmed' }]);
});

test('polls rarely if all keys are refused, and keeps the account', async () => {
  const { pollers, pass, rental, scheduled, watched } = await openPolledOnce();
  rental.deposits.mockImplementation(async () => rejected(401, 'UNAUTHORIZED'));
  const reads = watched('deposits');
  await pollers.pollSoon(ACCOUNT, 'deposits');
  await pass(HOUR, pollers);
  // Without the backoff it would be sixty reads.
  expect(reads.length).toBeLessThan(15);
  expect(await scheduled('idle')).toContain(`${ACCOUNT}/deposits`);
});

describe('an account without holders', () => {
  test('is removed when it comes due, without a request', async () => {
    const { pollers, links, pass, storage, reads, scheduled } = await openPolledOnce();
    await links.unlink(USER);
    await pollers.pollSoon(ACCOUNT, 'deposits');
    await settled();
    await pass(7 * HOUR, pollers);
    expect(reads).toEqual([]);
    expect([await scheduled('expected'), await scheduled('active'), await scheduled('idle')]).toEqual([
      [],
      [],
      [],
    ]);
    expect(await storage.keys('poll-state:')).toEqual([]);
  });

  test('is polled if it is linked again during its removal', async () => {
    const { replica, links, storage, pass, reads } = await openPolledOnce();
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
    await unlinking.pollSoon(ACCOUNT, 'deposits');
    await settled();
    await pass(2 * SECOND, unlinking);
    expect(isLinked).toBe(true);
    expect(reads.length).toBeGreaterThanOrEqual(1);
  });

  test('does not notify of changes between unlinking and linking again', async () => {
    const { pollers, links, clock, pass, rental, notified } = await openPolledOnce();
    await links.unlink(USER);
    clock.now += 10 * MINUTE;
    const between = depositOf(1, 'confirmed', { created_at: new Date(clock.now).toISOString() });
    const undated = depositOf(2, 'confirmed', { created_at: undefined });
    clock.now += 10 * MINUTE;
    rental.deposits.mockResolvedValue(accepted([between, undated]));
    await links.link(USER, ACCOUNT, KEY, 'en');
    await pollers.addAccount(ACCOUNT, { user: USER });
    await pass(SECOND, pollers);
    expect(await notified()).toEqual([]);
    const next = depositOf(3, 'confirmed', { created_at: new Date(clock.now).toISOString() });
    rental.deposits.mockResolvedValue(accepted([between, undated, next]));
    await pollers.pollSoon(ACCOUNT, 'deposits');
    await settled();
    expect((await notified()).map(({ id }) => id)).toEqual(['3:confirmed']);
  });
});

test('keeps an account’s state when one of two holders unlinks it', async () => {
  const { pollers, links, clock, pass, rental, notified } = await openPolledOnce();
  clock.now += HOUR;
  await links.link(USER + 1, ACCOUNT, 'another-key', 'en');
  await pass(MINUTE, pollers);
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'pending', { created_at: undefined })]));
  await pass(MINUTE, pollers);
  await links.unlink(USER);
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed', { created_at: undefined })]));
  await pollers.pollSoon(ACCOUNT, 'deposits');
  await settled();
  expect((await notified()).filter(({ chat }) => chat === USER + 1).map(({ id }) => id)).toContain(
    '1:confirmed',
  );
});

test('reads the operator’s account with the operator’s key', async () => {
  const { replica, links, operator, rental } = await openPollers();
  await links.unlink(USER);
  operator.owns.mockResolvedValue(true);
  const pollers = replica(undefined, { operatorKey: 'key-of-operator' });
  await pollers.pollSoon(ACCOUNT, 'deposits');
  await settled();
  expect(rental.deposits.mock.calls).toEqual([['key-of-operator']]);
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
    const pollers = replica(failing(storage, ({ method }) => isAway && method === 'upTo'));
    await expect(pollers.run()).rejects.toThrow('the storage is away');
    isAway = false;
    expect(await readsInNextSecond(pollers)).toBe(1);
  });

  test('are read again if more events were lost while scheduling', async () => {
    const { readsInNextSecond, replica, storage } = await openMany();
    let isFirst = true;
    const pollers = replica({
      ...storage,
      index: {
        ...storage.index,
        async scheduleNoLaterThan(...given) {
          // A delay of 0 is used only for scheduling all logs.
          if (isFirst && given[2] === 0) pollers.pollAllLogs();
          isFirst &&= given[2] !== 0;
          await storage.index.scheduleNoLaterThan(...given);
        },
      },
    });
    expect([
      await readsInNextSecond(pollers),
      await readsInNextSecond(pollers),
      await readsInNextSecond(pollers),
    ]).toEqual([1, 1, 0]);
  });
});

describe('a purchase', () => {
  test('polls the balance only if a user has set a threshold', async () => {
    const { pollers, notificationSettings, rental, pass, clock } = await openPolledOnce();
    rental.profile.mockClear().mockResolvedValue(profileOf('1000'));
    await pollers.pollBalanceIfNeeded(ACCOUNT);
    await settled();
    expect(rental.profile).not.toHaveBeenCalled();
    await notificationSettings.setLowBalance(USER, '10');
    clock.now += MINUTE;
    await pollers.pollBalanceIfNeeded(ACCOUNT);
    await settled();
    expect(rental.profile).toHaveBeenCalledOnce();
    await pass(SECOND, pollers);
  });
});

describe('a killed process', () => {
  test.each(Array.from({ length: 26 }, (_, calls) => calls))(
    'after %d storage calls: another replica notifies once of what is new',
    async (calls) => {
      const setup = await openPolledOnce();
      const { rental, replica, storage, pass, notified, scheduled } = setup;
      rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed'), depositOf(2, 'pending')]));
      const killed = killedAfter(calls, storage);
      const isStored = await replica(killed.storage)
        .pollSoon(ACCOUNT, 'deposits')
        .then(
          () => true,
          () => false,
        );
      await settled();
      // The caller repeats an expectation that was not stored.
      const successor = replica();
      if (!isStored) await successor.pollSoon(ACCOUNT, 'deposits');
      await pass(25 * SECOND, successor);
      expect((await notified()).map(({ id }) => id).sort()).toEqual(['1:confirmed', '2:pending']);
      expect([...(await scheduled('active')), ...(await scheduled('idle'))].sort()).toContain(
        `${ACCOUNT}/deposits`,
      );
    },
  );

  test('is replaced in the middle of its poll', async () => {
    const { pollers, replica, rental, pass, notified } = await openPolledOnce();
    rental.deposits.mockImplementationOnce(() => new Promise(() => undefined));
    await pollers.pollSoon(ACCOUNT, 'deposits');
    await settled();
    rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
    const successor = replica();
    await successor.pollSoon(ACCOUNT, 'deposits');
    await pass(12 * SECOND, successor);
    expect(await notified()).toHaveLength(1);
  });

  test('is killed at every step in the test above', async () => {
    const { replica, storage, rental } = await openPolledOnce();
    rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed'), depositOf(2, 'pending')]));
    const killed = killedAfter(25, storage);
    await replica(killed.storage).pollSoon(ACCOUNT, 'deposits');
    await settled();
    expect(killed.wasKilled()).toBe(false);
  });
});

test('retries a poll that failed because of the storage and keeps the expectation', async () => {
  const { replica, storage, rental, notified, pass, lines } = await openPolledOnce();
  let isAway = true;
  const pollers = replica(failing(storage, ({ key }) => isAway && key.startsWith('notified:')));
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
  await pollers.pollSoon(ACCOUNT, 'deposits');
  await settled();
  expect(lines()).toMatchObject([{ level: 'warn', name: `${ACCOUNT}/deposits` }]);
  isAway = false;
  await pass(20 * SECOND, pollers);
  expect(await notified()).toHaveLength(1);
});

test('notifies of changes in the last day at an account that was never polled when one is expected', async () => {
  const { pollers, clock, rental, notified } = await openPollers();
  clock.now = START + 50 * HOUR;
  const at = (ago: number) => new Date(clock.now - ago).toISOString();
  rental.deposits.mockResolvedValue(
    accepted([
      depositOf(1, 'confirmed', { created_at: at(25 * HOUR) }),
      depositOf(2, 'confirmed', { created_at: at(10 * MINUTE) }),
    ]),
  );
  await pollers.pollSoon(ACCOUNT, 'deposits');
  await settled();
  expect((await notified()).map(({ id }) => id)).toEqual(['2:confirmed']);
});

test('keeps polling for an expected change after its state could not be stored', async () => {
  const { replica, storage, reads, pass } = await openPolledOnce();
  let isAway = true;
  const pollers = replica(
    failing(storage, ({ method, key }) => isAway && method === 'set' && key.startsWith('poll-state:')),
  );
  await pollers.pollSoon(ACCOUNT, 'deposits');
  await settled();
  isAway = false;
  await pass(30 * SECOND, pollers);
  expect(reads).toEqual([0, 20, 21, 23, 28]);
});

test('does not read the lists again for the menu that is shown after linking', async () => {
  const { pollers, rental, pass } = await openPollers();
  await pollers.addAccount(ACCOUNT, { user: USER });
  await pollers.onUserActive(ACCOUNT);
  await pass(MINUTE - SECOND, pollers);
  expect(rental.deposits).toHaveBeenCalledTimes(1);
});

describe('opening the menu', () => {
  test('polls the user’s account at once, and more often for a while', async () => {
    const { pollers, pass, rental } = await openPolledOnce();
    await pass(5 * HOUR, pollers);
    rental.deposits.mockClear();
    await pollers.onUserActive(ACCOUNT);
    await settled();
    expect(rental.deposits).toHaveBeenCalledTimes(1);
    await pass(3 * MINUTE, pollers);
    expect(rental.deposits).toHaveBeenCalledTimes(4);
  });

  test('ten times in a row polls the account once', async () => {
    const { pollers, pass, rental } = await openPolledOnce();
    await pass(5 * HOUR, pollers);
    rental.deposits.mockClear();
    for (let times = 0; times < 10; times += 1) await pollers.onUserActive(ACCOUNT);
    await settled();
    expect(rental.deposits).toHaveBeenCalledTimes(1);
  });
});
