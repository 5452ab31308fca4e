import type { ErasureNotification, UserErasure } from '../../accounts/erase-user.ts';
import { linkedOf, linkOf } from '../../bot/accounts.ts';
import type { BotContext } from '../../bot/context.ts';
import { changes, defineFeature, type FeatureDeps, QUESTION_TTL_MS } from '../../bot/feature.ts';
import { show, showText, showToast } from '../../bot/reply.ts';
import type { Session } from '../../bot/session.ts';
import type { Broadcasts } from '../../broadcasts/broadcasts.ts';
import { lines, paragraphs, shortenAddress, type Words } from '../../i18n/texts.ts';
import type { RentalReminders } from '../../notifications/rental-reminders.ts';
import { CARD_BUTTONS } from '../../operations/card.ts';
import type { Operation } from '../../operations/operation.ts';
import { RETENTION_REASONS } from '../../platform/records.ts';
import { OPERATOR_ACCOUNT } from '../../rental-api/client.ts';
import type { Sender, Sent } from '../../telegram/sender.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, withMenuButton } from '../../views/view.ts';
import { leftAccountNote } from '../views/account-links.ts';
import { guestInvoiceNotes, leavingWarnings, limitList, unfinishedLines } from '../views/leaving-account.ts';
import { press } from '../views/press.ts';

const FORGET = 'forget';

interface ForgetDeps extends FeatureDeps {
  broadcasts: Pick<Broadcasts, 'active' | 'scheduled'>;
  userErasure: Pick<UserErasure, 'request' | 'hasStarted'>;
  rentalReminders: Pick<RentalReminders, 'onReceipt'>;
}

/** *Forget me*: shows what is deleted and, on request, what is retained. The deletion runs outside of the update. */
export const forgetFeature = defineFeature((deps: ForgetDeps) => {
  const { userErasure, links, isAdmin, now } = deps;

  async function ask(ctx: BotContext): Promise<void> {
    const { words, from } = ctx;
    const html = paragraphs(
      words.html('forget-ask'),
      ...(await erasureWarnings(deps, ctx, from.id)),
      words.html('forget-kept'),
    );
    const stays = button(words, 'button-forget-stays', callbackData(FORGET, 'stays'));
    const yes = button(words, 'button-forget-yes', callbackData(FORGET, 'yes', now().toString(36)), 'danger');
    const back = button(words, 'button-back', callbackData('privacy', 'open'));
    await showText(ctx, html, [yes], [stays], [back]);
  }

  async function listRetainedData(ctx: BotContext): Promise<void> {
    const { words, from } = ctx;
    const html = paragraphs(
      words.html('forget-stays'),
      retainedDataLines(words, {
        isAdmin: isAdmin(from.id),
        reader: await readerOf(deps, from.id, await linkOf(deps, ctx)),
      }),
    );
    await showText(ctx, html, [button(words, 'button-back', callbackData(FORGET, 'open'))]);
  }

  async function cancelDraft(ctx: BotContext): Promise<void> {
    const { draft } = ctx.session;
    if (draft) {
      const { operation: argument, message } = draft;
      await press(deps, ctx, { feature: CARD_BUTTONS, button: 'cancel', argument, message });
    }
    // The toast is only for a tap on the card itself.
    delete ctx.toast;
  }

  return {
    name: FORGET,
    command: { name: FORGET, text: 'command-forget' },
    open: ask,
    forSuspended: true,
    words: [
      ...['delete my data', 'erase my data', 'remove my data', 'delete all my data', 'erase all my data'],
      ...['remove all my data', 'delete data', 'erase me', 'delete me', 'удали мои данные'],
      ...['удалить мои данные', 'удалите мои данные', 'удалить данные', 'удали все мои данные'],
      ...['удалить все мои данные', 'сотри мои данные', 'стереть мои данные', 'забудь меня', 'забудьте меня'],
    ],
    buttons: {
      stays: listRetainedData,
      yes: changes(async (ctx, argument) => {
        const { words, from, update, session } = ctx;
        const asked = Number.parseInt(argument, 36);
        // The update is handled again, or a user who has returned taps an old button.
        if (await userErasure.hasStarted({ user: from.id, askedAt: asked }))
          return showToast(ctx, 'toast-question-over');
        const linkedAt = await links.linkedAt(from.id);
        await cancelDraft(ctx);
        await show(ctx, { html: words.html('forget-begun'), keyboard: [] });
        for (const name of Object.keys(session)) delete session[name as keyof Session];
        ctx.tx.signal.throwIfAborted();
        // Last, because after this call the deletion is certain, whatever happens to this update.
        await userErasure.request({
          user: from.id,
          askedAt: asked,
          update: update.update_id,
          at: now(),
          language: words.language,
          linkedAt,
        });
      }, QUESTION_TTL_MS),
    },
  };
});

