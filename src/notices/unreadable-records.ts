import { createHash } from 'node:crypto';
import { tagOf } from '../storage/storage.ts';
import type { TellAdmins } from './admin-news.ts';
import type { Outbox } from './outbox/outbox.ts';

/** More users than this are concerned only if the operator changed something: then admins alone are notified. */
const MAX_NOTIFIED_USERS = 200;

/** Kinds of records whose loss a user has to know of, by the prefix of their keys. */
const CONCERNING = new Map([
  ['operation', 'operation'],
  ['invoice', 'invoice'],
  ['link', 'link'],
] as const);

/** Reports stored records that can't be read: of another version, under another secret, or changed from outside. */
export interface UnreadableRecords {
  /** Remembers the key of such a record until the next report. */
  add(key: string): void;
  /** Notifies admins of all that were added since the last report, and users of their own. Rejects to be tried again. */
  report(): Promise<void>;
}

export function createUnreadableRecords(deps: {
  outbox: Pick<Outbox, 'add'>;
  tellAdmins: Pick<TellAdmins, 'recordsUnreadable'>;
}): UnreadableRecords {
  const { outbox, tellAdmins } = deps;
  let found = new Set<string>();

  async function notifyUsers(keys: readonly string[]): Promise<boolean> {
    const notices = keys.flatMap((key) => {
      const what = CONCERNING.get(kindOf(key));
      const chat = Number(tagOf(key));
      return what && Number.isSafeInteger(chat)
        ? [{ chat, data: { what, id: key.split(':')[2] ?? '' } }]
        : [];
    });
    if (new Set(notices.map(({ chat }) => chat)).size > MAX_NOTIFIED_USERS) return false;
    for (const { chat, data } of notices)
      await outbox.add({ kind: 'unreadable-record', id: `${data.what}:${data.id}`, chat, data });
    return true;
  }

  return {
    add: (key) => void found.add(key),
    async report() {
      if (found.size === 0) return;
      const keys = [...found].sort();
      const isTold = await notifyUsers(keys);
      await tellAdmins.recordsUnreadable({
        id: createHash('sha256').update(keys.join()).digest('base64url'),
        detail: countsOf(keys),
        told: isTold ? 'yes' : 'no',
      });
      found = new Set([...found].filter((key) => !keys.includes(key)));
    },
  };
}

/** `link ×1, operation ×3` */
function countsOf(keys: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(kindOf(key), (counts.get(kindOf(key)) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${kind} ×${count}`).join(', ');
}

function kindOf(key: string) {
  return key.split(':', 1)[0] as typeof CONCERNING extends Map<infer Kind, unknown> ? Kind : never;
}
