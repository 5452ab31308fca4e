import type { Audience } from '../../broadcasts/broadcast.ts';
import type { BroadcastDraft, BroadcastDrafts } from '../../broadcasts/store.ts';
import { counted } from '../../i18n/formats.ts';
import { LANGUAGES, type Words } from '../../i18n/texts.ts';
import { inRows } from '../../i18n/view.ts';
import { audienceName } from '../broadcast-lines.ts';
import { hashOf, MAKING, type MakingState } from '../broadcast-making.ts';
import type { BotContext } from '../context.ts';
import type { Step } from '../dialogue.ts';
import { answer, question } from './question.ts';
import { readWhole } from './whole-number.ts';

const KINDS = ['everybody', 'holders', 'guests', 'merchants'] as const;
const TEST = 'me';
const SPANS = [7, 30, 90];
const MOST_DAYS = 3_650;

/** Creates the question for the audience. A test to the admin is sent at once, and the question is repeated. */
export function broadcastAudienceStep(deps: {
  drafts: BroadcastDrafts;
  launch(ctx: BotContext, draft: BroadcastDraft, count: number): Promise<'started' | 'scheduled' | 'busy'>;
}): Step<MakingState> {
  const { drafts, launch } = deps;

  function choices({ words }: BotContext) {
    const of = (audience: Audience, value: string) => answer(audienceName(words, audience), value);
    return [
      [of({ who: 'everybody' }, 'everybody')],
      LANGUAGES.map((language) => of({ who: 'language', language }, language)),
      ...inRows(
        KINDS.slice(1).map((who) => of({ who }, who)),
        3,
      ),
      SPANS.map((days) => answer(words.plain('button-making-days', { days }), days)),
      [of({ who: 'me' }, TEST)],
    ];
  }

  /**
   * Sends a test as a broadcast of its own. The draft remains open. If the update is handled again, no second test is
   * made.
   */
  async function test(ctx: BotContext, draft: BroadcastDraft, state: MakingState): Promise<MakingState> {
    const id = hashOf([draft.id, ctx.update.update_id]).slice(0, 32);
    const alone: BroadcastDraft = { ...draft, id, audience: { who: TEST }, at: undefined };
    const begun = await launch(ctx, alone, 1);
    return begun === 'busy'
      ? { ...state, problem: ctx.words.html('making-busy') }
      : { ...state, step: MAKING.tested };
  }

  return {
    back: MAKING.contents,
    choices,
    ask: (ctx) => question(ctx.words, ctx.words.html('making-whom'), choices(ctx)),
    async take(ctx, state, given) {
      const audience = audienceIn(given.kind === 'choice' ? given.value : given.words);
      const draft = ctx.from && (await drafts.of(ctx.from.id));
      if (draft === undefined) return { ...state, step: MAKING.gone };
      if (audience === undefined) return { ...state, problem: problemOf(ctx.words) };
      if (audience.who === TEST) return test(ctx, draft, state);
      ctx.tx.signal.throwIfAborted();
      await drafts.change(draft.admin, () => ({ audience }));
      return { ...state, step: MAKING.time };
    },
  };
}

function audienceIn(said: string): Audience | undefined {
  const who = [...KINDS, TEST].find((one) => one === said);
  if (who !== undefined) return { who } as Audience;
  const language = LANGUAGES.find((one) => one === said);
  if (language !== undefined) return { who: 'language', language };
  const days = readWhole(said) ?? 0;
  return days >= 1 && days <= MOST_DAYS ? { who: 'active', days } : undefined;
}

const problemOf = (words: Words) =>
  words.html('problem-making-whom', { max: counted(MOST_DAYS, words.language) });
