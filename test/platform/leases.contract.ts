import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLeases } from '../../src/platform/leases.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';

const KEPT = { keptMs: 60_000 };

/** Contract of turns on every storage. `open` returns an empty one. */
export function describeLeases(open: () => Promise<Storage>): void {
  let storage: Storage;
  beforeEach(async () => {
    storage = await open();
  });
  afterEach(() => storage.close());

  /** Creates work that lasts until the test ends it. */
  function held() {
    let end = (_error?: Error) => {};
    const work = vi.fn(
      () =>
        new Promise<void>((resolve, reject) => {
          end = (error) => (error ? reject(error) : resolve());
        }),
    );
    return { work, end: (error?: Error) => end(error) };
  }

  describe('exclusive work', () => {
    it('is executed by one of many concurrent callers, and then is over', async () => {
      const { work, end } = held();
      const leases = Array.from({ length: 20 }, () => createLeases({ storage }).withLease('a', work, KEPT));
      await eventually(() => expect(work).toHaveBeenCalled());
      await eventually(async () =>
        expect(await createLeases({ storage }).withLease('a', work, KEPT)).toBe('busy'),
      );
      end();
      const came = await Promise.all(leases);
      expect(came.filter((turn) => turn === 'done')).toHaveLength(1);
      expect(await createLeases({ storage }).withLease('a', work, KEPT)).toBe('over');
      expect(work).toHaveBeenCalledOnce();
    });

    it('is over for the requested time, even if a lease would end sooner', async () => {
      const leases = createLeases({ storage, timings: { lease: 20, renew: 5 } });
      const work = vi.fn(async () => {});
      expect(await leases.withLease('a', work, KEPT)).toBe('done');
      // Waits longer than a lease lasts, by the storage's own clock.
      await storage.set('mark', '', { ttlMs: 60 });
      await eventually(async () => expect(await storage.get('mark')).toBeUndefined());
      expect(await leases.withLease('a', work, KEPT)).toBe('over');
    });

    it('is free again immediately after a failure, which is rethrown', async () => {
      const leases = createLeases({ storage });
      await expect(leases.withLease('a', () => Promise.reject(new Error('no')), KEPT)).rejects.toThrow('no');
      expect(await leases.withLease('a', async () => {}, KEPT)).toBe('done');
    });

    it('is free again immediately without `keptMs`', async () => {
      const leases = createLeases({ storage });
      const work = vi.fn(async () => {});
      expect([await leases.withLease('a', work), await leases.withLease('a', work)]).toEqual([
        'done',
        'done',
      ]);
      expect(work).toHaveBeenCalledTimes(2);
    });

    it('is blocked for others while it runs, but only briefly after its process died', async () => {
      const timings = { lease: 200, renew: 20 };
      const { work, end } = held();
      const living = createLeases({ storage, timings }).withLease('a', work);
      const dying = held();
      // Simulates a dead process, which renews nothing.
      const mute = { ...storage, replace: async () => false };
      const died = createLeases({ storage: mute, timings }).withLease('b', dying.work);
      await eventually(() => expect([work, dying.work].map((one) => one.mock.calls.length)).toEqual([1, 1]));
      const leases = createLeases({ storage, timings });
      await eventually(async () => expect(await leases.withLease('b', async () => {})).toBe('done'));
      expect(await leases.withLease('a', async () => {})).toBe('busy');
      end();
      dying.end();
      expect(await living).toBe('done');
      await died;
    });

    it.each([undefined, new Error('no')])(
      'stays with the process that took it over after a disconnected one (ends with %s)',
      async (error) => {
        const [first, second] = [held(), held()];
        const mute = { ...storage, replace: async () => false };
        const timings = { lease: 50, renew: 20 };
        const late = createLeases({ storage: mute, timings }).withLease('a', first.work);
        await eventually(() => expect(first.work).toHaveBeenCalled());
        const leases = createLeases({ storage });
        const next: Promise<unknown>[] = [];
        await eventually(() => {
          next.push(leases.withLease('a', second.work));
          expect(second.work).toHaveBeenCalled();
        });
        first.end(error);
        await late.catch(() => undefined);
        expect(await leases.withLease('a', async () => {})).toBe('busy');
        second.end();
        await Promise.all(next);
      },
    );
  });
}