type Reader = 'guest' | 'holder';

/** Returns whether a user has had no account of their own in the last 90 days. `linked`: the link that there is or was. */
async function readerOf(
  { operations }: Pick<FeatureDeps, 'operations'>,
  user: number,
  linked: object | undefined,
): Promise<Reader> {
  if (linked) return 'holder';
  const isOwn = ({ account }: Operation) => account !== OPERATOR_ACCOUNT;
  const own = await operations.history.page(user, { size: 1, isWanted: isOwn });
  return own.operations.length > 0 ? 'holder' : 'guest';
}

/** Returns why data of an erased user is retained, one line per reason. */
function retainedDataLines(words: Words, { isAdmin, reader }: { isAdmin: boolean; reader: Reader }): string {
  const reasons = RETENTION_REASONS.filter((reason) => reader === 'holder' || reason !== 'kept-account');
  return lines(
    ...reasons.map((reason) => words.html(reason, { reader })),
    isAdmin && words.html('kept-admin'),
  );
}

async function erasureWarnings(deps: ForgetDeps, ctx: BotContext, user: number): Promise<(string | false)[]> {
  const { words, session } = ctx;
  const linked = await linkedOf(deps, ctx).open();
  const [leaving, guests, admin] = await Promise.all([
    leavingWarnings(deps, words, {
      ...{ user, linked, draft: session.draft, reader: 'user' },
      remindAt: deps.rentalReminders.onReceipt,
    }),
    guestInvoiceNotes(deps, words, { user, reader: 'user' }),
    adminWarning(deps, words, user),
  ]);
  return [admin, ...leaving, ...guests];
}

async function adminWarning({ isAdmin, broadcasts }: ForgetDeps, words: Words, user: number) {
  if (!isAdmin(user)) return false;
  const [active, scheduled] = await Promise.all([broadcasts.active(), broadcasts.scheduled()]);
  const confirmed = [...(active ? [active] : []), ...scheduled].filter(({ admin }) => admin === user);
  return words.html('forget-admin', { broadcasts: confirmed.length });
}

/** Results after which nothing was sent, but a later attempt may succeed. */
const RETRIED_RESULTS: readonly Sent['kind'][] = ['later', 'away', 'failed'];

/**
 * Creates the function that notifies users that their data was deleted, in a message that isn't recorded.
 * Returns `unclear` if Telegram's response got lost, and `unsent` if the message wasn't delivered and must be sent again.
 */
export function createErasureNotifier(
  deps: Pick<FeatureDeps, 'texts' | 'isAdmin' | 'operations' | 'invoices' | 'now'> & {
    addressAnnouncements: Pick<FeatureDeps['addressAnnouncements'], 'abandonedSince'>;
    sender: Pick<Sender, 'send'>;
  },
): (notification: ErasureNotification) => Promise<'notified' | 'unsent' | 'unclear'> {
  const { sender, texts, isAdmin } = deps;
  return async ({ user, language, byAdmin, at, unlinked: left }) => {
    const words = texts.in(language);
    const own = left?.usesOperatorAccount ? undefined : left;
    const account = own ? 'own' : 'none';
    const unfinished = left ? await unfinishedLines(deps, words, { user, account: left.account }) : [];
    const held = left
      ? await deps.addressAnnouncements.abandonedSince({ user, account: left.account }, at)
      : [];
    const heldLine = ({ address, trx }: (typeof held)[number]) =>
      `• ${words.html('withdrawal-title', { trx })} → ${shortenAddress(address)}`;
    const html = paragraphs(
      words.html('forget-done', { by: byAdmin ? 'admin' : 'user', account }),
      held.length > 0 && lines(words.html('forget-holds'), ...limitList(words, held.map(heldLine))),
      unfinished.length > 0 && lines(words.html('forget-unfinished'), ...limitList(words, unfinished)),
      byAdmin !== undefined && own && words.html('forget-smart-mode'),
      left && leftAccountNote(words, left),
      ...(await guestInvoiceNotes(deps, words, { user, reader: 'user' })),
      words.html('forget-stays'),
      retainedDataLines(words, {
        isAdmin: isAdmin(user),
        reader: await readerOf(deps, user, left),
      }),
    );
    const { kind } = await sender.send(user, withMenuButton(words, html));
    if (RETRIED_RESULTS.includes(kind)) return 'unsent';
    return kind === 'unclear' ? 'unclear' : 'notified';
  };
}
