import { isDeepStrictEqual } from 'node:util';
import type { InlineKeyboardButton } from 'grammy/types';
import type { AccountKeys } from '../accounts/account-keys.ts';
import type { Link, Links } from '../accounts/links.ts';
import type { NoticeSettings, NoticeSettingsOf } from '../accounts/notice-settings.ts';
import type { People } from '../accounts/users.ts';
import { shownBelow } from '../i18n/callback-data.ts';
import { LANGUAGES, type Language, type Texts, type Words } from '../i18n/texts.ts';
import { paragraphs, type View, withoutTags } from '../i18n/view.ts';
import type { Log } from '../platform/log.ts';
import { retryWrite } from '../platform/retry.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import type { NoticeKind } from './kind.ts';
import type { NoticeKinds } from './kinds.ts';
import type { Tally } from './metrics.ts';
import type { OutboxStore, Waiting } from './outbox-store.ts';

/**
 * Maximum numbers of notifications and characters in a message, to keep it readable. Telegram allows 4,096 characters.
 */
const MAX_TOLD = 10;
const MAX_LENGTH = 3_000;
const PLAIN_LENGTH = 300;

/** Notifications of one kind. */
interface OfKind {
  kind: NoticeKind;
  waiting: readonly Waiting[];
}

/**
 * Composed message. `told`: the notifications that it contains. `again`: notifications that it repeats because they may
 * already have been delivered.
 */
interface Composed {
  view: View;
  told: readonly Waiting[];
  again: readonly Waiting[];
}

/** Returns the maximum number of notifications of a kind in one message. */
function mostTold({ isAlone }: Pick<NoticeKind, 'isAlone'>): number {
  return isAlone ? 1 : MAX_TOLD;
}

/** Composes one message from as many notifications of a kind as fit. Unclear notifications are repeated below them. */
function compose(
  texts: Texts,
  { kind, waiting }: OfKind,
  about: { chat: number; language: Language; unclear: readonly OfKind[] },
): Composed {
  const { chat, language } = about;
  const viewOf = (words: Words, { kind: { view, data }, waiting: of }: OfKind) =>
    view(
      words,
      of.map(({ notice }) => data.parse(notice.data)),
      { chat, account: of[0]?.notice.account },
    );
  const words = texts.in(language);
  const told = fitting(waiting.slice(0, mostTold(kind)), MAX_LENGTH, (one) =>
    lengthOf([viewOf(words, { kind, waiting: [one] })]),
  );
  const languages = kind.inAllLanguages ? LANGUAGES : [language];
  const views = languages.map((each) => viewOf(texts.in(each), { kind, waiting: told }));
  const unclear = about.unclear.map((of) => ({ ...of, view: viewOf(words, of) }));
  const again = fitting(unclear, MAX_LENGTH - lengthOf(views), ({ view }) => lengthOf([view]), 0);
  const html = paragraphs(
    told.some(({ notice }) => notice.isAgain) && words.html('notice-unclear'),
    ...views.map((view) => view.html),
    again.length > 0 && words.html('notice-unclear'),
    ...again.map(({ view }) => view.html),
  );
  // Only kinds that are never grouped keep their buttons when they are repeated.
  const further = again.filter((one) => one.kind.isAlone).map(({ view }) => view);
  const view = { html, keyboard: rowsOf([...further, ...views.slice(0, 1)]) };
  return {
    view: kind.isQuestion && again.length === 0 ? view : staying(view),
    told,
    again: again.flatMap((one) => one.waiting),
  };
}

