import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { mostInAMinute } from '../invoices/room.ts';
import { failing, START, USER } from '../operations/operations-setup.ts';
import { ACCOUNT, accepted, OFFLINE, profileOf, rejected } from '../operations/rental-stand-in.ts';
import { killedAfter } from '../support/killed.ts';
import { settled } from '../support/settled.ts';
import { depositOf, HOUR, KEY, MINUTE, openLooks, SECOND } from './poller-setup.ts';

/** Opens an account after its first poll, which found nothing. */
async function openQuiet() {
  const setup = await openLooks();
  await setup.looks.follow(ACCOUNT, { user: USER });
  await setup.pass(MINUTE, setup.looks);
  const reads = setup.watched('deposits');
  return { ...setup, reads };
}

test('reads the lists of an account while it is linked and again after a minute', async () => {
  const { looks, pass, rental, lane } = await openLooks();
  await looks.follow(ACCOUNT, { user: USER });
  for (const name of ['deposits', 'withdrawals', 'webhookLogs'] as const)
    expect(rental[name].mock.calls).toEqual([[KEY]]);
  // Linking has just read the balance.
  expect(rental.profile).not.toHaveBeenCalled();
  await pass(MINUTE - SECOND, looks);
  expect(rental.deposits).toHaveBeenCalledTimes(1);
  await pass(SECOND, looks);
  expect(rental.deposits).toHaveBeenCalledTimes(2);
  expect(await lane('quiet')).toEqual([`${ACCOUNT}/balance`]);
});

describe('deposits without a date', () => {
  const undated = (id: number) => depositOf(id, 'confirmed', { created_at: undefined });
  const idsOf = (notices: { chat: number; id: string }[], user = USER) =>
    notices.filter(({ chat }) => chat === user).map(({ id }) => id);

  test('are reported if they arrive before the first poll, and not if they were there before', async () => {
    const { looks, rental, pass, told } = await openLooks();
    rental.deposits.mockResolvedValue(accepted([undated(1)]));
    await looks.follow(ACCOUNT, { user: USER });
    rental.deposits.mockResolvedValue(accepted([undated(1), undated(2)]));
    await pass(MINUTE, looks);
    expect(idsOf(await told())).toEqual(['2:confirmed']);
  });

  test('are reported at once if an event announces them before the first poll', async () => {
    const { looks, rental, told } = await openLooks();
    await looks.follow(ACCOUNT, { user: USER });
    rental.deposits.mockResolvedValue(accepted([undated(1)]));
    await looks.expect(ACCOUNT, 'deposits');
    await settled();
    expect(idsOf(await told())).toEqual(['1:confirmed']);
  });

  test('are compared with the first list that can be read, within seconds', async () => {
    const { looks, rental, pass, told } = await openLooks();
    rental.deposits.mockResolvedValue(OFFLINE);
    await looks.follow(ACCOUNT, { user: USER });
    rental.deposits.mockResolvedValue(accepted([undated(1)]));
    await pass(3 * SECOND, looks);
    rental.deposits.mockResolvedValue(accepted([undated(1), undated(2)]));
    await pass(MINUTE, looks);
    expect(idsOf(await told())).toEqual(['2:confirmed']);
  });

  test('reach the first holder when a second one links the account before the next poll', async () => {
    const { looks, links, clock, rental, told } = await openQuiet();
    rental.deposits.mockResolvedValue(accepted([undated(1)]));
    clock.now += 10 * SECOND;
    await links.link(USER + 1, ACCOUNT, 'another-key', 'en');
    await looks.follow(ACCOUNT, { user: USER + 1 });
    expect(idsOf(await told())).toEqual(['1:confirmed']);
  });

  test.each([
    ['can be read', 0],
    ['cannot be read at first', 1],
  ])('are reported after the user linked the account again, if the list %s', async (_, failures) => {
    const { looks, links, clock, rental, pass, told } = await openQuiet();
    rental.deposits.mockResolvedValue(accepted([undated(1)]));
    for (let n = 0; n < failures; n++) rental.deposits.mockResolvedValueOnce(OFFLINE);
    const relinked = await links.find(USER);
    clock.now += 10 * SECOND;
    await links.link(USER, ACCOUNT, 'its-new-key', 'en');
    await looks.follow(ACCOUNT, { user: USER, relinked });
    await pass(10 * SECOND, looks);
    expect(idsOf(await told())).toEqual(['1:confirmed']);
  });
});

