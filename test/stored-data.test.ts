import { describe, expect, test, vi } from 'vitest';
import { type AdminAlerts, createUnreadableRecords } from '../src/notifications/admin-alerts.ts';
import { createLeases } from '../src/platform/leases.ts';
import { createMemoryStorage } from '../src/platform/memory-storage.ts';
import { createFormatCheck } from '../src/stored-data.ts';
import { signedRecords } from './support/records.ts';

describe('format check', () => {
  /** Processes of one release on the same storage. */
  function openRelease() {
    const storage = createMemoryStorage();
    const recordsUnreadable = vi.fn<AdminAlerts['recordsUnreadable']>(async () => []);

    /** Returns the format check of a process that has just started. */
    function startProcess() {
      const records = signedRecords(storage);
      const unreadable = createUnreadableRecords({
        outbox: { add: async () => {} },
        adminAlerts: { recordsUnreadable },
      });
      records.onUnreadable(unreadable.add);
      const leases = createLeases({ storage });
      return createFormatCheck({ storage, records, leases, readers: {}, report: unreadable.report });
    }
    return { storage, recordsUnreadable, startProcess };
  }

  test('reads all records again after a restart if the report failed', async () => {
    const { storage, recordsUnreadable, startProcess } = openRelease();
    await storage.set('operation:{502}:AB12', 's2.of a newer release.{}');
    recordsUnreadable.mockRejectedValueOnce(new Error('the storage is away'));
    await expect(startProcess()()).rejects.toThrow('the storage is away');
    await startProcess()();
    expect(recordsUnreadable.mock.calls.map(([{ detail }]) => detail)).toEqual([
      'operation ×1',
      'operation ×1',
    ]);
  });

  test('reads all records once if the report succeeded', async () => {
    const { storage, recordsUnreadable, startProcess } = openRelease();
    await storage.set('operation:{502}:AB12', 's2.of a newer release.{}');
    await startProcess()();
    await startProcess()();
    expect(recordsUnreadable).toHaveBeenCalledOnce();
  });
});
