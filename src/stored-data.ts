import { ACCOUNT_EVENT_DATA } from './account-events/account-events.ts';
import { ACCOUNT_DATA } from './accounts/accounts.ts';
import { linkRotation } from './accounts/links.ts';
import { pendingLinkRotation } from './accounts/pending-links.ts';
import { webhookRotation } from './accounts/webhook-subscriptions.ts';
import { BOT_DATA } from './bot/router.ts';
import { BROADCAST_DATA } from './broadcasts/broadcasts.ts';
import { FEATURES } from './features/features.ts';
import { FIRST_START } from './health/checks/first-start.ts';
import { HEALTH_DATA } from './health/health.ts';
import { INVOICE_DATA } from './invoices/invoices.ts';
import { NOTIFICATION_DATA } from './notifications/notifications.ts';
import { OPERATION_DATA } from './operations/operations.ts';
import { MESSAGE_ATTEMPT } from './platform/attempts.ts';
import { CANARY, type Canary, createCanary } from './platform/canary.ts';
import { isDueQueue, overdueMs } from './platform/due-queue.ts';
import { createSeal, deriveKeys, type Seal } from './platform/encryption.ts';
import { GIVEN_UP } from './platform/given-up.ts';
import type { Log } from './platform/log.ts';
import { indexesOf, longestOf } from './platform/poll-schedule.ts';
import { RATE_LIMIT } from './platform/rate-limit.ts';
import {
  createSignedRecords,
  type KeyRotation,
  kindOf,
  prefixOf,
  type RecordDefinition,
  type Renewed,
  rotateRecords,
  type StoredData,
} from './platform/records.ts';
import { RECURRING_WORK } from './platform/recurring-work.ts';
import { CONTINUITY } from './platform/redis-continuity.ts';
import { allKeys, type Storage } from './platform/storage.ts';
import { UNREADABLE_RECORDS, type UnreadableRecords } from './platform/unreadable-records.ts';
import { KEY_CHECK, KEYS_OF_USER, type UserKeys } from './platform/user-keys.ts';
import { BULK_PAUSE } from './telegram/bulk-limit.ts';
import { UPDATE_DATA } from './telegram/updates.ts';
import { ACCEPTED_WEBHOOK, FOREIGN_CHANGE, WEBHOOK_USE } from './telegram/webhook-use.ts';

/** Versions of the record formats with which a release last read all records. */
export const DATA_FORMAT = {
  keys: 'data-format',
  content: 'Versions of the record formats with which all records were last read',
  expiry: 'none: otherwise all records would be read at each start',
} as const satisfies StoredData;

const STORED_DATA: readonly { title: string; data: readonly StoredData[] }[] = [
  {
    title: 'Chats and updates',
    data: [...BOT_DATA, ...UPDATE_DATA, BULK_PAUSE, WEBHOOK_USE, ACCEPTED_WEBHOOK, FOREIGN_CHANGE],
  },
  {
    title: 'Storage',
    data: [
      ...[CANARY, CONTINUITY, DATA_FORMAT, KEY_CHECK, KEYS_OF_USER, UNREADABLE_RECORDS, GIVEN_UP],
      ...[RATE_LIMIT, RECURRING_WORK, MESSAGE_ATTEMPT],
    ],
  },
  { title: 'Accounts and users', data: ACCOUNT_DATA },
  { title: 'Invoices', data: INVOICE_DATA },
  { title: 'Operations', data: OPERATION_DATA },
  { title: 'Notifications', data: NOTIFICATION_DATA },
  { title: 'Broadcasts', data: BROADCAST_DATA },
  { title: 'Events of the service', data: ACCOUNT_EVENT_DATA },
  { title: 'Health checks', data: HEALTH_DATA },
];

/** Everything that the application and its features store, in the sections of `docs/stored-data.md`. */
export function storedDataSections() {
  return [...STORED_DATA, { title: 'Features', data: FEATURES.flatMap(({ stores }) => stores?.data ?? []) }];
}

export function allStoredData(): readonly StoredData[] {
  return storedDataSections().flatMap(({ data }) => data);
}

/** Definitions of all due queues and poll schedules. */
function dueQueues() {
  return allStoredData().filter(isDueQueue);
}

/**
 * Versions of all signed records, by key prefix. A rotation of `SECRET_KEY` signs these records again, and the first
 * start of a new release reads them.
 */
export function recordFormats(): Record<string, number> {
  const signed = allStoredData().filter(isSignedRecord);
  return Object.fromEntries(signed.map((definition) => [prefixOf(definition), definition.version]));
}

function isSignedRecord(data: StoredData): data is RecordDefinition<string, unknown> {
  return 'signed' in data && data.signed === true;
}

/** Kinds of keys with the user's hash tag that *Forget me* leaves. It erases all others. */
export function retainedKinds(): ReadonlySet<string> {
  return new Set(allStoredData().flatMap(({ keys, retained }) => (retained?.own ? [kindOf(keys)] : [])));
}

/**
 * Returns the rotations for a change of `SECRET_KEY`. All records are signed again, and the secrets in them are sealed
 * again.
 */
