import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHeartbeat } from '../../src/operations/execute.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { recordingLog } from '../support/log-lines.ts';
import { failing } from './operations-setup.ts';

const PACE = { beatMs: 2_000, silentMs: 8_000 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Opens attempts that last until the test ends them, on a storage that can fail. */
function openAttempts() {
  let away = false;
  const storage = failing(createMemoryStorage(), () => away);
  const { log, lines } = recordingLog();
  const heartbeat = createHeartbeat({ storage, pace: PACE, log });
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    heartbeat,
    lines,
    end,
    begin: (id: string) => void heartbeat.during({ user: 1, id }, () => ended),
    leave: () => {
      away = true;
    },
  };
}

test('an attempt is alive until eight seconds after its last heartbeat', async () => {
  const { heartbeat, begin, end } = openAttempts();
  begin('A');
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await heartbeat.isAlive({ user: 1, id: 'A' })).toBe(true);
  end();
  await vi.advanceTimersByTimeAsync(7_999);
  expect(await heartbeat.isAlive({ user: 1, id: 'A' })).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(await heartbeat.isAlive({ user: 1, id: 'A' })).toBe(false);
  expect(await heartbeat.isAlive({ user: 1, id: 'B' })).toBe(false);
});

test('logs one line if many heartbeats fail', async () => {
  const { begin, end, leave, lines } = openAttempts();
  for (let n = 0; n < 100; n++) begin(String(n));
  await vi.advanceTimersByTimeAsync(0);
  leave();
  await vi.advanceTimersByTimeAsync(8_000);
  expect(lines()).toEqual([expect.objectContaining({ msg: 'a heartbeat was missed' })]);
  end();
});
