import type { BroadcastDrafts } from '../../broadcasts/store.ts';
import type { Texts, Words } from '../../i18n/texts.ts';
import { printable } from '../../rental-api/printable.ts';
import { LABEL_LENGTH, MOST_BUTTONS, readButtons } from '../broadcast-buttons.ts';
import { FOR, hashOf, MAKING, type MakingState } from '../broadcast-making.ts';
import type { BotContext } from '../context.ts';
import { copyContent } from '../copy-content.ts';
import type { Step } from '../dialogue.ts';
import { answer, question } from './question.ts';

const NONE = 'none';
const LINE_SHOWN = 100;
const LIMITS = { most: String(MOST_BUTTONS), length: String(LABEL_LENGTH) };

/**
 * Creates the question for the buttons below the message. The bot makes its own copy of both, which is the preview and
 * the source of all other copies.
 */
export function broadcastButtonsStep(deps: { drafts: BroadcastDrafts; texts: Texts }): Step<MakingState> {
  const { drafts, texts } = deps;
  const choices = ({ words }: BotContext) => [[answer(words.plain('button-making-none'), NONE)]];

  return {
    back: MAKING.message,
    choices,
    ask: (ctx) => question(ctx.words, ctx.words.html('making-buttons', LIMITS), choices(ctx)),
    async take(ctx, state, given) {
      const { words, from } = ctx;
      const read = given.kind === 'choice' ? { buttons: [] } : readButtons(given.words);
      if ('problem' in read) return { ...state, problem: problemOf(words, read.problem) };
      const draft = from && (await drafts.of(from.id));
      if (from === undefined || draft?.source === undefined) return { ...state, step: MAKING.gone };
      const { message, hash, language } = draft.source;
      const { buttons } = read;
      const reader = FOR.find((one) => one === language) ?? 'default';
      const copy = await copyContent(ctx, texts, { chat: from.id, message, buttons }, reader);
      if ('refusal' in copy) {
        const reason = printable(copy.refusal, 200);
        return { ...state, problem: words.html('making-refused', { reason }) };
      }
      const content = { chat: from.id, message: copy.message, buttons, hash: hashOf([hash, buttons]) };
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