export function keyRotations(seal: Seal): KeyRotation[] {
  const resealing = [linkRotation(seal), pendingLinkRotation(seal), webhookRotation(seal)];
  const others = Object.keys(recordFormats()).filter((prefix) =>
    resealing.every((rotation) => rotation.prefix !== prefix),
  );
  return [...resealing, ...others.map((prefix) => ({ prefix }))];
}

/**
 * Signs and seals everything that is stored with the newest of the secrets, and then the canary. May run beside the app
 * and be repeated. `acceptedLoss`: id of a key that is lost with the records under it. They stay in the storage, are read
 * once more, and their users are then notified.
 *
 * @throws {WrongSecretKey} if the stored data is of a secret that isn't listed.
 */
export async function rotateStoredData(deps: {
  storage: Storage;
  /** Newest first. */
  secrets: readonly Uint8Array[];
  acceptedLoss?: string | undefined;
  log: Log;
}): Promise<Renewed> {
  const { storage, secrets, acceptedLoss, log } = deps;
  const keys = deriveKeys(secrets, 'records');
  const records = createSignedRecords({ storage, keys, formats: recordFormats(), log });
  const seal = createSeal(deriveKeys(secrets, 'seal'));
  return createCanary({ storage, seal }).renewAfter(acceptedLoss, async () => {
    const count = await rotateRecords({ storage, records }, keyRotations(seal));
    if (acceptedLoss !== undefined)
      // Both only cause another check of all keys. The latter would be reported as unreadable.
      await Promise.all([storage.delete(DATA_FORMAT.keys), storage.delete(KEY_CHECK.keys)]);
    return count;
  });
}

/**
 * Returns whether a storage has any data of the bot, except what a start writes before the canary. Goes through all keys
 * up to the first one of the bot.
 */
export async function hasStoredData(storage: Pick<Storage, 'keysPage'>): Promise<boolean> {
  const kinds = new Set(allStoredData().map(({ keys }) => kindOf(keys)));
  kinds.delete(kindOf(FIRST_START.keys));
  for await (const key of allKeys(storage)) if (kinds.has(kindOf(key))) return true;
  return false;
}

/** Indexes of each due queue and poll schedule, by its name. */
export function queueIndexes(): Record<string, string[]> {
  const named = dueQueues().map(
    (definition) => [definition.keys.replace(/:priority$/, ''), indexesOf(definition)] as const,
  );
  return Object.fromEntries(named.filter(([, indexes]) => indexes.length > 0));
}

/** Returns how long the first reference of each due queue has been due, in milliseconds; `undefined` if none is due. */
export async function overdueQueues({
  index,
}: Pick<Storage, 'index'>): Promise<{ queue: string; ms: number | undefined }[]> {
  return Promise.all(
    Object.entries(queueIndexes()).map(async ([queue, indexes]) => ({
      queue,
      ms: longestOf(await Promise.all(indexes.map((name) => overdueMs({ index }, name)))),
    })),
  );
}

/**
 * Creates the checks of everything that is stored. While `SECRET_KEY` isn't proven right, they do nothing: users would get
 * messages about lost records.
 */
export function createStoredDataChecks(deps: {
  storage: Pick<Storage, 'get' | 'set'>;
  canary: Pick<Canary, 'read'>;
  userKeys: Pick<UserKeys, 'check' | 'isCheckDue'>;
  unreadable: Pick<UnreadableRecords, 'isUnreadable' | 'flush' | 'review'>;
  /** Adds what indexes lack of the records with these keys. */
  repairIndexes: (keys: readonly string[]) => Promise<unknown>;
  notifyUsers: (keys: readonly string[]) => Promise<unknown>;
}) {
  const { storage, canary, userKeys, unreadable, repairIndexes, notifyUsers } = deps;
  const formats = recordFormats();
  const present = JSON.stringify(formats);
  const isOpen = async () => (await canary.read()).is === 'open';

  async function readRecords(keys: readonly string[]): Promise<void> {
    const signed = keys.filter((key) => Object.hasOwn(formats, prefixOf({ keys: key })));
    await Promise.all(signed.map(unreadable.isUnreadable));
    await unreadable.flush();
  }

  return {
    /**
     * Goes through all keys, each day and after an upgrade: checks the lists of users' keys and the indexes of accounts, and
     * after an upgrade also reads all signed records and reports those that it couldn't read.
     */
    async checkKeys(): Promise<void> {
      if (!(await isOpen())) return;
      const isUpgraded = (await storage.get(DATA_FORMAT.keys)) !== present;
      if (!isUpgraded && !(await userKeys.isCheckDue())) return;
      const isDone = await userKeys.check(async (keys) => {
        await repairIndexes(keys);
        if (isUpgraded) await readRecords(keys);
      }, isUpgraded);
      if (!isDone || !isUpgraded) return;
      await storage.set(DATA_FORMAT.keys, present);
      await unreadable.review(notifyUsers);
    },
    /** Reviews the records that couldn't be read. */
    async reviewUnreadable(): Promise<void> {
      if (await isOpen()) await unreadable.review(notifyUsers);
    },
  };
}
