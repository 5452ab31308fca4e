import { linkedOf } from '../bot/accounts.ts';
import { OPERATOR as NAME, operatorUnavailableView, operatorView } from '../bot/admin-views.ts';
import { adminsOnly } from '../bot/admins-only.ts';
import type { BotContext } from '../bot/context.ts';
import { showFlowEnded } from '../bot/conversations.ts';
import { type DialogueState, dialogue, dialogueStateSchema, FLOW_ENDS } from '../bot/dialogue.ts';
import { type ButtonHandler, changes, defineFeature } from '../bot/feature.ts';
import { createLinkOperator } from '../bot/link-account.ts';
import { send, show } from '../bot/reply.ts';
import { operatorAlertStep, operatorLimitStep } from '../bot/steps/amounts.ts';
import type { View } from '../i18n/view.ts';
import { orTimeout } from '../platform/retry.ts';

/** Steps of the two questions, and the steps after them. */
const CAP = 'cap';
const ALERT = 'alert';
const SET_CAP = 'set-cap';
const SET_ALERT = 'set-alert';
/** Maximum time that the screen waits for each of its two requests to the service, in milliseconds. */
const WITHIN_MS = 2_000;

/** Lasts for one update only, because the answer is stored at once. */
type State = DialogueState & { trx?: string | undefined };

/**
 * Creates the feature with which admins manage the operator's account: linking it, its spending limit, and the
 * threshold of its balance alert.
 */
export const operatorFeature = defineFeature((deps) => {
  const {
    links,
    webhookSubscriptions,
    rental,
    operations,
    operator,
    operatorKey,
    operatorLimits,
    adminAlerts,
  } = deps;
  const { adminLog, isAdmin, pollers, hookUrl } = deps;
  const { operatorCap } = operations;

  /** Returns the balance in TRX, decimal, or `undefined` if the service doesn't respond in time. */
  async function balanceNow(): Promise<string | undefined> {
    const profile =
      operatorKey === undefined ? undefined : await orTimeout(rental.profile(operatorKey), WITHIN_MS);
    return profile?.kind === 'accepted' ? profile.value.balance_trx : undefined;
  }

  /** Returns the user numbers of the admins who have linked the account as the operator's. */
  async function holdersOf(account: number): Promise<number[]> {
    const holders = (await links.holders(account)).filter(isAdmin);
    const found = await Promise.all(holders.map(links.find));
    return holders.filter((_, at) => found[at]?.operators === true);
  }

  async function view(ctx: BotContext): Promise<View> {
    const { words } = ctx;
    if (operatorKey === undefined) return operatorUnavailableView(words, 'none');
    const account = await orTimeout(operator.account(), WITHIN_MS);
    if (account === undefined) return operatorUnavailableView(words, 'unreachable');
    const [balance, { alertBelow: alert }, cap, taken, isOn, holders, link] = await Promise.all([
      balanceNow(),
      operatorLimits.get(),
      operatorCap.limit(),
      operatorCap.reserved(account),
      webhookSubscriptions.isActive(account),
      holdersOf(account),
      linkedOf(deps, ctx)?.find(),
    ]);
    return operatorView(words, {
      ...{ account, balance, cap, taken, alert, holders },
      reports: isOn ? 'on' : 'off',
      canSwitch: isOn || hookUrl !== undefined,
      isLinked: link?.operators === true,
    });
  }

  const asking =
    (step: string): ButtonHandler =>
    async (ctx) => {
      ctx.flowToEnter = { feature: NAME, start: { step } satisfies State };
    };

  async function setCap(ctx: BotContext, by: number, trx: string): Promise<void> {
    const id = `cap:${by}:${ctx.update.update_id}`;
    ctx.tx.signal.throwIfAborted();
    // Notifies and logs before the change: an update that is handled again adds no other notification or entry.
    await adminAlerts.operatorAccountChanged(id, { what: 'cap', by, trx }, { except: by });
    await adminLog.add(by, 'operator-cap', `${trx} TRX`, { update: ctx.update.update_id });
    ctx.tx.signal.throwIfAborted();
    await operatorLimits.setCap(trx);
    ctx.headerHtml = ctx.words.html('operator-cap-set', { cap: trx });
  }

  async function setAlert(ctx: BotContext, by: number, trx: string | undefined): Promise<void> {
    const id = `alert:${by}:${ctx.update.update_id}`;
    const amount = trx !== undefined && { trx };
    ctx.tx.signal.throwIfAborted();
    await adminAlerts.operatorAccountChanged(id, { what: 'alert', by, ...amount }, { except: by });
    const noted = trx === undefined ? '0 TRX' : `${trx} TRX`;
    await adminLog.add(by, 'operator-alert', noted, { update: ctx.update.update_id });
    ctx.tx.signal.throwIfAborted();
    await operatorLimits.setAlert(trx);
    const account = operator.knownAccount();
    if (account !== undefined) ctx.tx.afterCommit(() => pollers.pollSoon(account, 'balance'));
    ctx.headerHtml = ctx.words.html('operator-alert-set', { trx: trx ?? 'none' });
  }

  async function finish(ctx: BotContext, { step, trx }: State): Promise<void> {
    const by = ctx.from?.id;
    if (by !== undefined && step === SET_CAP && trx !== undefined) {
      await setCap(ctx, by, trx);
      await send(ctx, await view(ctx));
    } else if (by !== undefined && step === SET_ALERT) {
      await setAlert(ctx, by, trx);
      await send(ctx, await view(ctx));
    } else if (step === FLOW_ENDS.back) await show(ctx, await view(ctx));
    else await showFlowEnded(ctx, step);
  }

  return adminsOnly(deps, {
    name: NAME,
    button: 'button-operator',
    command: { name: 'operator', text: 'command-operator' },
    open: async (ctx) => show(ctx, await view(ctx)),
    buttons: { link: changes(createLinkOperator(deps)), [CAP]: asking(CAP), [ALERT]: asking(ALERT) },
    flow: {
      version: 1,
      ...dialogue<State>({
        stateSchema: dialogueStateSchema,
        steps: {
          [CAP]: operatorLimitStep<State>({
            cap: operatorCap.limit,
            onAnswer: (state, trx) => ({ ...state, trx, step: SET_CAP }),
          }),
          [ALERT]: operatorAlertStep<State>({
            balance: balanceNow,
            onAnswer: (state, trx) => ({ ...state, trx, step: SET_ALERT }),
          }),
        },
        finish,
      }),
    },
  });
});
