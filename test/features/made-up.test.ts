import { expect, test, vi } from 'vitest';
import { FEATURES } from '../../src/features/features.ts';
import { KINDS } from '../../src/operations/operations.ts';
import { HOUR_MS } from '../../src/platform/clock.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { START, USER } from '../operations/operations-setup.ts';
import { reminderFeature } from '../support/made-up/reminder-feature.ts';
import { MADE_UP_TEXTS } from '../support/made-up/texts.ts';
import { tipFeature } from '../support/made-up/tip-feature.ts';
import { tip } from '../support/made-up/tip-kind.ts';
import { openChat } from './chat.ts';

const LEASE_MS = 10_000;

/** Write of a reminder, or the commit of the update. */
type Write = 'set' | 'delete' | 'commit';

/** Opens a chat with the made-up feature, whose notifications are recorded. */
async function openWithReminders() {
  let now = () => START;
  const memory = createMemoryStorage({ now: () => now() });
  let failing: Write | undefined;
  function failIf(write: Write, key = 'reminder:'): void {
    if (failing !== write || !key.startsWith('reminder:')) return;
    failing = undefined;
    throw new Error('the process died');
  }
  const storage: Storage = {
    ...memory,
    async set(key, ...more) {
      failIf('set', key);
      return memory.set(key, ...more);
    },
    async delete(key, ...more) {
      failIf('delete', key);
      return memory.delete(key, ...more);
    },
    chats: {
      ...memory.chats,
      async commit(request) {
        failIf('commit');
        return memory.chats.commit(request);
      },
    },
  };
  const notify = vi.fn(async (..._: unknown[]) => {});
  const definitions = [...FEATURES, reminderFeature];
  const chat = await openChat('en', { storage, texts: MADE_UP_TEXTS, notify, definitions });
  now = () => chat.setup.clock.now;
  const feature = chat.features.find(({ name }) => name === 'reminder');
  return {
    ...chat,
    notify,
    /** Fails the next such write, as if the process died before it. */
    fail(write: Write): void {
      failing = write;
    },
    erase: () => feature?.eraseUser?.(USER),
    /** Runs the watcher after this time. */
    async watchAfter(ms: number): Promise<void> {
      chat.setup.clock.now += ms;
      await feature?.watchers?.[0]?.run();
    },
    /** Returns the scheduled references and the keys of the stored reminders. */
    stored: async () => ({
      due: await memory.index.upTo('reminders', Number.MAX_VALUE, 10),
      keys: await memory.keys('reminder:'),
    }),
  };
}

const NOTHING = { due: [], keys: [] };

test.each(['set', 'commit'] as const)(
  'a reminder is made once if the process dies before the %s',
  async (write) => {
    const chat = await openWithReminders();
    await chat.write('/reminder');
    chat.fail(write);
    await chat.write('Rent energy').catch(() => undefined);
    await chat.again();
    expect(await chat.stored()).toEqual({ due: [expect.any(String)], keys: [expect.any(String)] });
    await chat.watchAfter(HOUR_MS);
    expect(chat.notify).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ name: 'reminder-due' }), {
      user: USER,
      id: expect.stringMatching(/^\d+$/),
      data: { text: 'Rent energy' },
    });
    expect(await chat.stored()).toEqual(NOTHING);
  },
);

test('a reminder that was scheduled but not stored is dropped when it comes due', async () => {
  const chat = await openWithReminders();
  await chat.write('/reminder');
  chat.fail('set');
  await chat.write('Rent energy').catch(() => undefined);
  await chat.watchAfter(HOUR_MS);
  expect(chat.notify).not.toHaveBeenCalled();
  expect(await chat.stored()).toEqual(NOTHING);
});

test('the watcher repeats a notification with the same id if it died before it deleted the reminder', async () => {
  const chat = await openWithReminders();
  await chat.input('/reminder', 'Rent energy');
  chat.fail('delete');
  await expect(chat.watchAfter(HOUR_MS)).rejects.toThrow('the process died');
  await chat.watchAfter(LEASE_MS);
  const [first, second] = chat.notify.mock.calls;
  expect(second).toEqual(first);
  expect(await chat.stored()).toEqual(NOTHING);
});

test('erasing a user leaves no reminder, even if the process died in between', async () => {
  const chat = await openWithReminders();
  await chat.input('/reminder', 'Rent energy');
  chat.fail('delete');
  await expect(chat.erase()).rejects.toThrow('the process died');
  await chat.erase();
  expect(await chat.stored()).toEqual(NOTHING);
  await chat.watchAfter(HOUR_MS);
  expect(chat.notify).not.toHaveBeenCalled();
});

test('the examples of a flow with a made-up kind lead to its questions', async () => {
  const { features, ...chat } = await openChat('en', {
    definitions: [...FEATURES, tipFeature],
    kinds: [...KINDS, tip],
    texts: MADE_UP_TEXTS,
  });
  for (const { inputs, expected } of features.at(-1)?.flow?.examples ?? expect.fail('no examples')) {
    await chat.input(...inputs);
    await chat.bring({ location: { latitude: 1, longitude: 1 } });
    chat.shows(chat.words.html(expected));
  }
});
