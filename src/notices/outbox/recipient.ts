import type { Link } from '../../accounts/link.ts';
import type { Links } from '../../accounts/links.ts';
import type { NoticeSettings, NoticeSettingsOf } from '../../accounts/notice-settings.ts';
import type { People } from '../../accounts/people.ts';
import type { Language } from '../../texts/texts.ts';
import type { NoticeKinds } from '../kinds/kinds.ts';
import type { AccountKeys } from '../looks/account-keys.ts';
import type { Waiting } from './outbox-store.ts';

/** What may be told in a chat now, what never is any more, and whether the service must be asked first, which doesn't answer. */
export interface Admitted {
  language: Language;
  tell: Waiting[];
  drop: Waiting[];
  isUnknown: boolean;
}

/**
 * Whom a chat belongs to is read right before each message, beside what waits there: accounts are unlinked, keys revoked,
 * and kinds muted between an event and its telling.
 */
export type Admit = (chat: number) => (waiting: readonly Waiting[]) => Promise<Admitted>;

export function createAdmit(deps: {
  links: Pick<Links, 'find'>;
  people: Pick<People, 'find'>;
  noticeSettings: Pick<NoticeSettings, 'of'>;
  accountKeys: Pick<AccountKeys, 'opens'>;
  noticeKinds: NoticeKinds;
}): Admit {
  const { links, people, noticeSettings, accountKeys, noticeKinds } = deps;

  async function admitted(
    chat: number,
    waiting: readonly Waiting[],
    [link, { muted }]: readonly [Link | undefined, NoticeSettingsOf],
  ): Promise<Admitted> {
    const isHeld = waiting.some(
      ({ notice }) => notice.account !== undefined && notice.account === link?.account,
    );
    const opens = isHeld && link ? await accountKeys.opens(chat, link.account) : false;

    async function verdict({ notice }: Waiting): Promise<'tell' | 'drop' | 'unknown'> {
      const kind = noticeKinds.of(notice.kind);
      const { account } = notice;
      if (kind === undefined || (kind.mutable && muted.includes(kind.mutable))) return 'drop';
      if (account !== undefined && link?.account !== account) return 'drop';
      if (account !== undefined && opens === false) return 'drop';
      if (account !== undefined && opens === undefined && !kind.isWarning) return 'unknown';
      // A newer version may have kept of a kind what isn't known here.
      const data = kind.data.safeParse(notice.data);
      if (!data.success || (await kind.isStill?.(data.data, { chat, account })) === false) return 'drop';
      return 'tell';
    }

    const verdicts = await Promise.all(waiting.map(verdict));
    const those = (of: string) => waiting.filter((_, at) => verdicts[at] === of);
    return {
      language: link?.language ?? (await people.find(chat))?.language ?? 'en',
      tell: those('tell'),
      drop: those('drop'),
      isUnknown: verdicts.includes('unknown'),
    };
  }

  return (chat) => {
    const whose = Promise.all([links.find(chat), noticeSettings.of(chat)]);
    // Whoever asks hears that it failed.
    whose.catch(() => undefined);
    return async (waiting) => admitted(chat, waiting, await whose);
  };
}
