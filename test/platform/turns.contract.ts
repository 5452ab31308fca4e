import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTurns } from '../../src/platform/leases.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';

const KEPT = { keptMs: 60_000 };

/** Contract of turns on every storage. `open` returns an empty one. */
export function describeTurns(open: () => Promise<Storage>): void {
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
      const turns = Array.from({ length: 20 }, () => createTurns({ storage }).take('a', work, KEPT));
      await eventually(() => expect(work).toHaveBeenCalled());
      await eventually(async () => expect(await createTurns({ storage }).take('a', work, KEPT)).toBe('busy'));
      end();
      const came = await Promise.all(turns);
      expect(came.filter((turn) => turn === 'done')).toHaveLength(1);
      expect(await createTurns({ storage }).take('a', work, KEPT)).toBe('over');
      expect(work).toHaveBeenCalledOnce();
    });

    it('is over for the requested time, even if a lease would end sooner', async () => {
      const turns = createTurns({ storage, timings: { lease: 20, renew: 5 } });
      const work = vi.fn(async () => {});
      expect(await turns.take('a', work, KEPT)).toBe('done');
      // Waits longer than a lease lasts, by the storage's own clock.
      await storage.set('mark', '', { ttlMs: 60 });
      await eventually(async () => expect(await storage.get('mark')).toBeUndefined());
      expect(await turns.take('a', work, KEPT)).toBe('over');
    });

    it('is free again immediately after a failure, which is rethrown', async () => {
      const turns = createTurns({ storage });
      await expect(turns.take('a', () => Promise.reject(new Error('no')), KEPT)).rejects.toThrow('no');
      expect(await turns.take('a', async () => {}, KEPT)).toBe('done');
    });

    it('is free again immediately without `keptMs`', async () => {
      const turns = createTurns({ storage });
      const work = vi.fn(async () => {});
      expect([await turns.take('a', work), await turns.take('a', work)]).toEqual(['done', 'done']);
      expect(work).toHaveBeenCalledTimes(2);
    });

    it('is blocked for others while it runs, but only briefly after its process died', async () => {
      const timings = { lease: 200, renew: 20 };
      const { work, end } = held();
      const living = createTurns({ storage, timings }).take('a', work);
      const dying = held();
      // Simulates a dead process, which renews nothing.
      const mute = { ...storage, replace: async () => false };
      const died = createTurns({ storage: mute, timings }).take('b', dying.work);
      await eventually(() => expect([work, dying.work].map((one) => one.mock.calls.length)).toEqual([1, 1]));
      const turns = createTurns({ storage, timings });
      await eventually(async () => expect(await turns.take('b', async () => {})).toBe('done'));
      expect(await turns.take('a', async () => {})).toBe('busy');
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
        const late = createTurns({ storage: mute, timings }).take('a', first.work);
        await eventually(() => expect(first.work).toHaveBeenCalled());
        const turns = createTurns({ storage });
        const next: Promise<unknown>[] = [];
        await eventually(() => {
          next.push(turns.take('a', second.work));
          expect(second.work).toHaveBeenCalled();
        });
        first.end(error);
        await late.catch(() => undefined);
        expect(await turns.take('a', async () => {})).toBe('busy');
        second.end();
        await Promise.all(next);
      },
    );
  });
}
