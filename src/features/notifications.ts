import type { Link } from '../accounts/links.ts';
import {
  isMuted,
  MUTABLE_KINDS,
  type MutableKind,
  type UserNotificationSettings,
} from '../accounts/users.ts';
import { screen, withAccount, withReading } from '../bot/accounts.ts';
import { latestFirst } from '../bot/address-views.ts';
import type { BotContext } from '../bot/context.ts';
import {
  type DialogueState,
  dialogue,
  dialogueStateSchema,
  FLOW_ENDS,
  showFlowEnded,
} from '../bot/dialogue.ts';
import { loggedEventLines, payloadText } from '../bot/event-lines.ts';
import {
  type ButtonHandler,
  changes,
  defineFeature,
  type Handler,
  isByAdmin,
  MESSAGE_TTL_MS,
  type Payer,
  QUESTION_TTL_MS,
} from '../bot/feature.ts';
import { show, showText, showToast } from '../bot/reply.ts';
import {
  OPERATORS_REPORTS as OPERATORS,
  OWN_REPORTS as OWN,
  type ReportsTarget,
  reportsOffQuestion,
  reportsOffView,
  reportsOnView,
  reportsRow,
  webhookQuestion,
} from '../bot/report-views.ts';
import { lowBalanceStep } from '../bot/steps/amounts.ts';
import { lines, paragraphs, type Words } from '../i18n/texts.ts';
import { orTimeout } from '../platform/async.ts';
import type { AccountReads } from '../rental-api/account-reader.ts';
import type { WebhookLogEntry } from '../rental-api/schemas.ts';
import { callbackData } from '../views/callback-data.ts';
import { button, inRows, numberButtons, type View, withMenuButton } from '../views/view.ts';

const NAME = 'notifications';
const LOW_BALANCE = 'low-balance';
const AMOUNT_GIVEN = 'set';

/** State of the flow. `trx` lasts for one update only, because the limit is stored at once. */
type State = DialogueState & { trx?: string | undefined };

export const notificationsFeature = defineFeature((deps) => {
  const { notificationSettings, webhookSubscriptions, hookUrl } = deps;

  async function view(words: Words, { user, account }: Payer): Promise<View> {
    const [settings, isActive] = await Promise.all([
      notificationSettings.get(user),
      webhookSubscriptions.isActive(account),
    ]);
    const reports = hookUrl === undefined ? 'none' : isActive ? 'on' : 'off';
    const html = paragraphs(
      words.html('notifications-title'),
      words.html('notifications-reports', { account: String(account), reports }),
      words.html('notifications-muting'),
      words.html('notifications-low', { trx: settings.lowBalance ?? 'none' }),
    );
    const low = button(words, 'button-low-balance', callbackData(NAME, LOW_BALANCE));
    const rows = [...inRows(muteButtons(words, settings)), [low], reportsRow(words, reports, NAME)];
    return withMenuButton(words, html, ...rows);
  }

  const open: Handler = (ctx) =>
    withAccount(deps, ctx, async (payer) => show(ctx, await view(ctx.words, payer)));

  const muteHandler =
    (on: boolean): ButtonHandler =>
    (ctx, named) =>
      withAccount(deps, ctx, async (payer) => {
        const what = MUTABLE_KINDS.find((one) => one === named);
        if (what === undefined) return showToast(ctx, 'toast-over');
        ctx.tx.signal.throwIfAborted();
        await notificationSettings.setMuted(payer.user, what, on);
        await show(ctx, await view(ctx.words, payer));
      });

  const setLowBalance = (ctx: BotContext, trx: string | undefined) =>
    withAccount(deps, ctx, async (payer) => {
      ctx.tx.signal.throwIfAborted();
      await notificationSettings.setLowBalance(payer.user, trx);
      ctx.tx.afterCommit(() => deps.pollers.pollSoon(payer.account, 'balance'));
      await show(ctx, await view(ctx.words, payer));
    });

  async function finish(ctx: BotContext, { step, trx }: State): Promise<void> {
    if (step === AMOUNT_GIVEN) await setLowBalance(ctx, trx);
    else if (step === FLOW_ENDS.back) await open(ctx);
    else await showFlowEnded(ctx, step);
  }

  return {
    name: NAME,
    menu: { button: 'button-notifications', place: 'more', for: 'linked' },
    command: { name: 'notifications', text: 'command-notifications' },
    open,
    buttons: {
      mute: changes(muteHandler(true)),
      unmute: changes(muteHandler(false)),
      [LOW_BALANCE]: (ctx) =>
        withAccount(deps, ctx, async () => {
          ctx.flowToEnter = { feature: NAME, start: { step: LOW_BALANCE } satisfies State };
        }),
    },
    flow: {
      version: 1,
      ...dialogue<State>({
        stateSchema: dialogueStateSchema,
        steps: {
          [LOW_BALANCE]: lowBalanceStep<State>({
            onAnswer: (state, trx) => ({ ...state, trx, step: AMOUNT_GIVEN }),
          }),
        },
        finish,
      }),
    },
  };
});

/** Each button shows the current value and sets the other one, so a second tap changes nothing. */
function muteButtons(words: Words, settings: UserNotificationSettings) {
  return MUTABLE_KINDS.map((what: MutableKind) => {
    const isOff = isMuted(settings, what);
    return {
      text: words.plain('button-notice', { what, muted: isOff ? 'yes' : 'no' }),
      callback_data: callbackData(NAME, isOff ? 'unmute' : 'mute', what),
    };
  });
}

