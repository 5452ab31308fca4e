import { z } from 'zod';
import type { SignedRecords } from '../platform/records.ts';
import { readJson } from '../platform/records.ts';

/** What the key begins with, and all of it: there is one for all replicas. */
export const MAINTENANCE = 'maintenance';

const maintenanceSchema = z.object({
  /** Epoch milliseconds. */
  since: z.number(),
  /** Telegram's number of who turned it on. */
  admin: z.number(),
});

/** That the bot is being worked on: since when and by whom, where that can be read. */
export type MaintenanceOn = Partial<z.infer<typeof maintenanceSchema>>;

/** Whether nothing new is begun, on all replicas; what was confirmed before goes on. */
export interface Maintenance {
  /** Begins to read at once what is asked for later; `undefined` while it is off. */
  ahead(): () => Promise<MaintenanceOn | undefined>;
  find(): Promise<MaintenanceOn | undefined>;
  /** Answers whether it was off before. `admin` is Telegram's number of who does it. */
  turnOn(admin: number): Promise<boolean>;
  /** Answers whether it was on before. */
  turnOff(): Promise<boolean>;
}

/** What somebody else wrote in its place counts as on: its absence allows more than its presence. */
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
    // Whoever asks for it hears that it failed.
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
