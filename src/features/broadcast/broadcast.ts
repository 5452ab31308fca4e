import type { AdminAction } from '../../accounts/admin-log.ts';
import type { BotContext } from '../../bot/context.ts';
import {
  adminsOnly,
  type ButtonHandler,
  changes,
  defineFeature,
  QUESTION_TTL_MS,
} from '../../bot/feature.ts';
import { send, show, showToast } from '../../bot/reply.ts';
import { type Broadcast, type BroadcastDraft, isEnded } from '../../broadcasts/store.ts';
import { LANGUAGES, lines, paragraphs, type Words } from '../../i18n/texts.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, type View, withAdminButtons } from '../../views/view.ts';
import {
  audienceForLog,
  type BroadcastDeps,
  type BroadcastFlowState,
  broadcastIdOf,
  copyContent,
  createBroadcastFlow,
  endedLine,
  scheduledLine,
} from './broadcast-flow.ts';

const NAME = 'broadcast';
const MAX_ENDED = 3;
const REASON_LENGTH = 200;
/** Maximum number of scheduled broadcasts shown. Further ones are only counted. */
const MAX_SCHEDULED = 20;

export const broadcastFeature = defineFeature((deps: BroadcastDeps) => {
  const { broadcasts, adminLog, texts } = deps;

  async function open(ctx: BotContext): Promise<void> {
    const [active, scheduled, ended, hasDraft] = await Promise.all([
      broadcasts.active(),
      broadcasts.scheduled(),
      broadcasts.ended(MAX_ENDED),
      hasOpenDraft(ctx.from.id),
    ]);
    if (active) await follow(ctx, active, await send(ctx, broadcasts.view(ctx.words, active)));
    await (active ? send : show)(ctx, overview(ctx.words, { scheduled, ended, hasDraft }));
  }

  /** Returns whether the admin has composed a message that was neither sent nor scheduled. */
  async function hasOpenDraft(admin: number): Promise<boolean> {
    const draft = await broadcasts.drafts.find(admin);
    if (draft?.contents.default === undefined) return false;
    return (await broadcasts.find(broadcastIdOf(draft))) === undefined;
  }

  async function follow(ctx: BotContext, { id }: Broadcast, message: number): Promise<void> {
    ctx.tx.signal.throwIfAborted();
    await broadcasts.addProgressMessage(id, ctx.from.id, message);
  }

  /** Shows the broadcast's status in the tapped message. If the broadcast is gone, shows the overview. */
  const showStatus: ButtonHandler = async (ctx, id) => {
    const found = await broadcasts.find(id);
    if (found === undefined) {
      showToast(ctx, 'toast-over');
      return open(ctx);
    }
    await follow(ctx, found, await show(ctx, broadcasts.view(ctx.words, found)));
  };

  /** Copies the messages, one for each language, and says above the next view what they are. */
  async function copyContents(
    ctx: BotContext,
    contents: BroadcastDraft['contents'],
    state: Broadcast['state'] | 'draft',
  ): Promise<void> {
    const refusals: string[] = [];
    const own = LANGUAGES.filter((language) => contents[language]);
    for (const reader of ['default', ...own] as const) {
      const content = contents[reader];
      const copy = content && (await copyContent(ctx, texts, content, reader));
      if (copy && 'refusal' in copy) refusals.push(copy.refusal);
    }
    const [reason] = refusals;
    ctx.headerHtml =
      reason === undefined
        ? ctx.words.html('broadcasts-messages', {
            state,
            own: own.length === 0 ? 'none' : own.join(', ').toUpperCase(),
          })
        : ctx.words.html('broadcasts-messages-failed', { reason: toPrintable(reason, REASON_LENGTH) });
  }

  /** Copies the broadcast's messages and shows the status below. */
  const showMessages: ButtonHandler = async (ctx, id, message) => {
    const found = await broadcasts.find(id);
    if (found === undefined) return showStatus(ctx, id, message);
    await copyContents(ctx, found.contents, found.state);
    await follow(ctx, found, await send(ctx, broadcasts.view(ctx.words, found)));
  };

  const changeHandler =
    (
      act: AdminAction,
      from: readonly Broadcast['state'][],
      change: (id: string, admin: number) => Promise<boolean>,
    ): ButtonHandler =>
    async (ctx, id, message) => {
      const admin = ctx.from.id;
      const found = await broadcasts.find(id);
      ctx.tx.signal.throwIfAborted();
      if (found && from.includes(found.state)) {
        // Logged before the change: when the update is handled again, the change may have been made already.
        const about = `${audienceForLog(found.audience)}, ${found.id}`;
        const isCancelled = act === 'broadcast-stopped' && found.state === 'scheduled';
        await adminLog.add(admin, isCancelled ? 'broadcast-cancelled' : act, about, {
          update: ctx.update.update_id,
        });
        ctx.tx.signal.throwIfAborted();
        await change(id, admin);
      }
      await showStatus(ctx, id, message);
    };

  /**
   * Asks in place of the list with the button, which would offer the broadcast after its end. While a broadcast is sent,
   * asks in a new message, because the tapped one is kept up to date.
   */
  const askToStop: ButtonHandler = async (ctx, id, message) => {
    const { words } = ctx;
    const found = await broadcasts.find(id);
    if (found === undefined) return showStatus(ctx, id, message);
    if (isEnded(found)) {
      showToast(ctx, 'toast-broadcast-ended');
      return open(ctx);
    }
    const state = found.state === 'scheduled' ? 'scheduled' : 'begun';
    const yes = {
      text: words.plain('button-broadcasts-stop-yes', { state }),
      callback_data: callbackData(NAME, 'stop-yes', id),
      style: 'danger' as const,
    };
    const no = {
      text: words.plain('button-broadcasts-stop-no', { state }),
      callback_data: callbackData(NAME, 'status', id),
    };
    const html = lines(words.html('broadcasts-stop-ask', { state }), scheduledLine(words, found));
    await (state === 'scheduled' ? show : send)(ctx, { html, keyboard: [[yes, no]] });
  };

  return adminsOnly(deps, {
    name: NAME,
    button: 'button-broadcast',
    command: { name: 'broadcast', text: 'command-broadcast' },
    open,
    buttons: {
      open,
      new: changes(async (ctx) => {
        ctx.tx.signal.throwIfAborted();
        await broadcasts.drafts.begin(ctx.from.id);
        ctx.flowToEnter = {
          feature: NAME,
          start: { step: 'message' } satisfies BroadcastFlowState,
        };
      }),
      // Another button that asks a question has closed the draft's.
      async continue(ctx) {
        const draft = await broadcasts.drafts.find(ctx.from.id);
        if (draft) await copyContents(ctx, draft.contents, 'draft');
        ctx.flowToEnter = { feature: NAME, start: { step: 'confirm' } satisfies BroadcastFlowState };
      },
      show: showMessages,
      status: showStatus,
      pause: changes(changeHandler('broadcast-paused', ['resolving', 'sending'], broadcasts.pause)),
      resume: changes(changeHandler('broadcast-resumed', ['paused'], broadcasts.resume)),
      stop: askToStop,
      'stop-yes': changes(
        changeHandler('broadcast-stopped', ['scheduled', 'resolving', 'sending', 'paused'], broadcasts.stop),
        QUESTION_TTL_MS,
      ),
    },
    flow: { version: 3, ...createBroadcastFlow(deps, open) },
  });
});

