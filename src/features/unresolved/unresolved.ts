import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import type { BotContext } from '../../bot/context.ts';
import {
  type DialogueState,
  dialogue,
  dialogueStateSchema,
  FLOW_ENDS,
  showFlowEnded,
} from '../../bot/dialogue.ts';
import { adminsOnly, type ButtonHandler, changes, defineFeature } from '../../bot/feature.ts';
import { show, showToast } from '../../bot/reply.ts';
import { paragraphs, type Words } from '../../i18n/texts.ts';
import { leftWithoutOthers, priceSeen } from '../../operations/evidence.ts';
import {
  type ConfirmedOperation,
  decisionOf,
  isConfirmed,
  isUncertain,
  type Operation,
  type OperationRef,
} from '../../operations/operation.ts';
import type { Proposal } from '../../operations/settle.ts';
import { orTimeout } from '../../platform/async.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button } from '../../views/view.ts';
import {
  adminOperationView,
  balanceLines,
  buttonArgumentOf,
  operationTitle,
  operatorNumber,
  outcomeButton,
  refOfButtonArgument,
  UNRESOLVED,
} from '../views/admin-operation.ts';
import { unresolvedList } from './unresolved-views.ts';

const REASON = 'reason';
const CARD = 'card';
const MIN_REASON_LENGTH = 3;
const MAX_REASON_LENGTH = 200;
/** Maximum wait for the service, in milliseconds. A later result is visible after a refresh. */
const QUERY_TIMEOUT_MS = 5_000;

const stateSchema = dialogueStateSchema.extend({ ref: z.string(), outcome: z.enum(['done', 'not-done']) });
type State = DialogueState & z.infer<typeof stateSchema> & { reason?: string };

