import type { Log } from '../../log.ts';
import type { Sender } from '../../telegram/sender.ts';
import type { Texts } from '../../texts/texts.ts';
import type { Tally } from '../inbox/tally.ts';
import type { NoticeKinds } from '../kinds/kinds.ts';
import { mostTold, type OfKind } from './compose.ts';
import type { OutboxStore, Waiting } from './outbox-store.ts';
import type { Admit, Admitted } from './recipient.ts';
import { createSay } from './say.ts';
import { createSettle, NEXT_MS, namesOf } from './settle.ts';

/** Of one chat, looked at for one message. */
const LOOKED_AT = 50;
const UNCLEAR = 3;
const UNKNOWN_MS = 15_000;
/** How it was begun. */
export interface Turn {
  /** Nobody else can be telling there. */
  isMine(): boolean;
  /** Somebody has died over this chat: they may have told what comes first there. */
  isRetaken: boolean;
}

/** Tells what comes first in a chat; answers in how many milliseconds it goes on there, `undefined` where nothing waits. */
export type Deliver = (chat: number, turn: Turn) => Promise<number | undefined>;

/** A chat as it was found. */
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

  /** What may have been told before is said once more with the next message, as what it is. */
  async function sayableAgain({ chat, admitted, unclear }: Found): Promise<OfKind[]> {
    if (unclear.length === 0) return [];
    const { tell, drop } = await admitted(unclear);
    await store.told(chat, namesOf(drop));
    return tell.flatMap((one) => {
      const kind = noticeKinds.of(one.notice.kind);
      return kind === undefined ? [] : [{ kind, waiting: [one] }];
    });
  }

  /** Whoever died over it may have told it, and it is told once more: after a second one it is no longer sent blindly. */
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
    const { chat, isMine } = found;
    const kind = noticeKinds.of(all[0]?.notice.kind ?? '');
    if (kind === undefined) return 0;
    const waiting = await orUnclear(found, all, mostTold(kind));
    if (waiting.length === 0) return 0;
    const unclear = await sayableAgain(found);
    const second = waiting
      .slice(0, mostTold(kind))
      .filter(({ notice }) => notice.isSecond && !notice.isRetold);
    // Right before sending, so that a failure up to here doesn't count as one.
    await store.retold(chat, second);
    if (!isMine()) throw new Error('this process was stopped for so long that another may be telling');
    const said = await say({ kind, waiting }, { chat, language, unclear });
    const nextMs = await settle(chat, said);
    const isTold = 'sent' in said && (said.sent.kind === 'sent' || said.sent.kind === 'unchanged');
    await Promise.all([
      isTold && !kind.isAlone && store.gather(chat, kind.name),
      nextMs && store.pause(chat, nextMs),
    ]);
    return isTold && said.told.length === found.waiting.length ? undefined : nextMs;
  }

  /** The first that may be told now: not one of a kind that is being gathered, nor one that only the service could admit. */
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
      // No timer sends them a third time, so the second sending waits until Telegram answers in this chat.
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

/** Those of a kind and of one account may be told together. */
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
