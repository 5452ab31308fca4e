import type { AdminLog } from '../accounts/admin-log.ts';
import type { Broadcasts } from '../broadcasts/broadcasts.ts';
import type { BroadcastDraft } from '../broadcasts/store.ts';
import type { Texts } from '../i18n/texts.ts';
import { notice } from '../i18n/view.ts';
import {
  audienceNoted,
  broadcastIdOf,
  lacks,
  MAKING,
  type MakingState,
  makingSchema,
} from './broadcast-views.ts';
import type { BotContext, Flow } from './context.ts';
import { showEnded } from './conversations.ts';
import { dialogue, ENDS, type Step } from './dialogue.ts';
import { send, show } from './reply.ts';
import {
  broadcastAudienceStep,
  broadcastButtonsStep,
  broadcastConfirmStep,
  broadcastContentsStep,
  broadcastMessageStep,
  broadcastTimeStep,
  countedNow,
  isOver,
} from './steps/broadcast.ts';

/**
 * Creates the flow in which an admin makes a broadcast: its message, audience and time, and the card that starts it.
 */
export function createBroadcastFlow(deps: {
  broadcasts: Broadcasts;
  launch: ReturnType<typeof createBroadcastLaunch>;
  texts: Texts;
  now: () => number;
  /** Called after *Back* from the first question. */
  left(ctx: BotContext): Promise<unknown>;
}): Flow {
  const { broadcasts, now } = deps;
  const { drafts } = broadcasts;
  const about = { ...deps, drafts };
  const audience = broadcastAudienceStep(about);
  const steps: Record<string, Step<MakingState>> = {
    [MAKING.message]: broadcastMessageStep(about),
    [MAKING.buttons]: broadcastButtonsStep(about),
    [MAKING.contents]: broadcastContentsStep(about),
    [MAKING.audience]: audience,
    [MAKING.tested]: audience,
    [MAKING.time]: broadcastTimeStep(about),
    [MAKING.confirm]: broadcastConfirmStep(about),
  };

  async function resolve(ctx: BotContext, from: MakingState): Promise<MakingState> {
    if (ctx.from === undefined || !Object.hasOwn(steps, from.step)) return from;
    const draft = await drafts.of(ctx.from.id);
    if (draft === undefined) return { ...from, step: MAKING.gone };
    const state = { ...from, draft, step: lacks(draft, from.step) ?? from.step };
    if (state.step !== MAKING.confirm) return state;
    if (state.shown === undefined && isOver(draft, now())) {
      return { ...state, step: MAKING.time, problem: ctx.words.html('making-time-over') };
    }
    return { ...state, shown: state.shown ?? (await countedNow(deps, draft)) };
  }

  async function finish(ctx: BotContext, { step }: MakingState): Promise<void> {
    if (step === MAKING.begun) return;
    if (step === ENDS.back) return void (await deps.left(ctx));
    if (step === MAKING.gone) await show(ctx, notice(ctx.words, ctx.words.html('making-gone')));
    else await showEnded(ctx, step);
  }

  return dialogue<MakingState>({ kept: makingSchema, steps, resolve, finish });
}

/**
 * Creates the function that starts or schedules a complete draft and sends its status. A draft starts only once, even
 * if its update is handled again.
 */
export function createBroadcastLaunch(deps: { broadcasts: Broadcasts; adminLog: AdminLog }) {
  const { broadcasts, adminLog } = deps;
  return async (
    ctx: BotContext,
    draft: BroadcastDraft,
    count: number,
  ): Promise<'started' | 'scheduled' | 'busy'> => {
    const { admin, audience } = draft;
    const id = broadcastIdOf(draft);
    ctx.tx.signal.throwIfAborted();
    const outcome = await broadcasts.start({ ...draft, id });
    if (outcome === 'busy') return outcome;
    const made = await broadcasts.find(id);
    if (audience && made && audience.who !== 'me') {
      const same = { id, at: made.createdAt };
      await adminLog.note(admin, `broadcast-${outcome}`, `${audienceNoted(audience)}: ${count}`, same);
    }
    const isTest = audience?.who === 'me';
    ctx.lead = ctx.words.html(isTest ? 'making-tested' : `making-${outcome}`);
    const begun = isTest ? undefined : made;
    if (begun) {
      const message = await send(ctx, broadcasts.view(ctx.words, begun));
      ctx.tx.signal.throwIfAborted();
      await broadcasts.shownIn(id, admin, message);
    }
    return outcome;
  };
}
