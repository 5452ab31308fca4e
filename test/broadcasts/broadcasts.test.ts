import { describe, expect, test } from 'vitest';
import type { Copied } from '../../src/telegram/sender.ts';
import { ADMIN, doubled, OTHER_ADMIN, openProcess, openShared, type Shared, START } from './replicas.ts';

const HOUR = 3600_000;

async function openFilled(count: number, answers?: (user: number) => Copied | Promise<Copied>) {
  const shared = openShared();
  const process = openProcess(shared, { ...(answers && { answers }) });
  await process.fill(count);
  return { shared, ...process };
}

const everybody = (count: number) => Array.from({ length: count }, (_, at) => 1_001 + at);
const sorted = ({ got }: Shared) => got.toSorted((a, b) => a - b);

test('sends each user one copy within the rate and concurrency limits and notifies all admins', async () => {
  const { shared, broadcasts, run, draft, most } = await openFilled(2_345);
  expect(await broadcasts.count({ who: 'everybody' }, ADMIN)).toBe(2_345);
  expect(await broadcasts.start(draft())).toBe('started');
  await run();
  expect(sorted(shared)).toEqual(everybody(2_345));
  expect(most.inProgress).toBeLessThanOrEqual(4);
  expect(shared.clock.now - START).toBeGreaterThanOrEqual((2_345 / 25) * 1_000 - 1_000);
  const ended = await broadcasts.find('b1');
  expect(ended).toMatchObject({ state: 'done', total: 2_345, settled: 2_345, sent: 2_345, failed: 0 });
  expect(shared.notified).toEqual([ended]);
  expect(await broadcasts.active()).toBeUndefined();
  expect(await broadcasts.ended(3)).toEqual([ended]);
  expect((await shared.storage.keys('broadcast-audience')).length).toBe(0);
  expect(shared.progressMessages.get(OTHER_ADMIN)?.html).toContain('done');
});

test('skips users who join, leave or opt out after the start', async () => {
  let reached = 0;
  const { shared, users, broadcasts, run, draft } = await openFilled(30, async () => {
    reached += 1;
    if (reached === 3) {
      await users.recordActivity(9_999, 'en', undefined);
      await users.setBroadcastOptOut(1_020, true);
      await users.setUnreachable(1_021, 'blocked');
      await users.setBanned(1_022, true);
      await users.erase(1_023);
    }
    return { kind: 'sent' };
  });
  await broadcasts.start(draft());
  await run();
  expect(sorted(shared)).toEqual(everybody(30).filter((user) => user < 1_020 || user > 1_023));
  expect(await broadcasts.find('b1')).toMatchObject({ sent: 26, skipped: 4, settled: 30 });
});

test('sends each user the version in their language, with its buttons and an opt-out button', async () => {
  const shared = openShared();
  const seen: [number, number, string[]][] = [];
  const { users, broadcasts, draft, run } = openProcess(shared, {
    answers: (user, { message }, keyboard) => {
      seen.push([user, message, keyboard.flat().map(({ text }) => text)]);
      return { kind: 'sent' };
    },
  });
  await users.recordActivity(1, 'en', undefined);
  await users.recordActivity(2, 'ru', undefined);
  const content = { chat: ADMIN, buttons: [{ text: 'Prices', url: 'https://a.b' }], hash: 'h' };
  const contents = { default: { ...content, message: 9 }, ru: { ...content, message: 10 } };
  await broadcasts.start(draft('b1', { contents }));
  await run();
  expect(seen.toSorted()).toEqual([
    [1, 9, ['Prices', 'no more (en)']],
    [2, 10, ['Prices', 'no more (ru)']],
  ]);
});