test('does not delay linking while a list does not arrive', async () => {
  const { looks, rental } = await openLooks();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  rental.deposits.mockImplementation(() => new Promise(() => {}));
  const followed = looks.follow(ACCOUNT, { user: USER });
  await vi.advanceTimersByTimeAsync(1_500);
  await followed;
});

test('follows accounts that were linked before polling existed after the next start', async () => {
  const { looks, pass, rental } = await openLooks();
  await pass(HOUR + 2 * MINUTE, looks);
  for (const name of ['deposits', 'withdrawals', 'webhookLogs'] as const)
    expect(rental[name]).toHaveBeenCalled();
});

test('polls at once when a change is expected', async () => {
  const { looks, reads, rental, told } = await openQuiet();
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
  await looks.expect(ACCOUNT, 'deposits');
  await settled();
  expect(await told()).toMatchObject([{ chat: USER, kind: 'deposit', id: '1:confirmed' }]);
  expect(reads).toEqual([]);
});

test('serves many simultaneous expectations with one read', async () => {
  const { looks, reads } = await openQuiet();
  await Promise.all(Array.from({ length: 50 }, () => looks.expect(ACCOUNT, 'deposits')));
  await settled();
  // The first read may already be in flight when the others arrive.
  expect(reads.length).toBeLessThanOrEqual(2);
});

test('polls again if a change is expected during a poll, which may have missed it', async () => {
  const { looks, rental, told } = await openQuiet();
  let answer: (value: ReturnType<typeof accepted<ReturnType<typeof depositOf>[]>>) => void = () => {};
  rental.deposits.mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  await looks.expect(ACCOUNT, 'deposits');
  await settled();
  await looks.expect(ACCOUNT, 'deposits');
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
  answer(accepted([]));
  await settled();
  expect(await told()).toHaveLength(1);
});

test('polls again if another replica expects a change during a poll', async () => {
  const { looks, replica, rental, told, pass } = await openQuiet();
  const other = replica();
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  rental.deposits.mockImplementationOnce(() => held.then(() => accepted([])));
  await looks.expect(ACCOUNT, 'deposits');
  await settled();
  await other.expect(ACCOUNT, 'deposits');
  await settled();
  expect(rental.deposits).toHaveBeenCalledTimes(3);
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
  answer();
  await settled();
  await pass(2 * SECOND, other);
  expect(await told()).toHaveLength(1);
});

test('does not lose an expectation that another replica’s poll removes from its lane', async () => {
  const { clock, replica, storage, reads, pass } = await openQuiet();
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
      if (key.startsWith('looked:')) await ending.until;
      await storage.set(key, ...given);
    },
    index: {
      ...storage.index,
      async move(index, from, ...given) {
        if (from.includes('looks:expected')) await leaving.until;
        return storage.index.move(index, from, ...given);
      },
    },
  });
  const other = replica({
    ...storage,
    async add(key, ...given) {
      if (key.startsWith('looking:')) await taking.until;
      return storage.add(key, ...given);
    },
  });
  clock.now += MINUTE;
  await slow.run();
  await settled();
  await other.expect(ACCOUNT, 'deposits');
  for (const { goOn } of [leaving, taking, ending]) {
    goOn();
    await settled();
  }
  // The first read was a regular poll. The others follow the intervals for an expected change.
  await pass(10 * SECOND, other);
  expect(reads).toEqual([60, 62, 63, 65, 70]);
});

test('polls a due account on one of two replicas', async () => {
  const { looks, replica, pass, reads } = await openQuiet();
  await pass(MINUTE, looks, replica(), replica());
  expect(reads).toEqual([60]);
});

