import type { InlineKeyboardButton } from 'grammy/types';
import type { BroadcastDraft, BroadcastDrafts } from '../../broadcasts/store.ts';
import { LANGUAGES, type Words } from '../../i18n/texts.ts';
import { lines, paragraphs } from '../../i18n/view.ts';
import { FOR, MAKING, type MakingState } from '../broadcast-making.ts';
import type { BotContext } from '../context.ts';
import type { Step } from '../dialogue.ts';
import { answer, question } from './question.ts';

const NEXT = 'next';
const PUT = 'put-';
const DROP = 'drop-';

/** Creates the question below the preview: which languages have a message of their own. */
export function broadcastContentsStep({ drafts }: { drafts: BroadcastDrafts }): Step<MakingState> {
  const draftOf = async ({ from }: BotContext, { draft }: MakingState) =>
    draft ?? (from && (await drafts.of(from.id)));

  async function choices(ctx: BotContext, state: MakingState): Promise<InlineKeyboardButton[][]> {
    const { words } = ctx;
    const { contents = {} } = (await draftOf(ctx, state)) ?? {};
    const ofLanguages = LANGUAGES.map((language) =>
      contents[language]
        ? [
            answer(words.plain('button-making-replace', { language }), `${PUT}${language}`),
            answer(words.plain('button-making-drop', { language }), `${DROP}${language}`),
          ]
        : [answer(words.plain('button-making-add', { language }), `${PUT}${language}`)],
    );
    return [
      [answer(words.plain('button-making-next'), NEXT)],
      ...ofLanguages,
      [answer(words.plain('button-making-replace', { language: 'default' }), `${PUT}default`)],
    ];
  }

  return {
    back: MAKING.buttons,
    choices,
    async ask(ctx, state) {
      const html = paragraphs(ctx.words.html('making-contents'), saidIn(ctx.words, state.draft));
      return question(ctx.words, html, await choices(ctx, state));
    },
    async take(ctx, state, given) {
      const { words, from } = ctx;
      if (given.kind === 'words' || from === undefined) {
        return { ...state, problem: words.html('problem-choice') };
      }
      if (given.value === NEXT) return { ...state, step: MAKING.audience };
      const put = FOR.find((one) => given.value === `${PUT}${one}`);
      if (put) return { ...state, language: put, step: MAKING.message };
      const dropped = LANGUAGES.find((one) => given.value === `${DROP}${one}`);
      if (dropped) {
        ctx.tx.signal.throwIfAborted();
        await drafts.change(from.id, ({ contents }) => ({ contents: { ...contents, [dropped]: undefined } }));
      }
      return state;
    },
  };
}

/** Returns which languages have a message of their own. */
function saidIn(words: Words, draft: BroadcastDraft | undefined): string {
  return lines(
    ...LANGUAGES.map((language) =>
      words.html('making-language', { language, own: draft?.contents[language] ? 'yes' : 'no' }),
    ),
  );
}
