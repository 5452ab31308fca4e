import { z } from 'zod';
import type { SignedRecords } from '../platform/records.ts';
import { readJson } from '../platform/records.ts';

/** Key of the maintenance record, shared by all replicas. Also used as a key prefix. */
export const MAINTENANCE = 'maintenance';

const maintenanceSchema = z.object({
  /** Epoch milliseconds. */
  since: z.number(),
  /** Telegram id of the admin who turned it on. */
  admin: z.number(),
});

/** Maintenance mode that is on. The fields are missing if the record can't be read. */
export type MaintenanceOn = Partial<z.infer<typeof maintenanceSchema>>;

/** Maintenance mode of all replicas: no new operation starts, but confirmed ones continue. */
export interface Maintenance {
  /** Starts reading immediately. The returned function resolves to the mode, or to `undefined` while it is off. */
  ahead(): () => Promise<MaintenanceOn | undefined>;
  find(): Promise<MaintenanceOn | undefined>;
  /** Returns whether it was off before. `admin`: Telegram id of the admin. */
  turnOn(admin: number): Promise<boolean>;
  /** Returns whether it was on before. */
  turnOff(): Promise<boolean>;
}

/** Creates the maintenance switch. A record that fails verification counts as on, because *off* allows more. */
export function createMaintenance({
  records,
  now,
}: {
  records: Pick<SignedRecords, 'ahead' | 'has' | 'add' | 'delete'>;
  now: () => number;
}): Maintenance {
  function ahead(): () => Promise<MaintenanceOn | undefined> {
    const own = records.ahead(MAINTENANCE);
    const any = records.has(MAINTENANCE);
    // Prevents an unhandled rejection. The returned function still reports the failure.
    any.catch(() => undefined);
    return async () => {
      const record = await own();
      if (record !== undefined) return readJson(maintenanceSchema, record.content) ?? {};
      return (await any) ? {} : undefined;
    };
  }

  return {
    ahead,
    find: () => ahead()(),
    turnOn: (admin) => records.add(MAINTENANCE, JSON.stringify({ since: now(), admin })),
    async turnOff() {
      const wasOn = await records.has(MAINTENANCE);
      await records.delete(MAINTENANCE);
      return wasOn;
    },
  };
}
