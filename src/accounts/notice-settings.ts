import { z } from 'zod';
import type { SignedRecords } from '../platform/records.ts';
import { changeRecord } from '../platform/records.ts';

/** What a user may not want to be told, each by itself. */
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

/** What the keys of these settings begin with. */
export const NOTICE_SETTINGS = 'notice-settings:';

/** A later version may have kinds that this one doesn't know: what is unknown here isn't lost by a change. */
const settingsSchema = z.object({ muted: z.array(z.string()), lowBalance: z.string().optional() });

type Kept = z.infer<typeof settingsSchema>;

export interface NoticeSettingsOf {
  muted: Mutable[];
  /** TRX, decimal, above 0: below it the balance is low. `undefined` until somebody names one. */
  lowBalance?: string;
}

/**
 * What a user wants to be told. Signed, since who mutes somebody's withdrawals has them not see one; what doesn't
 * verify mutes nothing.
 */
export interface NoticeSettings {
  of(user: number): Promise<NoticeSettingsOf>;
  /** Sets whether this is muted: said twice it is the same. */
  mute(user: number, what: Mutable, on: boolean): Promise<void>;
  /** `trx`: decimal, above 0; `undefined` for none. */
  setLowBalance(user: number, trx: string | undefined): Promise<void>;
  /** Their account is unlinked. */
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
