import type { Seal } from '../platform/encryption.ts';
import type { Leases } from '../platform/leases.ts';
import type { SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { RentalCalls } from '../rental-api/client.ts';

/** Dependencies of the stores of accounts and users. Each store takes those that it needs. */
export interface AccountsDeps {
  storage: Storage;
  records: SignedRecords;
  seal: Seal;
  leases: Leases;
  rental: RentalCalls;
  /** API key of the operator account, if one is configured. */
  operatorKey: string | undefined;
  isAdmin: (user: number) => boolean;
  now: () => number;
}
