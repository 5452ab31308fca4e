import { BigNumber } from 'bignumber.js';
import type { Accounts } from '../accounts/accounts.ts';
import { linkOf } from '../bot/accounts.ts';
import type { BotContext } from '../bot/context.ts';
import {
  type DialogueState,
  dialogue,
  dialogueStateSchema,
  FLOW_ENDS,
  showFlowEnded,
} from '../bot/dialogue.ts';
import { adminsOnly, type ButtonHandler, changes, defineFeature, QUESTION_TTL_MS } from '../bot/feature.ts';
import { show } from '../bot/reply.ts';
import { optionalTrxStep } from '../bot/steps/amounts.ts';
import { formatKeyTail, lines, paragraphs, type Words } from '../i18n/texts.ts';
import { orTimeout } from '../platform/async.ts';
import { isKeyRefused } from '../rental-api/client.ts';
import { callbackData } from '../views/callback-data.ts';
import { button, type View, withAdminButtons } from '../views/view.ts';
import { type AccountLinkDeps, linkOperator } from './views/account-links.ts';
import { operatorReportsButton } from './views/reports.ts';

const NAME = 'operator';
const CAP = 'cap';
const ALERT = 'alert';
const SET_CAP = 'set-cap';
const SET_ALERT = 'set-alert';
const ZERO = /^0+([.,]0+)?(\s*trx)?\.?$/i;
/** Maximum wait for each of the screen's two requests to the service, in milliseconds. */
const READ_TIMEOUT_MS = 2_000;

type OperatorDeps = AccountLinkDeps & Pick<Accounts, 'operatorLimits'>;

type State = DialogueState & { trx?: string | undefined };

