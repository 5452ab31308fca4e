import { z } from 'zod';
import type { SignedRecords } from '../platform/records.ts';
import { changeRecord } from '../platform/records.ts';

/** Kinds of notifications that a user can mute separately. */
export const MUTABLE = [
  'orders',
  'deposits',
  'withdrawals',
  'smart-mode',
  'low-balance',
  'hook',
  'other',
] as const;

export type Mutable = (typeof MUTABLE)[number];

/** Key prefix of notification settings. */
export const NOTICE_SETTINGS = 'notice-settings:';

/** Preserves kinds of a later version that this one doesn't know. */
const settingsSchema = z.object({ muted: z.array(z.string()), lowBalance: z.string().optional() });

type Kept = z.infer<typeof settingsSchema>;

export interface NoticeSettingsOf {
  muted: Mutable[];
  /** Threshold of the low-balance notification, in TRX, decimal, above 0. `undefined` until the user sets one. */
  lowBalance?: string;
}

/**
 * Notification settings of users. Signed: otherwise an attacker could mute a user's withdrawal notifications. A record
 * that fails verification mutes nothing.
 */
export interface NoticeSettings {
  of(user: number): Promise<NoticeSettingsOf>;
  /** Sets whether this kind is muted. Safe to repeat. */
  mute(user: number, what: Mutable, on: boolean): Promise<void>;
  /** `trx`: decimal, above 0; `undefined` for none. */
  setLowBalance(user: number, trx: string | undefined): Promise<void>;
  /** Deletes the settings of a user whose account is unlinked. */
  forget(user: number): Promise<void>;
}

export function createNoticeSettings({ records }: { records: SignedRecords }): NoticeSettings {
  const keyOf = (user: number) => `${NOTICE_SETTINGS}{${user}}`;

  const read = (content: string | undefined): Kept =>
    content === undefined ? { muted: [] } : settingsSchema.parse(JSON.parse(content));

  const change = (user: number, to: (before: Kept) => Kept) =>
    changeRecord(records, keyOf(user), (content) => JSON.stringify(to(read(content))), {});

  return {
    async of(user) {
      const { muted, lowBalance } = read((await records.get(keyOf(user)))?.content);
      return {
        muted: MUTABLE.filter((one) => muted.includes(one)),
        ...(lowBalance !== undefined && { lowBalance }),
      };
    },
    mute: (user, what, on) =>
      change(user, ({ muted, ...others }) => {
        const rest = muted.filter((one) => one !== what);
        return { ...others, muted: on ? [...rest, what] : rest };
      }),
    setLowBalance: (user, trx) =>
      change(user, ({ muted }) => ({ muted, ...(trx !== undefined && { lowBalance: trx }) })),
    forget: (user) => records.delete(keyOf(user)),
  };
}