describe('an expected change', () => {
  const LADDER = [0, 1, 3, 8, 23, 83, 383];

  test('is polled for with growing delays until it is there', async () => {
    const { looks, pass, reads } = await openQuiet();
    await looks.expect(ACCOUNT, 'deposits');
    await settled();
    await pass(7 * MINUTE, looks);
    expect(reads.slice(0, 7)).toEqual(LADDER);
  });

  test('is polled for by a replica that did not create the expectation', async () => {
    const { looks, replica, pass, reads } = await openQuiet();
    await looks.expect(ACCOUNT, 'deposits');
    await settled();
    await looks.close();
    await pass(7 * MINUTE, replica());
    expect(reads.slice(0, 7)).toEqual(LADDER);
  });

  test('is notified of as soon as it is there', async () => {
    const { looks, pass, reads, rental, told } = await openQuiet();
    await looks.expect(ACCOUNT, 'deposits');
    await settled();
    await pass(5 * SECOND, looks);
    expect(reads).toEqual([0, 1, 3]);
    rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
    await pass(3 * SECOND, looks);
    expect(await told()).toHaveLength(1);
  });

  test('is polled for at once when it is expected again', async () => {
    const { looks, pass, reads } = await openQuiet();
    await looks.expect(ACCOUNT, 'deposits');
    await settled();
    await pass(30 * SECOND, looks);
    expect(reads.slice(5)).toEqual([]);
    await looks.expect(ACCOUNT, 'deposits');
    await settled();
    expect(reads.slice(5)).toEqual([30]);
    await pass(3 * SECOND, looks);
    expect(reads.slice(5)).toEqual([30, 31, 33]);
  });
});

test('reads one list of an account at most 30 times a minute, without losing a change', async () => {
  const { looks, replica, pass, reads, rental, told } = await openQuiet();
  const other = replica();
  for (let n = 0; n < 240; n++) {
    await (n % 2 ? looks : other).expect(ACCOUNT, 'deposits');
    await settled();
    await pass(SECOND / 2, looks, other);
  }
  expect(mostInAMinute(reads.map((at) => at * SECOND))).toBe(30);
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
  await looks.expect(ACCOUNT, 'deposits');
  await pass(MINUTE, looks, other);
  expect(await told()).toHaveLength(1);
});

test('postpones an account until its request budget allows another read', async () => {
  const { looks, pass, lane, storage } = await openQuiet();
  for (let n = 0; n < 40; n++) {
    await looks.expect(ACCOUNT, 'deposits');
    await settled();
  }
  await pass(10 * SECOND, looks);
  expect(await lane('expected')).toEqual([`${ACCOUNT}/deposits`]);
  expect(await storage.index.due('looks:expected', 10)).toEqual([]);
});

describe('if the service does not respond', () => {
  test('retries an expected change with growing delays and notifies once it is back', async () => {
    const { looks, pass, rental, told, watched } = await openQuiet();
    rental.deposits.mockImplementation(async () => OFFLINE);
    const reads = watched('deposits');
    await looks.expect(ACCOUNT, 'deposits');
    await settled();
    await pass(2 * MINUTE, looks);
    expect(reads.slice(0, 6)).toEqual([0, 2, 7, 17, 47, 107]);
    rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
    await pass(MINUTE, looks);
    expect(await told()).toHaveLength(1);
  });

  test('keeps polling other accounts', async () => {
    const { looks, links, rental, told } = await openQuiet();
    await links.link(USER + 1, ACCOUNT + 1, 'another-key', 'en');
    rental.profile.mockImplementation(async (key) => profileOf('1', key === KEY ? ACCOUNT : ACCOUNT + 1));
    rental.deposits.mockImplementation(async (key) =>
      key === KEY ? new Promise(() => undefined) : accepted([depositOf(1, 'confirmed')]),
    );
    await looks.expect(ACCOUNT, 'deposits');
    await looks.expect(ACCOUNT + 1, 'deposits');
    await settled();
    expect(await told()).toMatchObject([{ chat: USER + 1, account: ACCOUNT + 1 }]);
  });
});

test('does not use a key that opens another account now, nor notify its user', async () => {
  const { looks, links, rental, told, clock, pass } = await openQuiet();
  await links.link(USER + 1, ACCOUNT, 'another-key', 'en');
  rental.profile.mockImplementation(async (key) => profileOf('1', key === KEY ? ACCOUNT + 1 : ACCOUNT));
  rental.deposits.mockImplementation(async (key) => accepted([depositOf(key === KEY ? 1 : 2, 'confirmed')]));
  clock.now += 10 * MINUTE;
  rental.deposits.mockClear();
  await looks.expect(ACCOUNT, 'deposits');
  await pass(MINUTE, looks);
  expect(rental.deposits.mock.calls.map(([key]) => key)).not.toContain(KEY);
  expect(new Set((await told()).map(({ id }) => id))).toEqual(new Set(['2:confirmed']));
});