describe('unreachable users', () => {
  test('are counted by reason, marked as gone and excluded from later audiences', async () => {
    const why = ['blocked', 'deactivated', 'unreachable'] as const;
    const { users, broadcasts, run, draft } = await openFilled(30, (user) =>
      user <= 1_003 ? { kind: 'unwritable', why: why[user - 1_001] ?? 'blocked' } : { kind: 'sent' },
    );
    await broadcasts.start(draft());
    await run();
    expect(await broadcasts.find('b1')).toMatchObject({
      ...{ sent: 27, blocked: 1, deactivated: 1, unreachable: 1 },
    });
    expect((await users.find(1_002))?.unreachable).toBe('deactivated');
    expect(await broadcasts.count({ who: 'everybody' }, ADMIN)).toBe(27);
  });

  test('after a lost response, the result counts as unknown and the copy is not resent', async () => {
    const { shared, broadcasts, run, draft } = await openFilled(20, (user) => ({
      kind: user === 1_005 ? 'unclear' : 'sent',
    }));
    await broadcasts.start(draft());
    await run();
    expect(await broadcasts.find('b1')).toMatchObject({ sent: 19, unknown: 1 });
    expect(doubled(shared.got)).toEqual([]);
  });
});

describe('after a 429', () => {
  test('sends nothing until the pause is over, then counts the retried user as sent', async () => {
    let refused = false;
    const at: number[] = [];
    const seen = new Set<string | undefined>();
    const shared = openShared();
    const { broadcasts, fill, run, draft } = openProcess(shared, {
      answers: (user) => {
        at.push(shared.clock.now);
        if (user !== 1_008 || refused) return { kind: 'sent' };
        refused = true;
        return { kind: 'later', afterMs: 30_000 };
      },
      waited: () => void seen.add(shared.progressMessages.get(OTHER_ADMIN)?.html),
    });
    await fill(20);
    await broadcasts.start(draft());
    await run();
    expect(
      [...seen].filter((html) => /slow down: 1 time, quiet for \d+ s more/.test(html ?? '')).length,
    ).toBeGreaterThan(5);
    expect(sorted(shared)).toEqual(everybody(20));
    const gaps = at.slice(1).map((time, one) => time - (at[one] ?? 0));
    expect(gaps.filter((gap) => gap >= 29_000)).toHaveLength(1);
    expect(await broadcasts.find('b1')).toMatchObject({ sent: 20, failed: 0, rateLimitHits: 1 });
  });

  test('retries a user with repeated 429s at the end, then gives up', async () => {
    const { shared, broadcasts, run, draft } = await openFilled(40, (user) =>
      user === 1_002 ? { kind: 'later', afterMs: 1_000 } : { kind: 'sent' },
    );
    await broadcasts.start(draft());
    await run();
    expect(sorted(shared)).toEqual(everybody(40).filter((user) => user !== 1_002));
    expect(await broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 39, failed: 1, deferred: [] });
  });
});

describe('an admin', () => {
  test('pauses a broadcast, another admin resumes it, and each user gets one copy', async () => {
    let paused: Promise<boolean> | undefined;
    const { shared, broadcasts, run, draft } = await openFilled(300, () => {
      if (shared.got.length === 20) paused = broadcasts.pause('b1', ADMIN);
      return { kind: 'sent' };
    });
    await broadcasts.start(draft());
    await run();
    expect(await paused).toBe(true);
    expect(await broadcasts.active()).toMatchObject({ state: 'paused', pause: { why: 'admin', by: ADMIN } });
    const before = shared.got.length;
    expect(before).toBeLessThan(300);
    await run();
    expect(shared.got.length).toBe(before);
    expect(await broadcasts.resume('b1', OTHER_ADMIN)).toBe(true);
    expect(await broadcasts.resume('b1', OTHER_ADMIN)).toBe(false);
    await run();
    expect(sorted(shared)).toEqual(everybody(300));
  });

  test('stops a broadcast, which frees the slot for another one', async () => {
    let stopped: Promise<boolean> | undefined;
    const { shared, broadcasts, run, draft } = await openFilled(300, () => {
      if (shared.got.length === 20) stopped = broadcasts.stop('b1', OTHER_ADMIN);
      return { kind: 'sent' };
    });
    await broadcasts.start(draft());
    expect(await broadcasts.start(draft('b2'))).toBe('busy');
    await run();
    expect(await stopped).toBe(true);
    expect(await broadcasts.find('b1')).toMatchObject({ state: 'stopped' });
    expect(await broadcasts.stop('b1', OTHER_ADMIN)).toBe(false);
    expect(shared.got.length).toBeLessThan(300);
    expect(await broadcasts.start(draft('b2'))).toBe('started');
  });

  test('loses the role, so the broadcast is paused until another admin resumes it', async () => {
    const { shared, broadcasts, run, draft } = await openFilled(60);
    await broadcasts.start(draft());
    shared.admins.delete(ADMIN);
    await run();
    expect(shared.got).toEqual([]);
    expect(shared.notified).toMatchObject([{ state: 'paused', pause: { why: 'nobody' } }]);
    await broadcasts.resume('b1', OTHER_ADMIN);
    await run();
    expect(await broadcasts.find('b1')).toMatchObject({ state: 'done', admin: OTHER_ADMIN, sent: 60 });
  });
});

