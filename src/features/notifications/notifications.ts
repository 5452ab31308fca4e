import type { Accounts } from '../../accounts/accounts.ts';
import {
  isMuted,
  MUTABLE_KINDS,
  type MutableKind,
  type UserNotificationSettings,
} from '../../accounts/notification-settings.ts';
import { withAccount } from '../../bot/accounts.ts';
import type { BotContext, Payer } from '../../bot/context.ts';
import {
  type DialogueState,
  dialogue,
  dialogueStateSchema,
  FLOW_ENDS,
  showFlowEnded,
} from '../../bot/dialogue.ts';
import {
  type ButtonHandler,
  changes,
  defineFeature,
  type FeatureDeps,
  type Handler,
} from '../../bot/feature.ts';
import { show, showToast } from '../../bot/reply.ts';
import { optionalTrxStep } from '../../bot/steps/amounts.ts';
import { paragraphs, type Words } from '../../i18n/texts.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, inRows, type View, withMenuButton } from '../../views/view.ts';
import { reportsRow } from '../views/reports.ts';

const NAME = 'notifications';
const LOW_BALANCE = 'low-balance';
const AMOUNT_GIVEN = 'set';
/** Zero TRX or `off`, also in Russian. */
const ZERO_OR_OFF = /^(0+([.,]0+)?(\s*trx)?|off|выкл(ючить)?)\.?$/iu;

type NotificationsDeps = FeatureDeps & Pick<Accounts, 'notificationSettings'>;

/** State of the flow. `trx` lasts for one update only, because the limit is stored at once. */
type State = DialogueState & { trx?: string | undefined };

export const notificationsFeature = defineFeature((deps: NotificationsDeps) => {
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
    const rows = [
      ...inRows(muteButtons(words, settings, reports === 'on' ? 'seen' : 'unseen')),
      [low],
      reportsRow(words, reports, NAME),
    ];
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
    command: { name: 'notifications', text: 'command-notifications', linked: true },
    keepsFlow: true,
    open,
    words: [
      ...['get alerts', 'get instant alerts', 'instant alerts', 'turn on alerts', 'мгновенные уведомления'],
      ...['получать уведомления', 'включить уведомления', 'включи уведомления'],
      ...['reminder', 'reminders', 'my reminder', 'my reminders', 'remind me', 'cancel reminder'],
      ...['cancel the reminder', 'remove the reminder', 'delete the reminder', 'turn off reminders'],
      ...['напомни', 'напомни мне', 'напоминание', 'напоминания', 'отмени напоминание'],
      ...['отменить напоминание', 'убери напоминание', 'убрать напоминание', 'удали напоминание'],
    ],
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
          [LOW_BALANCE]: optionalTrxStep<State>({
            ask: async ({ words }) => words.html('notifications-low-ask'),
            presets: [10, 50, 100],
            none: ['off', 'button-low-balance-off'],
            nonePattern: ZERO_OR_OFF,
            problem: 'problem-low-balance',
            onAnswer: (state, trx) => ({ ...state, trx, step: AMOUNT_GIVEN }),
          }),
        },
        finish,
      }),
    },
  };
});

/** Each button shows the current value and sets the other one, so a second tap changes nothing. */
function muteButtons(words: Words, settings: UserNotificationSettings, delivery: 'seen' | 'unseen') {
  return MUTABLE_KINDS.map((what: MutableKind) => {
    const isOff = isMuted(settings, what);
    return {
      text: words.plain('button-notice', { what, delivery, muted: isOff ? 'yes' : 'no' }),
      callback_data: callbackData(NAME, isOff ? 'unmute' : 'mute', what),
    };
  });
}