test('does not use a key while its account is unknown, and resumes soon after', async () => {
  const { looks, rental, told, clock, pass } = await openQuiet();
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
  rental.profile.mockResolvedValue(OFFLINE);
  clock.now += 10 * MINUTE;
  rental.deposits.mockClear();
  await looks.expect(ACCOUNT, 'deposits');
  await pass(10 * SECOND, looks);
  expect(rental.deposits).not.toHaveBeenCalled();
  rental.profile.mockResolvedValue(profileOf('1'));
  await pass(20 * SECOND, looks);
  expect(await told()).toMatchObject([{ id: '1:confirmed' }]);
});

test('uses the next holder’s key at once after a refusal, and the refused one later', async () => {
  const { looks, links, pass, rental, told, watched } = await openQuiet();
  await links.link(USER + 1, ACCOUNT, 'another-key', 'en');
  rental.deposits.mockImplementation(async (key) =>
    key === KEY ? rejected(401, 'UNAUTHORIZED') : accepted([depositOf(1, 'confirmed')]),
  );
  const reads = watched('deposits');
  await looks.expect(ACCOUNT, 'deposits');
  await settled();
  expect((await told()).map(({ chat }) => chat)).toEqual([USER, USER + 1]);
  expect(reads).toHaveLength(2);
  const before = rental.deposits.mock.calls.length;
  for (let times = 0; times < 5; times += 1) {
    await pass(5 * SECOND, looks);
    await looks.expect(ACCOUNT, 'deposits');
    await settled();
  }
  const later = rental.deposits.mock.calls.slice(before).map(([key]) => key);
  expect(new Set(later)).toEqual(new Set(['another-key']));
});

test('notifies within two minutes after the service refused a key for seconds', async () => {
  const { looks, pass, rental, told, clock } = await openQuiet();
  clock.now += 10 * MINUTE;
  rental.deposits.mockResolvedValue(rejected(401, 'UNAUTHORIZED'));
  rental.profile.mockResolvedValue(rejected(401, 'UNAUTHORIZED'));
  await looks.expect(ACCOUNT, 'deposits');
  await pass(4 * SECOND, looks);
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
  rental.profile.mockResolvedValue(profileOf('1'));
  await pass(2 * MINUTE, looks);
  expect(await told()).toMatchObject([{ id: '1:confirmed' }]);
});

test('polls rarely if all keys are refused, and keeps the account', async () => {
  const { looks, pass, rental, lane, watched } = await openQuiet();
  rental.deposits.mockImplementation(async () => rejected(401, 'UNAUTHORIZED'));
  const reads = watched('deposits');
  await looks.expect(ACCOUNT, 'deposits');
  await pass(HOUR, looks);
  // Without the backoff it would be sixty reads.
  expect(reads.length).toBeLessThan(15);
  expect(await lane('quiet')).toContain(`${ACCOUNT}/deposits`);
});

describe('an account without holders', () => {
  test('is removed when it comes due, without a request', async () => {
    const { looks, links, pass, storage, reads, lane } = await openQuiet();
    await links.unlink(USER);
    await looks.expect(ACCOUNT, 'deposits');
    await settled();
    await pass(7 * HOUR, looks);
    expect(reads).toEqual([]);
    expect([await lane('expected'), await lane('busy'), await lane('quiet')]).toEqual([[], [], []]);
    expect(await storage.keys('looked:')).toEqual([]);
  });

  test('is polled if it is linked again during its removal', async () => {
    const { replica, links, storage, pass, reads } = await openQuiet();
    let isLinked = false;
    const own = replica({
      ...storage,
      async delete(key, expected) {
        if (key.startsWith('looked:') && !isLinked) {
          isLinked = true;
          await links.link(USER, ACCOUNT, KEY, 'en');
          await replica().follow(ACCOUNT, { user: USER });
        }
        await storage.delete(key, expected);
      },
    });
    await links.unlink(USER);
    await own.expect(ACCOUNT, 'deposits');
    await settled();
    await pass(2 * SECOND, own);
    expect(isLinked).toBe(true);
    expect(reads.length).toBeGreaterThanOrEqual(1);
  });

  test('does not notify of changes between unlinking and linking again', async () => {
    const { looks, links, clock, pass, rental, told } = await openQuiet();
    await links.unlink(USER);
    clock.now += 10 * MINUTE;
    const between = depositOf(1, 'confirmed', { created_at: new Date(clock.now).toISOString() });
    const undated = depositOf(2, 'confirmed', { created_at: undefined });
    clock.now += 10 * MINUTE;
    rental.deposits.mockResolvedValue(accepted([between, undated]));
    await links.link(USER, ACCOUNT, KEY, 'en');
    await looks.follow(ACCOUNT, { user: USER });
    await pass(SECOND, looks);
    expect(await told()).toEqual([]);
    const next = depositOf(3, 'confirmed', { created_at: new Date(clock.now).toISOString() });
    rental.deposits.mockResolvedValue(accepted([between, undated, next]));
    await looks.expect(ACCOUNT, 'deposits');
    await settled();
    expect((await told()).map(({ id }) => id)).toEqual(['3:confirmed']);
  });
});

