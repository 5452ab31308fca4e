import { expect, test } from 'vitest';
import { createBroadcastLaunch } from '../../src/bot/broadcast-flow.ts';
import { StorageUnavailable } from '../../src/platform/storage.ts';
import { signedRecords } from '../support/records.ts';
import { TEXTS } from '../support/texts.ts';
import { ADMIN, doubled, OTHER_ADMIN, openProcess, openShared } from './replicas.ts';

test('a stopped broadcast cannot be resumed from an older message', async () => {
  const shared = openShared();
  const one = openProcess(shared);
  await one.fill(30);
  await one.broadcasts.start(one.draft());
  const pausing = one.broadcasts.pause('b1', ADMIN);
  await one.run();
  await pausing;
  expect(await one.broadcasts.find('b1')).toMatchObject({ state: 'paused' });
  const before = shared.got.length;
  expect(await one.broadcasts.stop('b1', ADMIN)).toBe(true);
  expect(await one.broadcasts.resume('b1', OTHER_ADMIN)).toBe(false);
  await one.run();
  expect(shared.got.length).toBe(before);
  expect(await one.broadcasts.find('b1')).toMatchObject({ state: 'stopped' });
});

test('Resume on an older message does not undo a pending stop', async () => {
  const shared = openShared();
  let stopping: Promise<boolean> | undefined;
  const one = openProcess(shared, {
    answers: () => {
      if (shared.got.length === 40) stopping = one.broadcasts.stop('b1', ADMIN);
      if (shared.got.length === 42) void one.broadcasts.resume('b1', OTHER_ADMIN);
      return { kind: 'sent' };
    },
  });
  await one.fill(200);
  await one.broadcasts.start(one.draft());
  await one.run();
  expect(await stopping).toBe(true);
  expect(await one.broadcasts.find('b1')).toMatchObject({ state: 'stopped' });
});

test('sends a deferred user one copy although the storage fails right after', async () => {
  const shared = openShared();
  const tries = new Map<number, number>();
  let fails = 0;
  const storage = {
    ...shared.storage,
    replace: async (...given: Parameters<typeof shared.storage.replace>) => {
      if (fails > 0 && given[0].startsWith('broadcast:')) {
        fails -= 1;
        throw new StorageUnavailable('away');
      }
      return shared.storage.replace(...given);
    },
  };
  const one = openProcess(shared, {
    storage,
    answers: (user) => {
      const count = (tries.get(user) ?? 0) + 1;
      tries.set(user, count);
      if (user === 1_002 && count <= 2) return { kind: 'later', afterMs: 1_000 };
      if (user === 1_002 && count === 3) fails = 1;
      return { kind: 'sent' };
    },
  });
  await one.fill(10);
  await one.broadcasts.start(one.draft());
  await one.run().catch(() => undefined);
  await one.run();
  expect(await one.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 10 });
  expect(doubled(shared.got)).toEqual([]);
});

test('deletes the audience if it is stopped while the audience is resolved', async () => {
  const shared = openShared();
  const one = openProcess(shared);
  await one.fill(2_500);
  await one.broadcasts.start(one.draft());
  let stopping: Promise<boolean> | undefined;
  const { putChunk } = { putChunk: shared.storage.set };
  shared.storage.set = async (key, ...rest) => {
    await putChunk(key, ...rest);
    if (key.startsWith('broadcast-audience') && !stopping) stopping = one.broadcasts.stop('b1', ADMIN);
  };
  await one.run();
  await stopping;
  expect(await one.broadcasts.find('b1')).toMatchObject({ state: 'stopped' });
  expect(await shared.storage.keys('broadcast-audience')).toEqual([]);
});

test('an older version does not give up a broadcast that a newer version started', async () => {
  const shared = openShared();
  const one = openProcess(shared);
  await one.fill(3);
  await one.broadcasts.start(one.draft());
  const key = 'broadcast:b1';
  const records = signedRecords(shared.storage);
  const record = await records.get(key);
  const newer = JSON.parse(record?.content ?? '{}');
  await records.set(key, JSON.stringify({ ...newer, audience: { who: 'of-a-newer-version' } }));
  await one.run();
  expect(await shared.storage.get('broadcast-active')).toBe('b1');
});

test('lists all scheduled broadcasts, also more than twenty', async () => {
  const shared = openShared();
  const one = openProcess(shared);
  for (let count = 0; count < 25; count += 1)
    await one.broadcasts.start(one.draft(`b${count}`, { at: shared.clock.now + 3600_000 + count }));
  expect(await one.broadcasts.scheduled()).toHaveLength(25);
});

test('notes the start in the admin log even if the first attempt failed', async () => {
  const shared = openShared();
  const one = openProcess(shared);
  await one.fill(3);
  const noted: string[] = [];
  let lost = 1;
  const adminLog = {
    add: async (_: number, act: string) => {
      if (lost-- > 0) throw new StorageUnavailable('away');
      noted.push(act);
    },
  };
  const launch = createBroadcastLaunch({ broadcasts: one.broadcasts, adminLog: adminLog as never });
  const ctx = {
    words: TEXTS.in('en'),
    tx: { signal: new AbortController().signal },
  } as never;
  const draft = one.draft('b1', { at: shared.clock.now + 3600_000 });
  await launch(ctx, draft, 3).catch(() => undefined);
  await launch(ctx, draft, 3).catch(() => undefined);
  expect(noted).toEqual(['broadcast-scheduled']);
});

test('does not run forever when its audience is missing', async () => {
  const shared = openShared();
  let waits = 0;
  const one = openProcess(shared, {
    isHeld: () => waits < 5_000,
    waited: () => {
      waits += 1;
    },
  });
  await one.fill(3);
  await one.broadcasts.start(one.draft());
  const set = shared.storage.set;
  shared.storage.set = async (key, ...rest) => {
    if (!key.startsWith('broadcast-audience')) await set(key, ...rest);
  };
  await one.run();
  expect(waits).toBeLessThan(5_000);
  expect((await one.broadcasts.find('b1'))?.state).not.toBe('sending');
});
