import type { Broadcasts } from '../broadcasts/broadcasts.ts';
import type { Texts } from '../i18n/texts.ts';
import { notice } from '../i18n/view.ts';
import type { createBroadcastLaunch } from './broadcast-launch.ts';
import { lacks, MAKING, type MakingState, makingSchema } from './broadcast-making.ts';
import type { BotContext, Flow } from './context.ts';
import { dialogue, ENDS, type Step } from './dialogue.ts';
import { showEnded } from './flow-ended.ts';
import { show } from './reply.ts';
import { broadcastAudienceStep } from './steps/broadcast-audience.ts';
import { broadcastButtonsStep } from './steps/broadcast-buttons.ts';
import { broadcastConfirmStep, countedNow, isOver } from './steps/broadcast-confirm.ts';
import { broadcastContentsStep } from './steps/broadcast-contents.ts';
import { broadcastMessageStep } from './steps/broadcast-message.ts';
import { broadcastTimeStep } from './steps/broadcast-time.ts';

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
