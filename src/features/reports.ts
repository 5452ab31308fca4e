import { withAccount } from '../bot/accounts.ts';
import { isByAdmin } from '../bot/admins-only.ts';
import type { BotContext } from '../bot/context.ts';
import {
  type ButtonHandler,
  changes,
  defineFeature,
  MESSAGE_TTL_MS,
  QUESTION_TTL_MS,
} from '../bot/feature.ts';
import type { Payer } from '../bot/quotes.ts';
import { show } from '../bot/reply.ts';
import {
  OPERATORS_REPORTS as OPERATORS,
  OWN_REPORTS as OWN,
  type ReportsTarget,
  reportsOffQuestion,
  reportsOffView,
  reportsOnView,
} from '../bot/report-views.ts';
import { webhookQuestion } from '../i18n/shared-views.ts';
import { withMenuButton } from '../i18n/view.ts';
import { orTimeout } from '../platform/retry.ts';

/**
 * Maximum time to find the operator's account, in milliseconds. Most of a handler's time is left for the service to
 * change the setting.
 */
const OPERATOR_WITHIN_MS = 1_500;

/**
 * Creates the feature that turns service reports of an account on and off. It asks first, because they replace the only
 * webhook URL of the account. Admins can do the same for the operator's account.
 */
export const reportsFeature = defineFeature((deps) => {
  const { links, webhookSubscriptions, webhookSwitch, operator, operatorKey, adminLog, hookUrl } = deps;

  function over(ctx: BotContext): void {
    ctx.toast = ctx.words.plain('toast-over');
  }

  type Held = Pick<Payer, 'account' | 'apiKey' | 'operators'>;

  /** Logs that an admin has turned the operator's reports on or off. */
  async function note(ctx: BotContext, { account, operators }: Held, on: 'on' | 'off'): Promise<void> {
    const { from, update } = ctx;
    if (!operators || from === undefined) return;
    await adminLog.add(from.id, 'operator-reports', `${on} ${account}`, { update: update.update_id });
  }

  /** Wraps a handler for the operator's account. If the account isn't known at the moment, says so. */
  const asOperator =
    (use: (ctx: BotContext, held: Held, origin: string) => Promise<unknown>): ButtonHandler =>
    async (ctx, origin) => {
      if (operatorKey === undefined) return over(ctx);
      const account = await orTimeout(operator.account(), OPERATOR_WITHIN_MS);
      if (account !== undefined) return use(ctx, { account, apiKey: operatorKey, operators: true }, origin);
      await show(ctx, withMenuButton(ctx.words, ctx.words.html('reports-operator-unreachable')));
    };

  async function turnOn(ctx: BotContext, held: Held, whose: ReportsTarget): Promise<void> {
    if (hookUrl === undefined) return over(ctx);
    const { signal } = ctx.tx;
    const once = whose === OPERATORS;
    const beforeChange = () => note(ctx, held, 'on');
    const outcome = await webhookSwitch.turnOn({
      ...held,
      webhookUrl: hookUrl,
      signal,
      onlyIfOff: once,
      beforeChange,
    });
    signal.throwIfAborted();
    await show(ctx, reportsOnView(ctx.words, outcome, whose));
  }

  /** Returns the number of other holders of the account. They share this setting. */
  async function othersOf(ctx: BotContext, { account }: Held): Promise<number> {
    return (await links.holders(account)).filter((holder) => holder !== ctx.from?.id).length;
  }

  async function askOff(ctx: BotContext, held: Held, whose: ReportsTarget, origin: string): Promise<void> {
    const { account } = held;
    if (!(await webhookSubscriptions.isActive(account))) {
      await show(ctx, reportsOffView(ctx.words, { kind: 'already-off' }, whose, false));
      return;
    }
    const others = await othersOf(ctx, held);
    await show(ctx, reportsOffQuestion(ctx.words, whose, { account, others, origin }));
  }

  async function turnOff(ctx: BotContext, held: Held, whose: ReportsTarget): Promise<void> {
    ctx.tx.signal.throwIfAborted();
    const beforeChange = async () => {
      if (ctx.from) await deps.notifyReportsOff(held.account, ctx.from.id, ctx.update.update_id);
      await note(ctx, held, 'off');
    };
    const outcome = await webhookSwitch.turnOff({ ...held, beforeChange });
    await show(ctx, reportsOffView(ctx.words, outcome, whose, (await othersOf(ctx, held)) > 0));
  }

  return {
    name: 'reports',
    isAvailable: (ctx, button) => !button.startsWith('operator') || isByAdmin(deps, ctx),
    open: (ctx) => withAccount(deps, ctx, () => show(ctx, webhookQuestion(ctx.words))),
    buttons: {
      on: changes((ctx) => withAccount(deps, ctx, (payer) => turnOn(ctx, payer, OWN)), MESSAGE_TTL_MS),
      [OWN.confirmOffButton]: (ctx, origin) =>
        withAccount(deps, ctx, (payer) => askOff(ctx, payer, OWN, origin)),
      [OWN.offButton]: changes(
        (ctx) => withAccount(deps, ctx, (payer) => turnOff(ctx, payer, OWN)),
        QUESTION_TTL_MS,
      ),
      later: (ctx) => show(ctx, withMenuButton(ctx.words, ctx.words.html('reports-later'))),
      operator: asOperator(async (ctx, { account }) => {
        const isOn = await webhookSubscriptions.isActive(account);
        if (!isOn && hookUrl === undefined) return over(ctx);
        return show(
          ctx,
          isOn
            ? reportsOnView(ctx.words, { kind: 'already-on' }, OPERATORS)
            : webhookQuestion(ctx.words, { operator: account }),
        );
      }),
      [OPERATORS.onButton]: changes(asOperator((ctx, held) => turnOn(ctx, held, OPERATORS))),
      [OPERATORS.confirmOffButton]: asOperator((ctx, held, origin) => askOff(ctx, held, OPERATORS, origin)),
      [OPERATORS.offButton]: changes(
        asOperator((ctx, held) => turnOff(ctx, held, OPERATORS)),
        QUESTION_TTL_MS,
      ),
      'operator-later': (ctx) =>
        show(ctx, withMenuButton(ctx.words, ctx.words.html('reports-operator-later'))),
    },
  };
});
