import { GrammyError } from 'grammy';
import type { Content } from '../../broadcast/broadcast.ts';
import type { BroadcastDraft, BroadcastDrafts } from '../../broadcast/drafts.ts';
import { printable } from '../../rental/printable.ts';
import { optOutRow } from '../../texts/opt-out.ts';
import { LANGUAGES, type Texts, type Words } from '../../texts/texts.ts';
import { LABEL_LENGTH, MOST_BUTTONS, readButtons } from '../broadcast-buttons.ts';
import { hashOf, MAKING, type MakingState } from '../broadcast-making.ts';
import type { BotContext } from '../context.ts';
import type { Step } from '../dialogue.ts';
import { answer, question } from './question.ts';

const NONE = 'none';
const LINE_SHOWN = 100;
const LIMITS = { most: String(MOST_BUTTONS), length: String(LABEL_LENGTH) };

/**
 * Asks for the buttons below the message, and makes the bot's own copy of both: that is the preview, and what everybody
 * gets a copy of.
 */
export function broadcastButtonsStep(deps: { drafts: BroadcastDrafts; texts: Texts }): Step<MakingState> {
  const { drafts, texts } = deps;
  const choices = ({ words }: BotContext) => [[answer(words.plain('button-making-none'), NONE)]];

  /** Telegram's reason, where it refuses. */
  async function copied(
    ctx: BotContext,
    { message, hash, language }: NonNullable<BroadcastDraft['source']>,
    buttons: Content['buttons'],
  ): Promise<Content | string> {
    const chat = ctx.from?.id ?? 0;
    const reader = LANGUAGES.find((one) => one === language) ?? ctx.words.language;
    const rows = [...buttons.map((one) => [one]), optOutRow(texts.in(reader))];
    ctx.tx.signal.throwIfAborted();
    try {
      const copy = await ctx.api.copyMessage(chat, chat, message, {
        reply_markup: { inline_keyboard: rows },
      });
      return { chat, message: copy.message_id, buttons, hash: hashOf([hash, buttons]) };
    } catch (error) {
      if (error instanceof GrammyError && error.error_code === 400) return error.description;
      throw error;
    }
  }

  return {
    back: MAKING.message,
    choices,
    ask: (ctx) => question(ctx.words, ctx.words.html('making-buttons', LIMITS), choices(ctx)),
    async take(ctx, state, given) {
      const { words, from } = ctx;
      const read = given.kind === 'choice' ? { buttons: [] } : readButtons(given.words);
      if ('problem' in read) return { ...state, problem: problemOf(words, read.problem) };
      const draft = from && (await drafts.of(from.id));
      if (draft?.source === undefined) return { ...state, step: MAKING.gone };
      const content = await copied(ctx, draft.source, read.buttons);
      if (typeof content === 'string') {
        return { ...state, problem: words.html('making-refused', { reason: printable(content, 200) }) };
      }
      const { language } = draft.source;
      ctx.tx.signal.throwIfAborted();
      await drafts.change(draft.admin, ({ contents }) => ({
        contents: { ...contents, [language]: content },
      }));
      return { ...state, step: MAKING.contents };
    },
  };
}

function problemOf(words: Words, problem: { why: string; line?: string }): string {
  const line = printable(problem.line ?? '', LINE_SHOWN);
  return words.html('problem-making-buttons', { why: problem.why, line, ...LIMITS });
}