/** Shortens a message and removes its formatting, for a message that Telegram refused. */
function plainly({ keyboard, html }: View): View {
  const short = [...withoutTags(html)].slice(0, PLAIN_LENGTH).join('');
  return { keyboard, html: short.replace(/&#?\w*$/, '') };
}

/** Marks the buttons so that a tap leaves the message unchanged. */
function staying({ keyboard, ...view }: View): View {
  const stays = (one: InlineKeyboardButton) =>
    'callback_data' in one ? { ...one, callback_data: shownBelow(one.callback_data) } : one;
  return { ...view, keyboard: keyboard.map((row) => row.map(stays)) };
}

/** Returns as many of the first items as fit into `room`, but at least `least`. */
function fitting<T>(given: readonly T[], room: number, length: (one: T) => number, least = 1): T[] {
  let taken = 0;
  const tooMany = given.findIndex((one, at) => {
    taken += length(one);
    return at >= least && taken > room;
  });
  return tooMany < 0 ? [...given] : given.slice(0, tooMany);
}

/** Returns the number of characters as Telegram counts them. */
function lengthOf(views: readonly View[]): number {
  return views.reduce((sum, { html }) => sum + withoutTags(html).replace(/&#?\w+;/g, '.').length, 0);
}

/** Returns the keyboard rows of all views without duplicates. Most views have the same row with a menu button. */
function rowsOf(views: readonly View[]): View['keyboard'] {
  const rows = views.flatMap(({ keyboard }) => keyboard);
  return rows.filter((row, at) => rows.findIndex((one) => isDeepStrictEqual(one, row)) === at);
}

/**
 * Result of checking a chat's notifications: those to send now and those to drop. `isUnknown`: some must wait because
 * the service doesn't say whether the user's key still opens the account.
 */
interface Admitted {
  language: Language;
  tell: Waiting[];
  drop: Waiting[];
  isUnknown: boolean;
}

/**
 * Checks right before each message which notifications the chat may still receive. Between an event and its
 * notification, accounts are unlinked, keys revoked and kinds muted. The first call starts reading the user's link and
 * settings while the caller reads the notifications.
 */
type Admit = (chat: number) => (waiting: readonly Waiting[]) => Promise<Admitted>;

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
      // A newer version may have stored data that this version can't parse.
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
    // Avoids an unhandled rejection. The returned function still rejects.
    whose.catch(() => undefined);
    return async (waiting) => admitted(chat, waiting, await whose);
  };
}

/** Sent message with Telegram's result, or the error thrown while composing the first notification. */
type Said = (Composed & { sent: Sent }) | { told: readonly Waiting[]; err: unknown };

type Say = (of: OfKind, about: Parameters<typeof compose>[2]) => Promise<Said>;

/**
 * Creates a function that composes and sends a message. If that throws or Telegram refuses the message, it retries with
 * the first notification alone, then with its plain version.
 */
function createSay({ sender, texts }: { sender: Pick<Sender, 'send'>; texts: Texts }): Say {
  return async (of, about) => {
    const first = { ...of, waiting: of.waiting.slice(0, 1) };
    const alone = () => compose(texts, first, { ...about, unclear: [] });
    const plain = () => ({ ...alone(), view: plainly(alone().view) });

    async function attempt(make: () => Composed, before?: Said): Promise<Said> {
      let made: Composed;
      try {
        made = make();
      } catch (err) {
        return { told: first.waiting, err };
      }
      // Telegram would refuse the same text again.
      if (before && 'view' in before && before.view.html === made.view.html) return before;
      return { ...made, sent: await sender.send(about.chat, made.view) };
    }

    let said = await attempt(() => compose(texts, of, about));
    for (const make of [alone, plain]) {
      if ('sent' in said && said.sent.kind !== 'refused') return said;
      said = await attempt(make, said);
    }
    return said;
  };
}

/** Delay between two messages in a chat, in milliseconds. Telegram allows one a second, and short bursts. */
const NEXT_MS = 1_000;
/**
 * Retry delay while Telegram is unreachable, in milliseconds. Doesn't count as a failed attempt of the notification.
 */
const AWAY_MS = 5_000;
const RETRY_DELAYS_MS = [1_000, 5_000, 15_000, 60_000];
/**
 * Failed attempts after which a notification is quarantined, so that it doesn't block its chat. It returns after ten
 * minutes, and is given up after a day.
 */
const TRIES = 5;
const GIVEN_UP_MS = 24 * 3_600_000;

/**
 * Stores the result of sending. Returns the delay until the next message in this chat, in milliseconds, or `undefined`
 * if the chat is blocked or gone.
 */
type Settle = (chat: number, said: Said) => Promise<number | undefined>;

function createSettle(deps: {
  store: OutboxStore;
  tally: Pick<Tally, 'told'>;
  now: () => number;
  log: Log;
}): Settle {
  const { store, tally, now, log } = deps;

  const written = (chat: number, write: () => Promise<void>) => retryWrite(write, { log, about: { chat } });

  async function setAside(chat: number, { name, notice }: Waiting, why: object): Promise<void> {
    const isOver = now() - notice.at > GIVEN_UP_MS;
    log.error({ chat, notice: name, ...why }, isOver ? 'a notice is given up' : 'a notice is set aside');
    await (isOver ? store.told(chat, [name]) : store.setAside(chat, name));
  }

  async function putOff(chat: number, group: readonly Waiting[], reason: string): Promise<number> {
    for (const one of group) {
      await store.failed(chat, one);
      if (one.notice.tries + 1 >= TRIES) await setAside(chat, one, { reason });
    }
    const tries = group.map(({ notice }) => notice.tries).filter((before) => before + 1 < TRIES);
    return RETRY_DELAYS_MS[Math.max(-1, ...tries)] ?? NEXT_MS;
  }

  return async (chat, said) => {
    const { told } = said;
    if ('err' in said) {
      for (const one of told) await setAside(chat, one, { err: said.err });
      return 0;
    }
    const { sent, again } = said;
    switch (sent.kind) {
      case 'sent':
      case 'unchanged':
        await written(chat, () => store.told(chat, namesOf([...told, ...again])));
        for (const { notice } of told) tally.told(now() - notice.at);
        return NEXT_MS;
      case 'unclear':
        log.warn({ chat, notices: namesOf(told) }, 'nobody knows whether a notice was told');
        await written(chat, () => store.becameUnclear(chat, [...told, ...again.map(asAgain)]));
        return NEXT_MS;
      case 'blocked':
      case 'gone':
        log.info(
          { chat, reason: sent.kind },
          'chat is blocked or gone: notifications wait until the user returns',
        );
        await store.retire(chat);
        await store.trim(chat);
        return undefined;
      case 'refused':
        log.error({ chat, notices: namesOf(told), reason: sent.reason }, 'Telegram refused a notification');
        await store.told(chat, namesOf(told));
        return 0;
      case 'later':
        return sent.afterMs;
      case 'away':
        return AWAY_MS;
      case 'failed':
        return putOff(chat, told, sent.reason);
    }
  };
}

/**
 * Marks an unclear notification that a message repeated. That message got no response either, but may have delivered
 * it.
 */
function asAgain({ name, notice }: Waiting): Waiting {
  return { name, notice: { ...notice, isAgain: true } };
}

function namesOf(waiting: readonly Waiting[]): string[] {
  return waiting.map(({ name }) => name);
}

/** Maximum number of waiting notifications of a chat that are read for one message. */
const LOOKED_AT = 50;
const UNCLEAR = 3;
const UNKNOWN_MS = 15_000;
/** Lease of a chat for one delivery. */
interface Turn {
  /** Returns whether this process still holds the lease. If so, no other process can be sending to the chat. */
  isHeld(): boolean;
  /** A process crashed while delivering to this chat. The first notifications there may have been sent. */
  isRetaken: boolean;
}

/**
 * Sends the first notifications of a chat. Returns the delay until the next delivery there, in milliseconds, or
 * `undefined` if none is needed.
 */
export type Deliver = (chat: number, turn: Turn) => Promise<number | undefined>;

/** State of a chat at the start of a delivery. */
interface Found extends Turn {
  chat: number;
  admitted: ReturnType<Admit>;
  waiting: readonly Waiting[];
  unclear: readonly Waiting[];
}

export function createDeliver(deps: {
  store: OutboxStore;
  admit: Admit;
  sender: Pick<Sender, 'send' | 'isAnswered'>;
  texts: Texts;
  noticeKinds: NoticeKinds;
  tally: Pick<Tally, 'told'>;
  now: () => number;
  log: Log;
}): Deliver {
  const { store, admit, sender, noticeKinds, log } = deps;
  const say = createSay(deps);
  const settle = createSettle(deps);

  /**
   * Returns the unclear notifications to repeat in the next message. Removes those that the chat may no longer receive.
   */
  async function sayableAgain({ chat, admitted, unclear }: Found): Promise<OfKind[]> {
    if (unclear.length === 0) return [];
    const { tell, drop } = await admitted(unclear);
    await store.told(chat, namesOf(drop));
    return tell.flatMap((one) => {
      const kind = noticeKinds.of(one.notice.kind);
      return kind === undefined ? [] : [{ kind, waiting: [one] }];
    });
  }

  /**
   * Returns the notifications to send. After a crash, the first ones may already have been sent and are sent a second
   * time. Those that were already sent twice become unclear instead: they aren't sent blindly a third time.
   */
  async function orUnclear(
    { chat, isRetaken }: Found,
    tell: readonly Waiting[],
    most: number,
  ): Promise<readonly Waiting[]> {
    if (!isRetaken) return tell;
    const first = tell.slice(0, most);
    const twice = first.filter(({ notice }) => notice.isRetold);
    const once = first.filter(({ notice }) => !notice.isRetold);
    if (twice.length > 0)
      log.warn({ chat, notices: namesOf(twice) }, 'nobody knows whether a notice was told');
    await Promise.all([store.becameUnclear(chat, twice), store.retold(chat, once)]);
    return once;
  }

  async function tell(found: Found, { language, tell: all }: Admitted): Promise<number | undefined> {
    const { chat, isHeld } = found;
    const kind = noticeKinds.of(all[0]?.notice.kind ?? '');
    if (kind === undefined) return 0;
    const waiting = await orUnclear(found, all, mostTold(kind));
    if (waiting.length === 0) return 0;
    const unclear = await sayableAgain(found);
    const second = waiting
      .slice(0, mostTold(kind))
      .filter(({ notice }) => notice.isSecond && !notice.isRetold);
    // Marked right before sending, so that an earlier failure doesn't count as the second sending.
    await store.retold(chat, second);
    if (!isHeld()) throw new Error('lost the lease of the chat: another process may be sending there');
    const said = await say({ kind, waiting }, { chat, language, unclear });
    const nextMs = await settle(chat, said);
    const isTold = 'sent' in said && (said.sent.kind === 'sent' || said.sent.kind === 'unchanged');
    await Promise.all([
      isTold && !kind.isAlone && store.gather(chat, kind.name),
      nextMs && store.pause(chat, nextMs),
    ]);
    return isTold && said.told.length === found.waiting.length ? undefined : nextMs;
  }

  /**
   * Sends the first group of notifications that may be sent now. Skips kinds that are being batched, and accounts if
   * the service doesn't say which account a key opens.
   */
  async function tellFirst(found: Found): Promise<number | undefined> {
    const { chat, admitted, waiting } = found;
    const groups = grouped(waiting);
    const gathering = await Promise.all(groups.map(({ kind }) => store.isGathering(chat, kind)));
    let next = groups.length > 0 ? 0 : undefined;
    let isAway = false;
    for (const [at, { account, group }] of groups.entries()) {
      if (isAway && account !== undefined) continue;
      if (gathering[at]) {
        next = NEXT_MS;
        continue;
      }
      const admission = await admitted(group);
      await store.told(chat, namesOf(admission.drop));
      if (admission.tell.length > 0) return tell(found, admission);
      if (admission.isUnknown) {
        isAway = true;
        next ||= UNKNOWN_MS;
      }
    }
    return next;
  }

  return async function deliver(chat, turn) {
    const admitted = admit(chat);
    const [wanted, isRetired, isPaused, waiting, unclear] = await Promise.all([
      ...[store.wantedAgain(chat), store.isRetired(chat), store.isPaused(chat)],
      ...[store.waiting(chat, LOOKED_AT), store.unclear(chat, UNCLEAR)],
    ] as const);
    if (wanted) {
      // There is no third automatic sending, so the second one waits until Telegram responds to a request for this
      // chat.
      const isReady = wanted === 'all' || isRetired || (!isPaused && (await sender.isAnswered(chat)));
      await (isReady ? store.sayAgain(chat, wanted) : store.postponeUnclear(chat));
      await store.hadAgain(chat);
      return deliver(chat, turn);
    }
    if (isRetired) {
      await store.trim(chat);
      return undefined;
    }
    return isPaused ? NEXT_MS : tellFirst({ ...turn, chat, admitted, waiting, unclear });
  };
}

/** Groups notifications by kind and account. Only notifications of one group may share a message. */
function grouped(waiting: readonly Waiting[]) {
  const groups = new Map<string, { kind: string; account: number | undefined; group: Waiting[] }>();
  for (const one of waiting) {
    const { kind, account } = one.notice;
    const name = `${kind}/${account ?? ''}`;
    const { group } = groups.get(name) ?? { group: [] };
    groups.set(name, { kind, account, group: [...group, one] });
  }
  return [...groups.values()];
}
