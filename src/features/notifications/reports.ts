import type { Accounts } from '../../accounts/accounts.ts';
import { withAccount } from '../../bot/accounts.ts';
import type { BotContext, Payer } from '../../bot/context.ts';
import {
  type ButtonHandler,
  changes,
  defineFeature,
  type FeatureDeps,
  isByAdmin,
  MESSAGE_TTL_MS,
  QUESTION_TTL_MS,
} from '../../bot/feature.ts';
import { updateReceipt } from '../../bot/operation-card.ts';
import { hasTappedButton, show, showText, showToast } from '../../bot/reply.ts';
import { orTimeout } from '../../platform/async.ts';
import { OPERATORS_REPORTS as OPERATORS, OWN_REPORTS as OWN, type ReportsTarget } from '../views/reports.ts';
import { reportsOffQuestion, reportsOffView, reportsOnView, webhookQuestion } from './report-views.ts';

/** Maximum wait for the operator account's number, in milliseconds. Leaves the handler time to change the setting. */
const OPERATOR_TIMEOUT_MS = 1_500;

interface ReportsDeps extends FeatureDeps, Pick<Accounts, 'webhookSwitch'> {
  notifyReportsOff(account: number, by: number, update: number): Promise<unknown>;
}

/** Turns instant alerts on and off. Asks first, because turning them on replaces the account's only webhook URL. */
export const reportsFeature = defineFeature((deps: ReportsDeps) => {
  const { links, webhookSubscriptions, webhookSwitch, operator, operatorKey, adminLog, hookUrl } = deps;
  const { operations } = deps;

  /** Account for which alerts are switched, and the key for it. */
  type AccountAccess = Pick<Payer, 'account' | 'apiKey' | 'usesOperatorAccount'>;

  async function logSwitch(
    ctx: BotContext,
    { account, usesOperatorAccount }: AccountAccess,
    on: 'on' | 'off',
  ): Promise<void> {
    const { from, update } = ctx;
    if (!usesOperatorAccount) return;
    await adminLog.add(from.id, 'operator-reports', `${on} ${account}`, { update: update.update_id });
  }

  /** Wraps a handler for the operator account. If its number can't be read in time, the admin gets a message instead. */
  const asOperator =
    (use: (ctx: BotContext, access: AccountAccess, origin: string) => Promise<unknown>): ButtonHandler =>
    async (ctx, origin) => {
      if (operatorKey === undefined) return showToast(ctx, 'toast-over');
      const account = await orTimeout(operator.account(), OPERATOR_TIMEOUT_MS);
      if (account !== undefined)
        return use(ctx, { account, apiKey: operatorKey, usesOperatorAccount: true }, origin);
      await showText(ctx, ctx.words.html('operator-unreachable'));
    };

  async function turnOn(ctx: BotContext, access: AccountAccess, target: ReportsTarget): Promise<void> {
    if (hookUrl === undefined) return showToast(ctx, 'toast-over');
    const { signal } = ctx.tx;
    const outcome = await webhookSwitch.turnOn({
      ...access,
      webhookUrl: hookUrl,
      signal,
      onlyIfOff: target === OPERATORS,
      beforeChange: () => logSwitch(ctx, access, 'on'),
    });
    signal.throwIfAborted();
    // Deliveries that were sent to another URL are only in the logs.
    if (outcome.kind === 'on') ctx.tx.afterCommit(() => deps.pollers.pollSoon(access.account, 'log'));
    await show(ctx, reportsOnView(ctx.words, outcome, target));
  }

  /** Returns the number of other holders of the account, who share this setting. */
  async function countOtherHolders(ctx: BotContext, { account }: AccountAccess): Promise<number> {
    return (await links.holders(account)).filter((holder) => holder !== ctx.from.id).length;
  }

  async function askOff(
    ctx: BotContext,
    access: AccountAccess,
    target: ReportsTarget,
    origin: string,
  ): Promise<void> {
    const { account } = access;
    if (!(await webhookSubscriptions.isActive(account)))
      return void (await show(ctx, reportsOffView(ctx.words, { kind: 'already-off' }, target, false)));
    const others = await countOtherHolders(ctx, access);
    await show(ctx, reportsOffQuestion(ctx.words, target, { account, others, origin }));
  }

  async function turnOff(ctx: BotContext, access: AccountAccess, target: ReportsTarget): Promise<void> {
    ctx.tx.signal.throwIfAborted();
    const beforeChange = async () => {
      await deps.notifyReportsOff(access.account, ctx.from.id, ctx.update.update_id);
      await logSwitch(ctx, access, 'off');
    };
    const outcome = await webhookSwitch.turnOff({ ...access, beforeChange });
    await show(ctx, reportsOffView(ctx.words, outcome, target, (await countOtherHolders(ctx, access)) > 0));
  }

  return {
    name: 'reports',
    isAvailable: (ctx, button) => !button.startsWith('operator') || isByAdmin(deps, ctx),
    keepsFlow: true,
    open: (ctx) => withAccount(deps, ctx, () => show(ctx, webhookQuestion(ctx.words))),
    buttons: {
      [OWN.onButton]: changes(
        (ctx, id, message) =>
          withAccount(deps, ctx, async (payer) => {
            await turnOn(ctx, payer, OWN);
            // The receipt says whether the bot sees the delivery.
            const bought = id === '' ? undefined : await operations.drafts.find({ user: ctx.from.id, id });
            if (bought && hasTappedButton(ctx)) await updateReceipt(deps, ctx, bought, message);
          }),
        MESSAGE_TTL_MS,
      ),
      [OWN.confirmOffButton]: (ctx, origin) =>
        withAccount(deps, ctx, (payer) => askOff(ctx, payer, OWN, origin)),
      [OWN.offButton]: changes(
        (ctx) => withAccount(deps, ctx, (payer) => turnOff(ctx, payer, OWN)),
        QUESTION_TTL_MS,
      ),
      later: (ctx) => showText(ctx, ctx.words.html('reports-later')),
      [OPERATORS.confirmOnButton]: asOperator(async (ctx, { account }) => {
        const isOn = await webhookSubscriptions.isActive(account);
        if (!isOn && hookUrl === undefined) return showToast(ctx, 'toast-over');
        return show(
          ctx,
          isOn
            ? reportsOnView(ctx.words, { kind: 'already-on' }, OPERATORS)
            : webhookQuestion(ctx.words, { operator: account }),
        );
      }),
      [OPERATORS.onButton]: changes(asOperator((ctx, access) => turnOn(ctx, access, OPERATORS))),
      [OPERATORS.confirmOffButton]: asOperator((ctx, access, origin) =>
        askOff(ctx, access, OPERATORS, origin),
      ),
      [OPERATORS.offButton]: changes(
        asOperator((ctx, access) => turnOff(ctx, access, OPERATORS)),
        QUESTION_TTL_MS,
      ),
      'operator-later': (ctx) => showText(ctx, ctx.words.html('reports-later')),
    },
  };
});
