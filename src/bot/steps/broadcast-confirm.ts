import type { InlineKeyboardButton } from 'grammy/types';
import type { Broadcasts } from '../../broadcasts/broadcasts.ts';
import type { BroadcastDraft } from '../../broadcasts/store.ts';
import { readAnswer } from '../../i18n/callback-data.ts';
import { counted } from '../../i18n/formats.ts';
import type { Words } from '../../i18n/texts.ts';
import { lines, paragraphs } from '../../i18n/view.ts';
import { orTimeout } from '../../platform/retry.ts';
import { audienceName, sendingLines } from '../broadcast-lines.ts';
import { broadcastIdOf, hashOfDraft, MAKING, type MakingState } from '../broadcast-making.ts';
import type { BotContext } from '../context.ts';
import type { Step } from '../dialogue.ts';
import { answer, question } from './question.ts';
import { readWhole } from './whole-number.ts';

/** Maximum time to count the audience, in milliseconds. It leaves enough of a handler's time for the rest. */
const COUNT_WITHIN_MS = 5_000;
const SHOWN_MS = 10 * 60_000;
/** Maximum number of recipients that a tap can confirm. For more, the admin types the number. */
const BY_TAP = 100;

const SEND = 'send';
const AGAIN = 'again';
const ELSEWHERE = 'elsewhere';

type Shown = NonNullable<MakingState['shown']>;

/**
 * Returns what a card shows about a draft now. The count can be late or fail, which is different from zero recipients.
 */
export async function countedNow(
  { broadcasts, now }: { broadcasts: Pick<Broadcasts, 'count'>; now: () => number },
  draft: BroadcastDraft,
): Promise<Shown> {
  const { audience = { who: 'me' }, admin } = draft;
  const counting = broadcasts.count(audience, admin).catch(() => 'failed' as const);
  const count = await orTimeout(counting, COUNT_WITHIN_MS, () => 'late' as const);
  return { hash: hashOfDraft(draft), at: now(), count };
}

/** Returns whether the draft's time has passed. */
export const isOver = ({ at }: BroadcastDraft, now: number) => at !== undefined && at <= now;

/**
 * Creates the card of a broadcast. The broadcast starts exactly as the card shows, within ten minutes. Otherwise the
 * card is shown again.
 */
export function broadcastConfirmStep(deps: {
  broadcasts: Pick<Broadcasts, 'drafts' | 'durationMs' | 'find'>;
  launch(ctx: BotContext, draft: BroadcastDraft, count: number): Promise<'started' | 'scheduled' | 'busy'>;
  now: () => number;
}): Step<MakingState> {
  const { broadcasts, launch, now } = deps;

  function choices({ words }: BotContext, { shown }: MakingState): InlineKeyboardButton[][] {
    const { count } = shown ?? {};
    if (count === undefined) return [];
    if (count === 'late') return [[answer(words.plain('button-check-again'), AGAIN)]];
    if (count === 'failed') return [[answer(words.plain('button-try-again'), AGAIN)]];
    if (count === 0) return [[answer(words.plain('button-making-elsewhere'), ELSEWHERE)]];
    const label = words.plain('button-making-send', { count: counted(count, words.language) });
    return count > BY_TAP ? [] : [[answer(label, SEND)]];
  }

  function html(words: Words, state: MakingState): string {
    const { count = 'late' } = state.shown ?? {};
    if (typeof count === 'number' && count > 0) {
      return paragraphs(
        sendingLines(words, state, { count, ms: broadcasts.durationMs(count) }),
        howToSend(words, count),
      );
    }
    const { audience } = state.draft ?? {};
    return lines(
      audience && words.html('making-to', { audience: audienceName(words, audience) }),
      words.html('making-uncounted', { why: count === 0 ? 'nobody' : count }),
    );
  }

  async function begin(ctx: BotContext, state: MakingState, shown: Shown, count: number) {
    const draft = ctx.from && (await broadcasts.drafts.of(ctx.from.id));
    if (draft === undefined) return { ...state, step: MAKING.gone };
    if (hashOfDraft(draft) !== shown.hash) return { ...state, shown: undefined, anew: 'changed' as const };
    // A broadcast that has already started is shown, however much time has passed: its update is handled again.
    const isBegun = (await broadcasts.find(broadcastIdOf(draft))) !== undefined;
    if (!isBegun && (now() - shown.at > SHOWN_MS || isOver(draft, now()))) {
      return { ...state, shown: undefined, anew: 'late' as const };
    }
    const outcome = await launch(ctx, draft, count);
    if (outcome === 'busy') return { ...state, problem: ctx.words.html('making-busy') };
    return { ...state, step: MAKING.begun };
  }

  return {
    back: MAKING.time,
    choices,
    ask(ctx, state) {
      const { words } = ctx;
      // The text of the message may not have changed, so a toast says so.
      if (readAnswer(ctx.callbackQuery?.data) === AGAIN && typeof state.shown?.count === 'string')
        ctx.toast = words.plain('toast-making-uncounted', { why: state.shown.count });
      return question(words, html(words, state), choices(ctx, state));
    },
    async take(ctx, state, given) {
      const { shown } = state;
      const count = typeof shown?.count === 'number' ? shown.count : 0;
      if (given.kind === 'choice' && given.value === ELSEWHERE) return { ...state, step: MAKING.audience };
      if (given.kind === 'choice' && given.value === AGAIN) return { ...state, shown: undefined };
      const isTapped = given.kind === 'choice' && given.tapped === true;
      const isWritten = count > BY_TAP && given.kind === 'words' && readWhole(given.words) === count;
      if (shown && count > 0 && (isTapped || isWritten)) return begin(ctx, state, shown, count);
      const problem = count > BY_TAP ? howToSend(ctx.words, count) : ctx.words.html('problem-choice');
      return { ...state, problem };
    },
  };
}

function howToSend(words: Words, count: number): string {
  return words.html('making-send', {
    by: count > BY_TAP ? 'number' : 'tap',
    count: counted(count, words.language),
  });
}