export const operatorFeature = defineFeature((deps: OperatorDeps) => {
  const { links, operator, operatorKey, operatorLimits, adminAlerts, adminLog } = deps;
  const { operatorCap } = deps.operations;

  /** Renders the balance, or why it's unavailable if the service refuses the key. */
  async function balanceLine(words: Words, account: number, apiKey: string): Promise<string> {
    const { read } = deps.accountReader.open({ account, apiKey });
    const reading = read((reads) => reads.profile());
    const profile = await orTimeout(reading, READ_TIMEOUT_MS);
    if (profile?.kind === 'accepted')
      return words.html('menu-balance-current', { balance: profile.value.balance_trx });
    const isRefused = profile?.kind !== 'other-account' && isKeyRefused(profile);
    return lines(
      words.html('operation-no-balance'),
      isRefused && words.html('account-key-refused', { tail: formatKeyTail('') }),
    );
  }

  /** Returns the admins who have linked the account as the operator's. */
  async function holdersOf(account: number): Promise<number[]> {
    const holders = (await links.holders(account)).filter(deps.isAdmin);
    const found = await Promise.all(holders.map(links.find));
    return holders.filter((_, at) => found[at]?.usesOperatorAccount === true);
  }

  async function view(ctx: BotContext): Promise<View> {
    const { words } = ctx;
    if (operatorKey === undefined) return operatorUnavailableView(words, 'none');
    const account = await orTimeout(operator.account(), READ_TIMEOUT_MS);
    if (account === undefined) return operatorUnavailableView(words, 'unreachable');
    const [balance, { alertBelow: alert }, cap, spent, isOn, holders, link] = await Promise.all([
      balanceLine(words, account, operatorKey),
      operatorLimits.get(),
      operatorCap.limit(),
      operatorCap.reserved(account),
      deps.webhookSubscriptions.isActive(account),
      holdersOf(account),
      linkOf(deps, ctx),
    ]);
    const reports = isOn ? 'on' : 'off';
    const html = paragraphs(
      words.html('operator-title'),
      lines(
        words.html('account-number', { account: String(account) }),
        balance,
        words.html('operator-spent', {
          ...{ spent, cap },
          is: new BigNumber(cap).gt(0) && new BigNumber(spent).gte(cap) ? 'used-up' : 'left',
        }),
        words.html('operator-alert', { trx: alert ?? 'none' }),
        words.html('operator-reports', { reports }),
        holders.length > 0 && words.html('operator-holders', { who: holders.join(', ') }),
      ),
      words.html('operator-note'),
    );
    const linking = link?.usesOperatorAccount
      ? button(words, 'button-operator-unlink', callbackData('account', 'unlink'))
      : button(words, 'button-operator-link', callbackData(NAME, 'link'), 'primary');
    const setting = [
      button(words, 'button-operator-cap', callbackData(NAME, CAP)),
      button(words, 'button-operator-alert', callbackData(NAME, ALERT)),
    ];
    const canSwitch = isOn || deps.hookUrl !== undefined;
    const switching = canSwitch ? [operatorReportsButton(words, reports, NAME)] : [];
    return withAdminButtons(words, html, [linking], setting, switching, refreshRow(words));
  }

  const askStep =
    (step: string): ButtonHandler =>
    async (ctx) => {
      ctx.flowToEnter = { feature: NAME, start: { step } satisfies State };
    };

  /** Notifies the other admins and logs, before the change: a repeated update adds nothing. */
  async function announce(
    ctx: BotContext,
    by: number,
    change: { what: 'cap'; trx: string } | { what: 'alert'; trx?: string | undefined },
    before = '0',
  ): Promise<void> {
    const { update_id: update } = ctx.update;
    const { what, trx = '0' } = change;
    ctx.tx.signal.throwIfAborted();
    await adminAlerts.operatorAccountChanged(`${what}:${by}:${update}`, { ...change, by }, { except: by });
    await adminLog.add(by, `operator-${what}`, `${before} → ${trx} TRX`, { update });
    ctx.tx.signal.throwIfAborted();
  }

  async function finish(ctx: BotContext, { step, trx }: State): Promise<void> {
    const by = ctx.from.id;
    if (step === SET_CAP && trx !== undefined) {
      await announce(ctx, by, { what: 'cap', trx }, await operatorCap.limit());
      await operatorLimits.setCap(trx);
      await show(ctx, await view(ctx));
    } else if (step === SET_ALERT) {
      await announce(ctx, by, { what: 'alert', trx }, (await operatorLimits.get()).alertBelow);
      await operatorLimits.setAlert(trx);
      const account = operator.knownAccount();
      if (account !== undefined) ctx.tx.afterCommit(() => deps.pollers.pollSoon(account, 'balance'));
      await show(ctx, await view(ctx));
    } else if (step === FLOW_ENDS.back) await show(ctx, await view(ctx));
    else await showFlowEnded(ctx, step);
  }

  return adminsOnly(deps, {
    name: NAME,
    button: 'button-operator',
    command: { name: 'operator', text: 'command-operator' },
    // Linking another account ends an open question about the present one.
    keepsFlow: ['open'],
    open: async (ctx) => show(ctx, await view(ctx)),
    buttons: {
      link: changes((ctx) => linkOperator(deps, ctx)),
      replace: changes((ctx, account) => linkOperator(deps, ctx, Number(account)), QUESTION_TTL_MS),
      [CAP]: askStep(CAP),
      [ALERT]: askStep(ALERT),
    },
    flow: {
      version: 1,
      ...dialogue<State>({
        stateSchema: dialogueStateSchema,
        steps: {
          [CAP]: optionalTrxStep<State>({
            ask: async ({ words }) => words.html('operator-cap-ask', { cap: await operatorCap.limit() }),
            presets: [50, 100, 500],
            none: ['none', 'button-operator-cap-none'],
            nonePattern: ZERO,
            problem: 'problem-operator-cap',
            onAnswer: (state, trx = '0.00') => ({ ...state, trx, step: SET_CAP }),
          }),
          [ALERT]: optionalTrxStep<State>({
            ask: async ({ words }) =>
              words.html('operator-alert-ask', { trx: (await operatorLimits.get()).alertBelow ?? 'none' }),
            presets: [10, 50, 100],
            none: ['none', 'button-operator-alert-none'],
            nonePattern: ZERO,
            problem: 'problem-operator-cap',
            onAnswer: (state, trx) => ({ ...state, trx, step: SET_ALERT }),
          }),
        },
        finish,
      }),
    },
  });
});

function operatorUnavailableView(words: Words, why: 'none' | 'unreachable'): View {
  const html = paragraphs(words.html('operator-title'), words.html(`operator-${why}`));
  return withAdminButtons(words, html, refreshRow(words));
}

const refreshRow = (words: Words) => [button(words, 'button-refresh', callbackData(NAME, 'open'))];
