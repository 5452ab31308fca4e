import type { ReportOffers } from '../accounts/report-offers.ts';
import { operationCard, operationNews } from '../operations/card.ts';
import type { CardSurroundings } from '../operations/card-lines.ts';
import type { Kinds } from '../operations/kinds/kinds.ts';
import type { Show, Shown } from '../operations/notifier.ts';
import type { Operation } from '../operations/operation.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import { reportsQuestion } from '../texts/reports-question.ts';
import type { Texts, Words } from '../texts/texts.ts';
import type { View } from '../texts/view.ts';

const AGAIN_MS = 5_000;
const UNPLACED = { kind: 'unplaced' } as const;

type May = Parameters<Show>[1];
/** What became of a message that is needed. */
type Placed = Sent | typeof UNPLACED;

export interface NewsDeps {
  sender: Sender;
  texts: Texts;
  kinds: Kinds;
  reported: (account: number) => Promise<boolean>;
  /** `undefined` where the bot has no public address, to which the service could send events. */
  offers: ReportOffers | undefined;
  supportUrl: string | undefined;
}

/**
 * Shows its user how an operation stands: its receipt is edited. What happens after they were told an outcome is also
 * told in a reply to the receipt, since an edit notifies nobody; that reply is edited as more follows.
 */
export function createOperationNews(deps: NewsDeps): Show {
  const { sender, texts, kinds, reported, offers, supportUrl } = deps;

  async function placeReceipt({ user, card }: Operation, view: View, may: May): Promise<Placed> {
    if (card !== undefined) {
      const edited = await sender.edit(user, card, view);
      if (edited.kind !== 'gone') return edited;
    }
    return may === 'send' ? sender.send(user, view) : UNPLACED;
  }

  async function placeNews(
    { user, news }: Operation,
    html: string,
    receipt: number | undefined,
    may: May,
  ): Promise<Placed> {
    if (news !== undefined) {
      const edited = await sender.edit(user, news, { html, keyboard: [] });
      if (edited.kind !== 'gone') return edited;
    }
    return may === 'send' ? sender.send(user, { html, keyboard: [] }, receipt) : UNPLACED;
  }

  /** Once somebody has bought, they know what a report would be good for. */
  async function offerReports(words: Words, { user, account }: Operation): Promise<void> {
    if (offers === undefined || !(await offers.take(user, account))) return;
    const asked = await sender.send(user, reportsQuestion(words));
    if (asked.kind === 'later') await offers.giveBack(user, account);
  }

  return async (operation, may) => {
    const words = texts.in(operation.language);
    const isReported = await reported(operation.account);
    const about: CardSurroundings = {
      kind: kinds.of(operation.request),
      reported: isReported,
      supportUrl,
    };
    const placed = await placeReceipt(operation, operationCard(words, operation, about), may);
    const card = placed.kind === 'sent' ? placed.messageId : operation.card;
    if (!isPlaced(placed)) return shown(placed, { card });
    if (operation.state === 'done' && !isReported && about.kind.report) await offerReports(words, operation);
    if (!operation.late) return shown(placed, { card });
    const told = await placeNews(operation, operationNews(words, operation, about), card, may);
    const news = told.kind === 'sent' ? told.messageId : operation.news;
    return shown(told, { card, news });
  };
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
      return { kind: 'impossible' };
    case 'unplaced':
      return sent;
    case 'later':
      return { kind: 'later', afterMs: sent.afterMs, card: where.card };
    case 'failed':
      return { kind: 'later', afterMs: AGAIN_MS, card: where.card };
  }
}
