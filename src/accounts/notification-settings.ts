import { z } from 'zod';
import { defineRecord } from '../platform/records.ts';
import type { AccountsDeps } from './accounts-deps.ts';

export const MUTABLE_KINDS = [
  'orders',
  'rentals',
  'invoices',
  'deposits',
  'withdrawals',
  'smart-mode',
  'low-balance',
  'hook',
  'other',
] as const;

export type MutableKind = (typeof MUTABLE_KINDS)[number];

const OPT_IN_KINDS: readonly MutableKind[] = ['rentals'];

/** Signed: otherwise an attacker could mute a user's withdrawal notifications. */
export const NOTIFICATION_SETTINGS = defineRecord({
  keys: 'notification-settings:{user}',
  content: 'Muted and turned-on notifications, and the balance below which the user is alerted',
  // Preserves kinds of a later version that this one doesn't know.
  schema: z.object({
    muted: z.array(z.string()),
    /** Kinds of `OPT_IN_KINDS` that the user has turned on. */
    turnedOn: z.array(z.string()).optional(),
    lowBalance: z.string().optional(),
  }),
  ttlMs: 'none',
  expiry: 'none: until unlinked; otherwise muted notifications would come again',
  signed: true,
});

export interface UserNotificationSettings {
  /** Muted kinds, among those that are on by default. */
  muted: MutableKind[];
  /** Kinds that the user has turned on, among those that are off by default. */
  turnedOn?: MutableKind[];
  /** Threshold of the low-balance notification, in TRX, decimal, above 0. `undefined` until the user sets one. */
  lowBalance?: string;
}

export function isMuted({ muted, turnedOn = [] }: UserNotificationSettings, kind: MutableKind): boolean {
  return OPT_IN_KINDS.includes(kind) ? !turnedOn.includes(kind) : muted.includes(kind);
}

/** Notification settings of users. A record that fails verification mutes nothing and turns nothing on. */
export type NotificationSettings = ReturnType<typeof createNotificationSettings>;

export function createNotificationSettings({ records }: Pick<AccountsDeps, 'records'>) {
  const settings = records.store(NOTIFICATION_SETTINGS);
  return {
    async get(user: number): Promise<UserNotificationSettings> {
      const { muted, turnedOn = [], lowBalance } = (await settings.get({ user })) ?? { muted: [] };
      const known = (kinds: readonly string[]) => MUTABLE_KINDS.filter((kind) => kinds.includes(kind));
      return {
        muted: known(muted),
        ...(turnedOn.length > 0 && { turnedOn: known(turnedOn) }),
        ...(lowBalance !== undefined && { lowBalance }),
      };
    },
    async setMuted(user: number, kind: MutableKind, isMuted: boolean) {
      await settings.update({ user }, (before = { muted: [] }) => {
        if (OPT_IN_KINDS.includes(kind)) {
          const others = (before.turnedOn ?? []).filter((turnedOn) => turnedOn !== kind);
          return { ...before, turnedOn: isMuted ? others : [...others, kind] };
        }
        const others = before.muted.filter((muted) => muted !== kind);
        return { ...before, muted: isMuted ? [...others, kind] : others };
      });
    },
    /** Sets the threshold of the low-balance notification, in TRX, decimal, above 0. `undefined` removes it. */
    async setLowBalance(user: number, lowBalance: string | undefined) {
      await settings.update({ user }, (before = { muted: [] }) => ({ ...before, lowBalance }));
    },
    delete: (user: number) => settings.delete({ user }),
  };
}
