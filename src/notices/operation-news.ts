import type { Show, Shown } from '../operations/notifier.ts';
import type { Operation } from '../operations/operation.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import { operationCard } from '../texts/cards/operation.ts';
import type { Texts } from '../texts/texts.ts';
import { paragraphs, type View } from '../texts/view.ts';

const AGAIN_MS = 5_000;

export interface NewsDeps {
  sender: Sender;
  texts: Texts;
  reported: (account: number) => Promise<boolean>;
  supportUrl: string | undefined;
}

/**
 * Shows its user how an operation stands: the card is edited. Where they had been told that the outcome isn't
 * known, it also gets a message of its own, since nobody watches an old card.
 */
export function createOperationNews({ sender, texts, reported, supportUrl }: NewsDeps): Show {
  async function placeCard(operation: Operation, view: View): Promise<Sent> {
    if (operation.card !== undefined) {
      const edited = await sender.edit(operation.user, operation.card, view);
      if (edited.kind !== 'gone') return edited;
    }
    return sender.send(operation.user, view);
  }

  return async (operation) => {
    const words = texts.in(operation.language);
    const around = { reported: await reported(operation.account), supportUrl };
    const view = operationCard(words, operation, around);
    const placed = await placeCard(operation, view);
    const card = placed.kind === 'sent' ? placed.messageId : operation.card;
    if (!operation.late || operation.state === 'unknown' || !isPlaced(placed)) return shown(placed, card);
    const late = words.html('energy-late', { id: operation.id });
    return shown(
      await sender.send(operation.user, { html: paragraphs(late, view.html), keyboard: [] }),
      card,
    );
  };
}

function isPlaced({ kind }: Sent): boolean {
  return kind === 'sent' || kind === 'unchanged';
}

function shown(sent: Sent, card: number | undefined): Shown {
  switch (sent.kind) {
    case 'sent':
    case 'unchanged':
      return { kind: 'shown', card };
    case 'blocked':
    case 'gone':
      return { kind: 'impossible' };
    case 'later':
      return { kind: 'later', afterMs: sent.afterMs };
    case 'failed':
      return { kind: 'later', afterMs: AGAIN_MS };
  }
}
