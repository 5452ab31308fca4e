import type { InlineKeyboardButton } from 'grammy/types';
import type { BotContext } from '../bot/context.ts';
import { defineFeature } from '../bot/feature.ts';
import { send, showText, showToast } from '../bot/reply.ts';
import type { TextKey } from '../i18n/keys.ts';
import {
  callbackData,
  filterButton,
  formatAmount,
  formatMoment,
  inRows,
  lines,
  numberButtons,
  pageButtons,
  paragraphs,
  shortenAddress,
  type View,
  type Words,
} from '../i18n/texts.ts';
import { headline, inShort } from '../operations/card.ts';
import { kindText } from '../operations/kinds/kind.ts';
import { isUnresolved, type Operation } from '../operations/operation.ts';

const NAME = 'history';
const PAGE_SIZE = 5;
const ARGUMENT_SEPARATOR = '_';

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
      `${shortenAddress(kind.target(operation.request))}${price === undefined ? '' : ` · ${formatAmount(price, words.language)} TRX`}`,
    );
  }

  function filterRows(words: Words, current: string): InlineKeyboardButton[][] {
    const filter = (name: string, key: TextKey) =>
      filterButton(words.plain(key), callbackData(NAME, 'kind', name), name === current);
    const ofKinds = kinds.all.map((kind) => filter(kind.name, kindText(kind, 'filter')));
    return inRows([filter('all', 'history-all'), ...ofKinds]);
  }

  async function page(ctx: BotContext, filter: string, after?: string): Promise<void> {
    const { words, from } = ctx;
    if (from === undefined) return;
    const kind = filter === 'all' ? undefined : filter;
    const {
      operations: found,
      unreadable,
      older,
    } = await history.page(from.id, { size: PAGE_SIZE, after, kind });
    const receipts = numberButtons(found.map(({ id }) => callbackData(NAME, 'receipt', id)));
    const pages = pageButtons(words, {
      newest: after === undefined ? undefined : callbackData(NAME, 'kind', filter),
      older: older && callbackData(NAME, 'older', `${filter}${ARGUMENT_SEPARATOR}${older}`),
    });
    const html = paragraphs(
      words.html('history-title'),
      ...found.map((operation, at) => entry(words, operation, at)),
      unreadable > 0 && words.html('history-unreadable', { count: unreadable }),
      words.html(found.length > 0 ? 'history-open' : emptyKey(kind, older)),
    );
    const isBare = found.length === 0 && kind === undefined;
    await showText(ctx, html, receipts, pages, ...(isBare ? [] : filterRows(words, filter)));
  }

  /** Returns an operation's receipt. While it can change, returns a short reply to its message. */
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
        const [kind = '', after] = argument.split(ARGUMENT_SEPARATOR);
        return page(ctx, kind, after);
      },
      async receipt(ctx, id) {
        const operation = ctx.from && (await drafts.find({ user: ctx.from.id, id }));
        if (operation?.claimedAt === undefined) showToast(ctx, 'toast-no-operation');
        else await send(ctx, await receiptOf(ctx, operation), operation.card);
      },
    },
  };
});

function emptyKey(kind: string | undefined, older: string | undefined): TextKey {
  if (older !== undefined) return 'history-further';
  return kind === undefined ? 'history-empty' : 'history-none-of-kind';
}
