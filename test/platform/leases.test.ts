import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLeases, defineLease } from '../../src/platform/leases.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { createSignal } from '../support/signal.ts';

const SECOND = 1_000;
/** A lease that its process doesn't renew ends after this time. */
const LEASE_MS = 8 * SECOND;
const KEPT = { keptMs: 20 * SECOND };
const KEY = 'exporting:{501}';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Opens two processes on one storage. `fails` tells which calls of the first one fail. */
function open() {
  const storage = createMemoryStorage();
  let fails = (_method: keyof Storage) => false;
  const guarded = <Args extends unknown[], Result>(
    method: keyof Storage,
    call: (...args: Args) => Promise<Result>,
  ) => {
    return async (...args: Args) => {
      if (fails(method)) throw new Error(`no storage: ${method}`);
      return call(...args);
    };
  };
  const own = createLeases({
    storage: {
      ...storage,
      replace: guarded('replace', storage.replace),
      delete: guarded('delete', storage.delete),
    },
  });
  const { withLease } = createLeases({ storage });
  /** Begins work that lasts until `end` or `fail` is called. */
  function begin(kept?: { keptMs: number }) {
    const { raised, raise } = createSignal();
    let isHeld = () => false;
    let error: Error | undefined;
    const result = own.withLease(
      KEY,
      async (held) => {
        isHeld = held;
        await raised;
        if (error) throw error;
      },
      kept,
    );
    return {
      result,
      isHeld: () => isHeld(),
      end: raise,
      fail: (reason: Error) => {
        error = reason;
        raise();
      },
    };
  }
  return {
    storage,
    begin,
    /** Tries the work of the other process, which ends at once. */
    tryOther: (kept?: { keptMs: number }) => withLease(KEY, async () => undefined, kept),
    fail: (methods: typeof fails) => {
      fails = methods;
    },
  };
}

describe('a lease', () => {
  test('is defined with the time after which it ends by itself', () => {
    const definition = { keys: 'exporting:{user}', content: 'Lease of an export' } as const;
    expect(defineLease(definition)).toEqual({ ...definition, expiry: '8 seconds' });
  });

  test('blocks others while the work lasts, and ends with it', async () => {
    const { begin, tryOther } = open();
    const { result, isHeld, end } = begin();
    for (let second = 0; second < 60; second += 1) {
      expect(await tryOther()).toBe('busy');
      expect(isHeld()).toBe(true);
      await pass(SECOND);
    }
    end();
    expect(await result).toBe('done');
    expect(await tryOther()).toBe('done');
  });

  test('survives a failed renewal, because the next one makes up for it', async () => {
    const { begin, tryOther, fail } = open();
    const { isHeld } = begin();
    fail((method) => method === 'replace');
    await pass(5 * SECOND);
    fail(() => false);
    await pass(5 * SECOND);
    expect(isHeld()).toBe(true);
    expect(await tryOther()).toBe('busy');
  });

  test('passes to another process eight seconds after the last renewal', async () => {
    const { begin, tryOther, fail } = open();
    const { isHeld } = begin();
    await pass(2_500);
    fail((method) => method === 'replace');
    await pass(LEASE_MS - 1);
    expect([isHeld(), await tryOther()]).toEqual([true, 'busy']);
    await pass(1);
    expect([isHeld(), await tryOther()]).toEqual([false, 'done']);
  });

  test('counts as lost eight seconds after another process took it, although renewals get a reply', async () => {
    const { storage, begin } = open();
    const { isHeld } = begin();
    await storage.set(KEY, 'lease of another process');
    await pass(LEASE_MS - 1);
    expect(isHeld()).toBe(true);
    await pass(1);
    expect(isHeld()).toBe(false);
    expect(await storage.get(KEY)).toBe('lease of another process');
  });

  test('counts from the request of a renewal, not from its response', async () => {
    const { storage } = open();
    const { raised, raise } = createSignal();
    let renewals = 0;
    const slow: Storage = {
      ...storage,
      async replace(...args) {
        if (renewals++ > 0) return new Promise<never>(() => undefined);
        const isReplaced = await storage.replace(...args);
        await raised;
        return isReplaced;
      },
    };
    let isHeld = () => false;
    void createLeases({ storage: slow }).withLease(KEY, async (held) => {
      isHeld = held;
      await new Promise(() => undefined);
    });
    await pass(2_500 + 5 * SECOND);
    raise();
    await pass(3 * SECOND - 1);
    expect(isHeld()).toBe(true);
    await pass(1);
    expect(isHeld()).toBe(false);
  });
});

describe('work that fails', () => {
  test('releases its lease and rejects with its error', async () => {
    const { begin, tryOther } = open();
    const { result, fail } = begin(KEPT);
    fail(new Error('no picture'));
    await expect(result).rejects.toThrow('no picture');
    expect(await tryOther(KEPT)).toBe('done');
  });

  test('rejects with its error if the lease cannot be released, which then ends by itself', async () => {
    const { begin, tryOther, fail: failStorage } = open();
    const { result, fail } = begin();
    failStorage((method) => method === 'delete');
    fail(new Error('no picture'));
    await expect(result).rejects.toThrow('no picture');
    expect(await tryOther()).toBe('busy');
    await pass(LEASE_MS);
    expect(await tryOther()).toBe('done');
  });
});

describe('work that is executed once', () => {
  test('is over until the given time after its start', async () => {
    const { begin, tryOther } = open();
    const { result, end } = begin(KEPT);
    await pass(5 * SECOND);
    end();
    await result;
    await pass(15 * SECOND - 1);
    expect([await tryOther(KEPT), await tryOther()]).toEqual(['over', 'over']);
    await pass(1);
    expect(await tryOther(KEPT)).toBe('done');
  });

  test('can be executed again at once if it lasted longer than the given time', async () => {
    const { begin, tryOther } = open();
    const { result, end } = begin(KEPT);
    await pass(20 * SECOND);
    expect(await tryOther(KEPT)).toBe('busy');
    end();
    expect(await result).toBe('done');
    expect(await tryOther(KEPT)).toBe('done');
  });
});
