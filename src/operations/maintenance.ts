import { z } from 'zod';
import { defineRecord, type SignedRecords } from '../platform/records.ts';

const maintenanceSchema = z.object({
  /** Epoch milliseconds. */
  since: z.number(),
  /** Telegram id of the admin who turned it on. */
  admin: z.number(),
});

/** Shared by all replicas. */
export const MAINTENANCE = defineRecord({
  keys: 'maintenance',
  content: 'Maintenance mode is on; time, and the admin who turned it on',
  schema: maintenanceSchema,
  ttlMs: 'none',
  expiry: 'none: until an admin turns it off; otherwise it would end by itself',
  signed: true,
  retained: { ofAdmins: true },
});

/** Maintenance mode that is on. The fields are missing if the record can't be read. */
type MaintenanceOn = Partial<z.infer<typeof maintenanceSchema>>;

/** Maintenance mode of all replicas: no new operation starts, but confirmed ones continue. */
export type Maintenance = ReturnType<typeof createMaintenance>;

/** Creates the maintenance switch. A record that fails verification counts as on, because *off* allows more. */
export function createMaintenance(deps: {
  records: Pick<SignedRecords, 'store' | 'has'>;
  now: () => number;
}) {
  const { records, now } = deps;
  const store = records.store(MAINTENANCE);
  const key = store.keyOf({});

  function readAhead(): () => Promise<MaintenanceOn | undefined> {
    const reading = store.readAhead({});
    const isStored = records.has(key);
    // Prevents an unhandled rejection. The returned function still reports the failure.
    isStored.catch(() => undefined);
    return async () => {
      const stored = await reading();
      if (stored !== undefined) return stored.value;
      return (await isStored) ? {} : undefined;
    };
  }

  return {
    /** Starts reading immediately. The returned function resolves to the mode, or to `undefined` while it is off. */
    readAhead,
    find: () => readAhead()(),
    /** Returns whether it was off before. `admin`: Telegram id of the admin. */
    turnOn: (admin: number) => store.add({}, { since: now(), admin }),
    /** Returns whether it was on before. */
    async turnOff(): Promise<boolean> {
      const wasOn = await records.has(key);
      await store.delete({});
      return wasOn;
    },
  };
}
