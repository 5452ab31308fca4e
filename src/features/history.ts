import type { InlineKeyboardButton } from 'grammy/types';
import type { BotContext } from '../bot/context.ts';
import { defineFeature } from '../bot/feature.ts';
import { send, show } from '../bot/reply.ts';
import { formatMoment, shortenAddress } from '../i18n/formats.ts';
import type { TextKey } from '../i18n/keys.ts';
import type { Words } from '../i18n/texts.ts';
import { button, callbackData, inRows, lines, paragraphs, type View, withMenuButton } from '../i18n/view.ts';
import { headline, inShort } from '../operations/card.ts';
import { kindText } from '../operations/kinds/kind.ts';
import { isUnresolved, type Operation } from '../operations/operation.ts';

const NAME = 'history';
const SIZE = 5;
/** Separator between the kind and the operation after which a page begins. */
const BEHIND = '_';

/** Creates the feature that lists a user's operations with their outcome. Each one opens as its receipt. */
export const historyFeature = defineFeature(({ operations, card }) => {
  const { history, drafts, kinds } = operations;

  function entry(words: Words, operation: Operation, at: number): string {
    const kind = kinds.of(operation.request);
    const { claimedAt = operation.createdAt } = operation;
    const price =
      operation.state === 'done' && operation.result?.status !== 'failed'
        ? operation.result?.price
        : undefined;
    return lines(
      `${at + 1}. ${headline(words, kind, operation)} · ${formatMoment(claimedAt, words.language)}`,
      kind.title(words, operation.request),
      `${shortenAddress(kind.target(operation.request))}${price === undefined ? '' : ` · ${price} TRX`}`,
    );
  }

  /** Returns the filter buttons: all kinds, or one. The current one is marked. */
  function filters(words: Words, present: string): InlineKeyboardButton[][] {
    const all = { name: 'all', label: words.plain('history-all') };
    const each = kinds.all.map((kind) => ({ name: kind.name, label: words.plain(kindText(kind, 'filter')) }));
    const buttons = [all, ...each].map(({ name, label }) => ({
      text: name === present ? `• ${label}` : label,
      callback_data: callbackData(NAME, 'kind', name),
    }));
    return inRows(buttons);
  }

  async function page(ctx: BotContext, filter: string, after?: string): Promise<void> {
    const { words, from } = ctx;
    if (from === undefined) return;
    const kind = filter === 'all' ? undefined : filter;
    const { operations: found, unreadable, older } = await history.page(from.id, { size: SIZE, after, kind });
    const opening = found.map(({ id }, at) => ({
      text: String(at + 1),
      callback_data: callbackData(NAME, 'receipt', id),
    }));
    const turning = [
      ...(after === undefined ? [] : [button(words, 'button-newest', callbackData(NAME, 'kind', filter))]),
      ...(older === undefined
        ? []
        : [button(words, 'button-older', callbackData(NAME, 'older', `${filter}${BEHIND}${older}`))]),
    ];
    const html = paragraphs(
      words.html('history-title'),
      ...found.map((operation, at) => entry(words, operation, at)),
      unreadable > 0 && words.html('history-unreadable', { count: unreadable }),
      words.html(found.length > 0 ? 'history-open' : emptyKey(kind, older)),
    );
    const rows = [opening, turning].filter((row) => row.length > 0);
    const isBare = found.length === 0 && kind === undefined;
    await show(ctx, withMenuButton(words, html, ...rows, ...(isBare ? [] : filters(words, filter))));
  }

  /**
   * Returns the receipt of an operation. If the operation can still change, only its own message shows the details, and
   * this is a short reply to that message.
   */
  async function receiptOf({ words }: BotContext, operation: Operation): Promise<View> {
    const { reported, result } = operation;
    const isOpen = isUnresolved(operation) || (reported === true && result?.status === 'pending');
    return isOpen ? { html: inShort(words, operation, kinds), keyboard: [] } : card(words, operation);
  }

  return {
    name: NAME,
    menu: { button: 'button-history', place: 'main', for: 'linked' },
    command: { name: 'history', text: 'command-history' },
    open: (ctx) => page(ctx, 'all'),
    buttons: {
      kind: (ctx, kind) => page(ctx, kind),
      older(ctx, argument) {
        const [kind = '', after] = argument.split(BEHIND);
        return page(ctx, kind, after);
      },
      async receipt(ctx, id) {
        const operation = ctx.from && (await drafts.find({ user: ctx.from.id, id }));
        // An operation that was never confirmed has no receipt.
        if (operation?.claimedAt === undefined) ctx.toast = ctx.words.plain('toast-no-operation');
        else await send(ctx, await receiptOf(ctx, operation), operation.card);
      },
    },
  };
});

function emptyKey(kind: string | undefined, older: string | undefined): TextKey {
  if (older !== undefined) return 'history-further';
  return kind === undefined ? 'history-empty' : 'history-none-of-kind';
}
