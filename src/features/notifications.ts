import { MUTABLE_KINDS, type MutableKind, type UserNotificationSettings } from '../accounts/users.ts';
import { payerOf, withAccount } from '../bot/accounts.ts';
import type { BotContext } from '../bot/context.ts';
import { showFlowEnded } from '../bot/conversations.ts';
import { type DialogueState, dialogue, dialogueStateSchema, FLOW_ENDS } from '../bot/dialogue.ts';
import { type ButtonHandler, changes, defineFeature, type Handler } from '../bot/feature.ts';
import { createMenuBalance } from '../bot/menu.ts';
import type { Payer } from '../bot/quotes.ts';
import { send, show } from '../bot/reply.ts';
import { lowBalanceStep } from '../bot/steps/amounts.ts';
import type { Words } from '../i18n/texts.ts';
import { button, callbackData, inRows, paragraphs, type View, withMenuButton } from '../i18n/view.ts';

const NAME = 'notifications';
const LOW_BALANCE = 'low-balance';
/** Step after the question. */
const SET = 'set';

/** Lasts for one update only, because the answer is stored at once. */
type State = DialogueState & { trx?: string | undefined };

/** Creates the feature that sets which notifications a user gets, and the threshold of a low balance. */
export const notificationsFeature = defineFeature((deps) => {
  const { notificationSettings, webhookSubscriptions, hookUrl } = deps;
  const balanceOf = createMenuBalance(deps);

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
    const log = button(words, 'button-webhook-log', callbackData('webhook-log', 'open'));
    const switching = {
      on: [[button(words, 'button-reports-off', callbackData('reports', 'off', NAME))]],
      off: [[button(words, 'button-reports-on', callbackData('reports', 'open'))]],
      none: [],
    }[reports];
    return withMenuButton(words, html, ...inRows(toggles(words, settings)), [low, log], ...switching);
  }

  const open: Handler = (ctx) =>
    withAccount(deps, ctx, async (payer) => show(ctx, await view(ctx.words, payer)));

  const muting =
    (on: boolean): ButtonHandler =>
    (ctx, named) =>
      withAccount(deps, ctx, async (payer) => {
        const what = MUTABLE_KINDS.find((one) => one === named);
        if (what === undefined) {
          ctx.toast = ctx.words.plain('toast-over');
          return;
        }
        ctx.tx.signal.throwIfAborted();
        await notificationSettings.setMuted(payer.user, what, on);
        await show(ctx, await view(ctx.words, payer));
      });

  const setLowBalance = (ctx: BotContext, trx: string | undefined) =>
    withAccount(deps, ctx, async (payer) => {
      ctx.tx.signal.throwIfAborted();
      await notificationSettings.setLowBalance(payer.user, trx);
      ctx.tx.afterCommit(() => deps.pollers.pollSoon(payer.account, 'balance'));
      ctx.headerHtml = ctx.words.html('notifications-low-set', { trx: trx ?? 'none' });
      await send(ctx, await view(ctx.words, payer));
    });

  async function finish(ctx: BotContext, { step, trx }: State): Promise<void> {
    if (step === SET) await setLowBalance(ctx, trx);
    else if (step === FLOW_ENDS.back) await open(ctx);
    else await showFlowEnded(ctx, step);
  }

  return {
    name: NAME,
    menu: { button: 'button-notifications', place: 'more', for: 'linked' },
    command: { name: 'notifications', text: 'command-notifications' },
    open,
    buttons: {
      mute: changes(muting(true)),
      tell: changes(muting(false)),
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
            balance: async (ctx) => {
              const payer = await payerOf(deps, ctx);
              return payer && balanceOf(payer);
            },
            onAnswer: (state, trx) => ({ ...state, trx, step: SET }),
          }),
        },
        finish,
      }),
    },
  };
});

/**
 * Returns the buttons. Each one shows the current value and sets the other one, so a second tap on it changes nothing.
 */
function toggles(words: Words, { muted }: UserNotificationSettings) {
  return MUTABLE_KINDS.map((what: MutableKind) => {
    const isMuted = muted.includes(what);
    return {
      text: words.plain('button-notice', { what, muted: isMuted ? 'yes' : 'no' }),
      callback_data: callbackData(NAME, isMuted ? 'tell' : 'mute', what),
    };
  });
}