/** Maximum wait for the operator account's number, in milliseconds. Leaves the handler time to change the setting. */
const OPERATOR_TIMEOUT_MS = 1_500;

/** Turns delivery alerts on and off. Asks first, because turning them on replaces the account's only webhook URL. */
export const reportsFeature = defineFeature((deps) => {
  const { links, webhookSubscriptions, webhookSwitch, operator, operatorKey, adminLog, hookUrl } = deps;

  /** Account for which alerts are switched, and the key for it. */
  type AccountAccess = Pick<Payer, 'account' | 'apiKey' | 'usesOperatorAccount'>;

  async function logSwitch(
    ctx: BotContext,
    { account, usesOperatorAccount }: AccountAccess,
    on: 'on' | 'off',
  ): Promise<void> {
    const { from, update } = ctx;
    if (!usesOperatorAccount || from === undefined) return;
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
      ...{ ...access, webhookUrl: hookUrl, signal, onlyIfOff: target === OPERATORS },
      beforeChange: () => logSwitch(ctx, access, 'on'),
    });
    signal.throwIfAborted();
    // Deliveries that were sent to another URL are only in the logs.
    if (outcome.kind === 'on') ctx.tx.afterCommit(() => deps.pollers.pollSoon(access.account, 'log'));
    await show(ctx, reportsOnView(ctx.words, outcome, target));
  }

  /** Returns the number of other holders of the account, who share this setting. */
  async function countOtherHolders(ctx: BotContext, { account }: AccountAccess): Promise<number> {
    return (await links.holders(account)).filter((holder) => holder !== ctx.from?.id).length;
  }

  async function askOff(
    ctx: BotContext,
    access: AccountAccess,
    target: ReportsTarget,
    origin: string,
  ): Promise<void> {
    const { account } = access;
    if (!(await webhookSubscriptions.isActive(account))) {
      await show(ctx, reportsOffView(ctx.words, { kind: 'already-off' }, target, false));
      return;
    }
    const others = await countOtherHolders(ctx, access);
    await show(ctx, reportsOffQuestion(ctx.words, target, { account, others, origin }));
  }

  async function turnOff(ctx: BotContext, access: AccountAccess, target: ReportsTarget): Promise<void> {
    ctx.tx.signal.throwIfAborted();
    const beforeChange = async () => {
      if (ctx.from) await deps.notifyReportsOff(access.account, ctx.from.id, ctx.update.update_id);
      await logSwitch(ctx, access, 'off');
    };
    const outcome = await webhookSwitch.turnOff({ ...access, beforeChange });
    await show(ctx, reportsOffView(ctx.words, outcome, target, (await countOtherHolders(ctx, access)) > 0));
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
      later: (ctx) => showText(ctx, ctx.words.html('reports-later')),
      operator: asOperator(async (ctx, { account }) => {
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

const WEBHOOK_LOG = 'webhook-log';
const MAX_LOG_ENTRIES = 8;
const ENTRIES_PER_ROW = 4;

export const webhookLogFeature = defineFeature((deps) => {
  const { webhookSubscriptions, hookUrl } = deps;
  const read = (reads: AccountReads) => reads.webhookLogs();

  async function view(words: Words, entries: WebhookLogEntry[], { account }: Link): Promise<View> {
    const isActive = hookUrl !== undefined && (await webhookSubscriptions.isActive(account));
    const reports = hookUrl === undefined ? 'none' : isActive ? 'on' : 'off';
    const goes = { on: 'here', off: 'elsewhere', none: 'nowhere' }[reports];
    const latest = latestFirst(
      entries.toSorted((one, other) => other.id - one.id),
      ({ created_at }) => created_at,
    );
    const shown = latest.slice(0, MAX_LOG_ENTRIES);
    const html = paragraphs(
      lines(words.html('webhook-log-title'), words.html('webhook-log-about', { account: String(account) })),
      ...(latest.length > 0
        ? shown.map((one, at) => `${at + 1}. ${loggedEventLines(words, one)}`)
        : [words.html('webhook-log-none')]),
      latest.length > MAX_LOG_ENTRIES && words.html('webhook-log-latest', { most: MAX_LOG_ENTRIES }),
      shown.length > 0 && words.html('webhook-log-pick'),
      words.html('webhook-log-goes', { goes }),
    );
    const entryButtons = numberButtons(shown.map(({ id }) => callbackData(WEBHOOK_LOG, 'one', id)));
    const back = [button(words, 'button-account', callbackData('account', 'open'))];
    const rows = [...inRows(entryButtons, ENTRIES_PER_ROW), reportsRow(words, reports, WEBHOOK_LOG), back];
    return withMenuButton(words, html, ...rows);
  }

  const showOne: ButtonHandler = (ctx, id) =>
    withReading(deps, ctx, { read, again: callbackData(WEBHOOK_LOG, 'one', id) }, (entries) => {
      const { words } = ctx;
      const found = entries.find((entry) => String(entry.id) === id);
      const all = button(words, 'button-webhook-log', callbackData(WEBHOOK_LOG, 'open'));
      const html = found
        ? paragraphs(loggedEventLines(words, found), payloadText(words, found.payload))
        : words.html('webhook-log-gone');
      return showText(ctx, html, [all]);
    });

  return screen(deps, {
    name: WEBHOOK_LOG,
    buttons: { one: showOne },
    command: { name: 'webhooklog', text: 'command-webhook-log' },
    read,
    view,
  });
});
