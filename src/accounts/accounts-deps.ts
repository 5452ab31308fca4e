import type { Seal } from '../platform/encryption.ts';
import type { Leases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import type { SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { UserKeys } from '../platform/user-keys.ts';
import type { RentalCalls } from '../rental-api/client.ts';

export interface AccountsDeps {
  storage: Storage;
  userKeys: Pick<UserKeys, 'of'>;
  records: SignedRecords;
  seal: Seal;
  leases: Leases;
  rental: RentalCalls;
  operatorKey: string | undefined;
  isAdmin: (user: number) => boolean;
  now: () => number;
  log: Log;
}