test('keeps an account’s state when one of two holders unlinks it', async () => {
  const { looks, links, clock, pass, rental, told } = await openQuiet();
  clock.now += HOUR;
  await links.link(USER + 1, ACCOUNT, 'another-key', 'en');
  await pass(MINUTE, looks);
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'pending', { created_at: undefined })]));
  await pass(MINUTE, looks);
  await links.unlink(USER);
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed', { created_at: undefined })]));
  await looks.expect(ACCOUNT, 'deposits');
  await settled();
  expect((await told()).filter(({ chat }) => chat === USER + 1).map(({ id }) => id)).toContain('1:confirmed');
});

test('reads the operator’s account with the operator’s key', async () => {
  const { replica, links, operator, rental } = await openLooks();
  await links.unlink(USER);
  operator.owns.mockResolvedValue(true);
  const looks = replica(undefined, { operatorKey: 'key-of-operator' });
  await looks.expect(ACCOUNT, 'deposits');
  await settled();
  expect(rental.deposits.mock.calls).toEqual([['key-of-operator']]);
});

describe('the logs of all accounts', () => {
  async function openMany() {
    const setup = await openQuiet();
    await setup.pass(10 * HOUR, setup.looks);
    const logs = setup.watched('webhookLogs');
    const soon = async (looks = setup.looks) => {
      const before = logs.length;
      await setup.pass(SECOND, looks);
      return logs.length - before;
    };
    return { ...setup, soon };
  }

  test('are read when a process starts', async () => {
    const { soon, replica } = await openMany();
    expect(await soon()).toBe(0);
    expect(await soon(replica())).toBe(1);
  });

  test('are read once after events may have been lost', async () => {
    const { soon, looks } = await openMany();
    looks.hurry();
    expect([await soon(), await soon()]).toEqual([1, 0]);
  });

  test('are read later if the storage failed', async () => {
    const { soon, replica, storage } = await openMany();
    let isAway = true;
    const looks = replica(failing(storage, ({ method }) => isAway && method === 'upTo'));
    await expect(looks.run()).rejects.toThrow('the storage is away');
    isAway = false;
    expect(await soon(looks)).toBe(1);
  });

  test('are read again if more events were lost while scheduling', async () => {
    const { soon, replica, storage } = await openMany();
    let isFirst = true;
    const looks = replica({
      ...storage,
      index: {
        ...storage.index,
        async scheduleNoLaterThan(...given) {
          // A delay of 0 is used only for scheduling all logs.
          if (isFirst && given[2] === 0) looks.hurry();
          isFirst &&= given[2] !== 0;
          await storage.index.scheduleNoLaterThan(...given);
        },
      },
    });
    expect([await soon(looks), await soon(looks), await soon(looks)]).toEqual([1, 1, 0]);
  });
});

describe('a purchase', () => {
  test('polls the balance only if a user has set a mark', async () => {
    const { looks, noticeSettings, rental, pass, clock } = await openQuiet();
    rental.profile.mockClear().mockResolvedValue(profileOf('1000'));
    await looks.expectBalance(ACCOUNT);
    await settled();
    expect(rental.profile).not.toHaveBeenCalled();
    await noticeSettings.setLowBalance(USER, '10');
    clock.now += MINUTE;
    await looks.expectBalance(ACCOUNT);
    await settled();
    expect(rental.profile).toHaveBeenCalledOnce();
    await pass(SECOND, looks);
  });
});

