import type { InlineKeyboardButton } from 'grammy/types';
import { headline } from '../../operations/card-lines.ts';
import { kindText } from '../../operations/kinds/kind.ts';
import type { Operation } from '../../operations/operation.ts';
import { callbackData } from '../../texts/callback-data.ts';
import { moment } from '../../texts/formats.ts';
import type { Words } from '../../texts/texts.ts';
import { button, inRows, lines, notice, paragraphs } from '../../texts/view.ts';
import type { BotContext } from '../context.ts';
import { send, show } from '../reply.ts';
import type { CreateFeature } from './feature.ts';

const NAME = 'history';
const SIZE = 5;
/** Between the kind and the operation that a page begins behind. */
const BEHIND = '_';

/** What a person has bought and done through the bot, whatever became of it: each opens as its receipt. */
export const createHistory: CreateFeature = ({ operations, card }) => {
  const { history, drafts, kinds } = operations;

  function entry(words: Words, operation: Operation, at: number): string {
    const kind = kinds.of(operation.request);
    const { claimedAt = operation.createdAt } = operation;
    return lines(
      `${at + 1}. ${headline(words, kind, operation)} · ${moment(claimedAt, words.language)}`,
      kind.title(words, operation.request),
    );
  }

  /** All kinds, or one: the present one is marked. */
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
    const { operations: found, older } = await history.page(from.id, { size: SIZE, after, kind });
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
      words.html(found.length > 0 ? 'history-open' : 'history-empty'),
    );
    const rows = [opening, turning].filter((row) => row.length > 0);
    await show(ctx, notice(words, html, ...rows, ...filters(words, filter)));
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
        if (operation === undefined) ctx.toast = ctx.words.plain('toast-no-operation');
        else await send(ctx, await card(ctx.words, operation), operation.card);
      },
    },
  };
};
