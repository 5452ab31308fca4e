import type { Storage } from '../../src/storage/storage.ts';

/** Each disables one protection, by what the storage answers to it. */
export const SABOTAGES: Record<string, (storage: Storage) => Storage> = {
  /** No process seems to be alive. */
  'heartbeat-check': (storage) => ({
    ...storage,
    get: async (key) => (key.startsWith('heartbeat:') ? undefined : storage.get(key)),
  }),
  /** The request is sent although neither the step nor the attempt was written. */
  'mark-before-request': (storage) => ({
    ...storage,
    replaceAndAdd: async () => ({ replaced: true, added: true }),
    secure: async () => true,
  }),
};