function overview(
  words: Words,
  { scheduled, ended, hasDraft }: { scheduled: Broadcast[]; ended: Broadcast[]; hasDraft: boolean },
): View {
  const numbered = (
    key: 'button-broadcasts-cancel' | 'button-broadcasts-show',
    at: number,
    data: string,
  ) => ({ text: words.plain(key, { number: String(at + 1) }), callback_data: data });
  const shown = scheduled.slice(0, MAX_SCHEDULED);
  const more = scheduled.length - shown.length;
  const html = paragraphs(
    words.html('broadcasts-title'),
    scheduled.length > 0 &&
      lines(
        words.html('broadcasts-scheduled'),
        ...shown.map((one, at) => `${at + 1}. ${scheduledLine(words, one)}`),
        more > 0 && words.html('list-more', { count: String(more) }),
      ),
    ended.length > 0 &&
      lines(
        words.html('broadcasts-ended'),
        ...ended.map((one, at) => `${shown.length + at + 1}. ${endedLine(words, one)}`),
      ),
  );
  return withAdminButtons(
    words,
    html,
    hasDraft ? [button(words, 'button-broadcasts-continue', callbackData(NAME, 'continue'))] : [],
    [button(words, 'button-broadcasts-new', callbackData(NAME, 'new'))],
    ...shown.map(({ id }, at) => [
      numbered('button-broadcasts-show', at, callbackData(NAME, 'show', id)),
      numbered('button-broadcasts-cancel', at, callbackData(NAME, 'stop', id)),
    ]),
    ...ended.map(({ id }, at) => [
      numbered('button-broadcasts-show', shown.length + at, callbackData(NAME, 'show', id)),
    ]),
  );
}