/** Shows operations with an unknown outcome, queries the service again, and offers manual resolution. */
export const unresolvedFeature = defineFeature((deps) => {
  const { operations, links, users, adminLog, now } = deps;
  const { drafts, kinds, proposals } = operations;

  const page = async (ctx: BotContext, number: number) =>
    show(ctx, await unresolvedList(deps, ctx.words, number));

  async function findConfirmed(ref: OperationRef): Promise<ConfirmedOperation | undefined> {
    const operation = await drafts.find(ref);
    return operation && isConfirmed(operation) ? operation : undefined;
  }

  const withOperation =
    (use: (ctx: BotContext, operation: ConfirmedOperation) => Promise<unknown>): ButtonHandler =>
    async (ctx, argument) => {
      const operation = await findConfirmed(refOfButtonArgument(argument));
      if (operation === undefined) showToast(ctx, 'toast-no-operation');
      else await use(ctx, operation);
    };

  async function showNow(ctx: BotContext, operation: ConfirmedOperation): Promise<void> {
    const present = (await findConfirmed(operation)) ?? operation;
    await show(ctx, await adminOperationView(deps, ctx, present));
  }

  /** Shows the operation again after *Cancel*. Nothing is decided. */
  async function leave(ctx: BotContext, operation: ConfirmedOperation): Promise<void> {
    const how = isUncertain(operation) ? 'cancelled' : 'late';
    ctx.headerHtml = ctx.words.html('unresolved-ended', { how });
    await showNow(ctx, operation);
  }

  async function ask(ctx: BotContext, operation: ConfirmedOperation): Promise<void> {
    if (isUncertain(operation) && (await links.keyToFollow(operation)) === undefined) {
      showToast(ctx, 'toast-unresolved-asked', { turn: 'no-key' });
      return showNow(ctx, operation);
    }
    ctx.tx.signal.throwIfAborted();
    const { from, update } = ctx;
    // Logged before: when the update is handled again, the service may have been queried just now.
    const logQuery = async () =>
      adminLog.add(from.id, 'operation-asked', operation.id, { update: update.update_id });
    const turn = await orTimeout(operations.searchNow(operation, logQuery), QUERY_TIMEOUT_MS);
    showToast(ctx, 'toast-unresolved-asked', { turn: turn ?? 'going' });
    await showNow(ctx, operation);
  }

  const askReason = (outcome: Proposal['outcome']) =>
    withOperation(async (ctx, operation) => {
      if (isUncertain(operation)) {
        const start: State = { step: REASON, ref: buttonArgumentOf(operation), outcome };
        ctx.flowToEnter = { feature: UNRESOLVED, start };
        return;
      }
      showToast(ctx, 'toast-unresolved-late');
      await showNow(ctx, operation);
    });

  /** Nothing is decided before the card's button is tapped. */
  async function placeCard(ctx: BotContext, { outcome, reason = '' }: State, operation: Operation) {
    const { words, from } = ctx;
    ctx.tx.signal.throwIfAborted();
    const { user, id } = operation;
    const name = await proposals.storeProposal(from.id, { user, id, outcome, reason });
    const html = paragraphs(
      words.html('unresolved-check', { outcome: words.plain(outcomeButton(outcome)) }),
      operationTitle(words, { kinds, operators: await operatorNumber(deps), now: now() }, operation),
      words.html('unresolved-reason', { reason }),
      contraryEvidence(words, operation, outcome) ??
        (isUncertain(operation) && balanceLines(words, operation)),
      words.html('unresolved-consequence', { outcome }),
      words.html('unresolved-truth'),
    );
    const again = callbackData(
      UNRESOLVED,
      outcome === 'done' ? 'went' : 'failed',
      buttonArgumentOf(operation),
    );
    const leaving = callbackData(UNRESOLVED, 'leave', buttonArgumentOf(operation));
    const keyboard = [
      [button(words, outcomeButton(outcome), callbackData(UNRESOLVED, 'decide', name), 'danger')],
      [button(words, 'button-back', again), button(words, 'button-cancel', leaving)],
    ];
    await show(ctx, { html, keyboard });
  }

  async function decide(ctx: BotContext, name: string): Promise<void> {
    const { words, from } = ctx;
    const proposal = await proposals.find(from.id, name);
    if (proposal === undefined) return showToast(ctx, 'toast-expired');
    ctx.tx.signal.throwIfAborted();
    const { user, id, outcome, reason } = proposal;
    const decided = await operations.resolveManually({ user, id }, { outcome, reason, admin: from.id });
    if (decided.kind === 'none') return showToast(ctx, 'toast-no-operation');
    const { operation } = decided;
    // An update that is handled again gives the same entry, with the same time.
    if (decided.kind === 'decided')
      await adminLog.add(from.id, `operation-${outcome}`, `${id}: ${reason}`, {
        id: buttonArgumentOf(operation),
        at: decisionOf(operation)?.at ?? now(),
      });
    ctx.headerHtml = words.html('unresolved-ended', {
      how: decided.kind === 'in-progress' ? 'going' : decided.kind,
    });
    await show(ctx, await adminOperationView(deps, ctx, operation));
  }

  async function finish(ctx: BotContext, state: State): Promise<void> {
    const operation = await findConfirmed(refOfButtonArgument(state.ref));
    if (state.step === FLOW_ENDS.tooMany || operation === undefined) return showFlowEnded(ctx, state.step);
    if (state.step === FLOW_ENDS.cancel) return leave(ctx, operation);
    if (state.step === CARD && isUncertain(operation)) return placeCard(ctx, state, operation);
    if (state.step === CARD) ctx.headerHtml = ctx.words.html('unresolved-ended', { how: 'late' });
    await showNow(ctx, operation);
  }

  return adminsOnly(deps, {
    name: UNRESOLVED,
    button: 'button-unresolved',
    command: { name: UNRESOLVED, text: 'command-unresolved' },
    open: (ctx) => page(ctx, 0),
    buttons: {
      page: (ctx, number) => page(ctx, Math.trunc(Math.abs(Number(number))) || 0),
      one: withOperation(showNow),
      ask: changes(withOperation(ask)),
      went: askReason('done'),
      failed: askReason('not-done'),
      leave: withOperation(leave),
      decide: changes(decide),
    },
    flow: {
      version: 1,
      ...dialogue<State>({
        stateSchema: stateSchema,
        steps: {
          [REASON]: {
            asksForAny: 'text',
            async ask({ words }, { outcome, ref }) {
              const { user, id } = refOfButtonArgument(ref);
              const { language } = (await users.find(user)) ?? {};
              return words.html('unresolved-why', {
                outcome: words.plain(outcomeButton(outcome)),
                id,
                language: language ? words.plain('making-language', { language }) : 'unknown',
              });
            },
            onText({ words }, state, text) {
              const reason = toPrintable(text, MAX_REASON_LENGTH + 1);
              const { length } = [...reason];
              const isOneLine = !/[\r\n\u2028\u2029]/u.test(text);
              if (isOneLine && length >= MIN_REASON_LENGTH && length <= MAX_REASON_LENGTH)
                return { ...state, reason, step: CARD };
              const limits = { min: MIN_REASON_LENGTH, max: MAX_REASON_LENGTH };
              return { ...state, problem: words.html('problem-reason', limits) };
            },
          },
        },
        finish,
      }),
    },
  });
});

/** Returns what the balance says against a decision, if it does. */
function contraryEvidence(
  words: Words,
  operation: Operation,
  outcome: Proposal['outcome'],
): string | undefined {
  if (!isUncertain(operation)) return undefined;
  const { balanceBefore: before } = operation.attempt;
  const { balance: found, seen } = operation.search ?? {};
  const after = leftWithoutOthers(seen);
  if (before === undefined || after === undefined) return undefined;
  const { deposited = 'none', charged = 'none' } = seen ?? {};
  const hasFallen = operation.state === 'likely' || priceSeen(operation, after) !== undefined;
  const balance = new BigNumber(before).eq(after) ? 'unchanged' : hasFallen ? 'fell' : 'moved';
  const contrary = outcome === 'done' ? 'unchanged' : 'fell';
  if (balance !== contrary) return undefined;
  const others = found === 'mixed' ? 'yes' : 'no';
  return words.html('unresolved-contrary', { balance, before, after, deposited, charged, others });
}