describe('a scheduled broadcast', () => {
  test('starts at its time and not before', async () => {
    const { shared, broadcasts, run, draft } = await openFilled(10);
    expect(await broadcasts.start(draft('b1', { at: START + HOUR }))).toBe('scheduled');
    expect((await broadcasts.scheduled()).map(({ id }) => id)).toEqual(['b1']);
    await run();
    expect(shared.got).toEqual([]);
    shared.clock.now = START + HOUR + 1;
    await run();
    expect(sorted(shared)).toEqual(everybody(10));
    expect(await broadcasts.scheduled()).toEqual([]);
  });

  test('is not sent if it is more than an hour late, and admins are notified', async () => {
    const { shared, broadcasts, run, draft } = await openFilled(10);
    await broadcasts.start(draft('b1', { at: START + HOUR }));
    shared.clock.now = START + 2 * HOUR + 60_000;
    await run();
    expect([shared.got, shared.notified.map(({ state }) => state)]).toEqual([[], ['missed']]);
  });

  test('can be cancelled before its time', async () => {
    const { shared, broadcasts, run, draft } = await openFilled(10);
    await broadcasts.start(draft('b1', { at: START + HOUR }));
    expect(await broadcasts.stop('b1', OTHER_ADMIN)).toBe(true);
    shared.clock.now = START + HOUR + 1;
    await run();
    expect(shared.got).toEqual([]);
  });
});

test('pauses and notifies admins when the source message is gone, and counts no failures', async () => {
  let isGone = false;
  const { shared, broadcasts, run, draft } = await openFilled(60, () => {
    isGone ||= shared.got.length >= 30;
    return isGone ? { kind: 'no-source' } : { kind: 'sent' };
  });
  await broadcasts.start(draft());
  await run();
  expect(shared.notified).toMatchObject([{ state: 'paused', pause: { why: 'gone' } }]);
  const reached = shared.got.length;
  expect(await broadcasts.find('b1')).toMatchObject({ sent: reached, failed: 0 });
});

test('pauses a broadcast that Telegram rejects for every user', async () => {
  const { shared, broadcasts, run, draft } = await openFilled(200, () => ({
    kind: 'refused',
    reason: 'Bad Request: BUTTON_URL_INVALID',
  }));
  await broadcasts.start(draft());
  await run();
  expect(shared.notified).toMatchObject([
    { pause: { why: 'refused', reason: 'Bad Request: BUTTON_URL_INVALID' } },
  ]);
  expect((await broadcasts.find('b1'))?.failed).toBeLessThan(30);
});

test('does not send twice when it is confirmed twice', async () => {
  const { shared, broadcasts, run, draft } = await openFilled(10);
  expect([await broadcasts.start(draft()), await broadcasts.start(draft())]).toEqual(['started', 'started']);
  await run();
  expect(await broadcasts.start(draft())).toBe('started');
  await run();
  expect(doubled(shared.got)).toEqual([]);
});

test('rejects the count when the audience cannot be read', async () => {
  const shared = openShared();
  const away = async () => Promise.reject(new Error('away'));
  const storage = { ...shared.storage, index: { ...shared.storage.index, above: away } };
  const { broadcasts } = openProcess(shared, { storage });
  await expect(broadcasts.count({ who: 'everybody' }, ADMIN)).rejects.toThrow('away');
});