describe('a killed process', () => {
  test.each(Array.from({ length: 26 }, (_, calls) => calls))(
    'after %d storage calls: another replica notifies once of what is new',
    async (calls) => {
      const setup = await openQuiet();
      const { rental, replica, storage, pass, told, lane } = setup;
      rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed'), depositOf(2, 'pending')]));
      const own = killedAfter(calls, storage);
      const taken = await replica(own.storage)
        .expect(ACCOUNT, 'deposits')
        .then(
          () => true,
          () => false,
        );
      await settled();
      // The caller repeats an expectation that was not stored.
      const heir = replica();
      if (!taken) await heir.expect(ACCOUNT, 'deposits');
      await pass(25 * SECOND, heir);
      expect((await told()).map(({ id }) => id).sort()).toEqual(['1:confirmed', '2:pending']);
      expect([...(await lane('busy')), ...(await lane('quiet'))].sort()).toContain(`${ACCOUNT}/deposits`);
    },
  );

  test('is replaced in the middle of its poll', async () => {
    const { looks, replica, rental, pass, told } = await openQuiet();
    rental.deposits.mockImplementationOnce(() => new Promise(() => undefined));
    await looks.expect(ACCOUNT, 'deposits');
    await settled();
    rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
    const heir = replica();
    await heir.expect(ACCOUNT, 'deposits');
    await pass(12 * SECOND, heir);
    expect(await told()).toHaveLength(1);
  });

  test('is killed at every step in the test above', async () => {
    const { replica, storage, rental } = await openQuiet();
    rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed'), depositOf(2, 'pending')]));
    const own = killedAfter(25, storage);
    await replica(own.storage).expect(ACCOUNT, 'deposits');
    await settled();
    expect(own.wasKilled()).toBe(false);
  });
});

test('retries a poll that failed because of the storage and keeps the expectation', async () => {
  const { replica, storage, rental, told, pass, lines } = await openQuiet();
  let isAway = true;
  const looks = replica(failing(storage, ({ key }) => isAway && key.startsWith('told:')));
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
  await looks.expect(ACCOUNT, 'deposits');
  await settled();
  expect(lines()).toMatchObject([{ level: 'warn', name: `${ACCOUNT}/deposits` }]);
  isAway = false;
  await pass(20 * SECOND, looks);
  expect(await told()).toHaveLength(1);
});

test('notifies of an unfollowed account’s changes of the last day when one is expected', async () => {
  const { looks, clock, rental, told } = await openLooks();
  clock.now = START + 50 * HOUR;
  const at = (ago: number) => new Date(clock.now - ago).toISOString();
  rental.deposits.mockResolvedValue(
    accepted([
      depositOf(1, 'confirmed', { created_at: at(25 * HOUR) }),
      depositOf(2, 'confirmed', { created_at: at(10 * MINUTE) }),
    ]),
  );
  await looks.expect(ACCOUNT, 'deposits');
  await settled();
  expect((await told()).map(({ id }) => id)).toEqual(['2:confirmed']);
});

test('keeps polling for an expected change after its state could not be stored', async () => {
  const { replica, storage, reads, pass } = await openQuiet();
  let isAway = true;
  const looks = replica(
    failing(storage, ({ method, key }) => isAway && method === 'set' && key.startsWith('looked:')),
  );
  await looks.expect(ACCOUNT, 'deposits');
  await settled();
  isAway = false;
  await pass(30 * SECOND, looks);
  expect(reads).toEqual([0, 20, 21, 23, 28]);
});

test('does not read the lists again for the menu that is shown after linking', async () => {
  const { looks, rental, pass } = await openLooks();
  await looks.follow(ACCOUNT, { user: USER });
  await looks.visit(ACCOUNT);
  await pass(MINUTE - SECOND, looks);
  expect(rental.deposits).toHaveBeenCalledTimes(1);
});

describe('opening the menu', () => {
  test('polls the user’s account at once, and more often for a while', async () => {
    const { looks, pass, rental } = await openQuiet();
    await pass(5 * HOUR, looks);
    rental.deposits.mockClear();
    await looks.visit(ACCOUNT);
    await settled();
    expect(rental.deposits).toHaveBeenCalledTimes(1);
    await pass(3 * MINUTE, looks);
    expect(rental.deposits).toHaveBeenCalledTimes(4);
  });

  test('ten times in a row polls the account once', async () => {
    const { looks, pass, rental } = await openQuiet();
    await pass(5 * HOUR, looks);
    rental.deposits.mockClear();
    for (let times = 0; times < 10; times += 1) await looks.visit(ACCOUNT);
    await settled();
    expect(rental.deposits).toHaveBeenCalledTimes(1);
  });
});
