import type { NoticeSettings } from '../accounts/notice-settings.ts';
import type { ReportOffers } from '../accounts/webhook-subscriptions.ts';
import type { Texts } from '../i18n/texts.ts';
import type { View } from '../i18n/view.ts';
import { type CardSurroundings, operationCard, operationNews, plainCard } from '../operations/card.ts';
import type { Kinds } from '../operations/kinds/kinds.ts';
import type { Operation } from '../operations/operation.ts';
import type { Show, Shown } from '../operations/receipt.ts';
import type { Log } from '../platform/log.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import type { Outbox } from './outbox.ts';

const AGAIN_MS = 5_000;
/** Delay before a reply is sent a second time if Telegram's answer got lost. */
const UNCLEAR_MS = 15_000;
const UNPLACED = { kind: 'unplaced' } as const;

type May = Parameters<Show>[1];
/** What became of a message that is needed. */
type Placed = Sent | typeof UNPLACED;

interface NewsDeps {
  sender: Pick<Sender, 'send' | 'edit'>;
  texts: Texts;
  kinds: Kinds;
  reported: (account: number) => Promise<boolean>;
  /** `undefined` where the bot has no public address, to which the service could send events. */
  offers: ReportOffers | undefined;
  outbox: Pick<Outbox, 'add'>;
  noticeSettings: Pick<NoticeSettings, 'of'>;
  supportUrl: string | undefined;
  log: Log;
}

interface Placing {
  /** Where it stands already. */
  message: number | undefined;
  content: View;
  /** The same in few words and without formats: seldom needed. */
  plain: () => View;
  may: May;
  send(content: View): Promise<Sent>;
}

/**
 * Shows its user how an operation stands: its receipt is edited. What happens after they were told an outcome is also
 * told in a reply to the receipt, since an edit notifies nobody; that reply is edited as more follows.
 */
export function createOperationNews(deps: NewsDeps): Show {
  const { sender, texts, kinds, reported, offers, outbox, noticeSettings, supportUrl, log } = deps;

  /**
   * Edits the message, where there is one; sends another, where it can't be edited; says it plainly, where Telegram
   * takes neither.
   */
  async function place(operation: Operation, placing: Placing): Promise<Placed> {
    const { user, id } = operation;
    let { message } = placing;
    let last: Placed = { kind: 'gone' };
    for (const make of [() => placing.content, placing.plain]) {
      const content = make();
      if (message !== undefined) last = await sender.edit(user, message, content);
      if (message !== undefined && !isHopeless(last)) return last;
      if (last.kind === 'gone') message = undefined;
      if (placing.may === 'edit') return UNPLACED;
      last = await placing.send(content);
      if (last.kind !== 'refused') break;
      log.error({ operation: id, reason: last.reason }, 'Telegram does not take what an operation says');
    }
    if (last.kind === 'refused' || last.kind === 'gone' || last.kind === 'blocked') {
      log.warn({ operation: id, state: operation.state, reason: last.kind }, 'an operation can not be told');
    }
    return last;
  }

  /** Once somebody has bought, they know what a report would be good for. */
  async function offerReports({ user, account }: Operation): Promise<void> {
    if (offers === undefined || !(await offers.take(user, account))) return;
    try {
      await outbox.add({ kind: 'reports-offer', id: String(account), chat: user, account, data: {} });
    } catch (err) {
      await offers.giveBack(user, account);
      throw err;
    }
  }

  /** That an order has arrived, or failed, its receipt says by itself; what became of one in doubt is always told. */
  async function isMuted({ user, state, settledBy }: Operation): Promise<boolean> {
    if (state !== 'done' || settledBy !== 'answer') return false;
    return (await noticeSettings.of(user)).muted.includes('orders');
  }

  return async (operation, may) => {
    const words = texts.in(operation.language);
    const isReported =
      operation.state === 'done' && (operation.reported ?? (await reported(operation.account)));
    const about: CardSurroundings = {
      kind: kinds.of(operation.request),
      reported: isReported,
      supportUrl,
    };
    const { user } = operation;
    const plain = () => plainCard(words, operation, about);
    const placed = await place(operation, {
      message: operation.card,
      content: operationCard(words, operation, about),
      plain,
      may,
      send: (content) => sender.send(user, content),
    });
    const card = placed.kind === 'sent' ? placed.messageId : operation.card;
    if (!isPlaced(placed)) return shown(placed, { card });
    const isNew = operation.notified < operation.revision;
    if (isNew && operation.state === 'done' && !isReported && about.kind.report)
      await offerReports(operation);
    if (!operation.late || (await isMuted(operation))) return shown(placed, { card });
    const told = await place(operation, {
      message: operation.news,
      content: { html: operationNews(words, operation, about), keyboard: [] },
      plain,
      may,
      send: (content) => sender.send(user, content, card),
    });
    if (told.kind === 'unclear' && operation.news === undefined) {
      log.warn({ user, operation: operation.id, reason: told.reason }, 'a reply may not have been delivered');
      return { kind: 'later', afterMs: UNCLEAR_MS, isUnclear: true, card };
    }
    const news = told.kind === 'sent' ? told.messageId : operation.news;
    return shown(told, { card, news });
  };
}

/** Of this message nothing can be made any more, at least not with these words. */
function isHopeless({ kind }: Placed): boolean {
  return kind === 'gone' || kind === 'refused';
}

function isPlaced({ kind }: Placed): boolean {
  return kind === 'sent' || kind === 'unchanged';
}

function shown(sent: Placed, where: { card: number | undefined; news?: number | undefined }): Shown {
  switch (sent.kind) {
    case 'sent':
    case 'unchanged':
      return { kind: 'shown', ...where };
    case 'blocked':
    case 'gone':
    case 'refused':
      return { kind: 'impossible' };
    case 'unplaced':
      return sent;
    case 'later':
      return { kind: 'later', afterMs: sent.afterMs, card: where.card };
    case 'away':
    case 'failed':
    // Also a receipt that was sent anew and may have come: an outcome untold is worse than one that is told twice.
    case 'unclear':
      return { kind: 'later', afterMs: AGAIN_MS, card: where.card };
  }
}
