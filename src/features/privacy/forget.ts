import type { ErasureNotification, UserErasure } from '../../accounts/erase-user.ts';
import type { Link } from '../../accounts/links.ts';
import { linkedOf, payerOf } from '../../bot/accounts.ts';
import type { BotContext } from '../../bot/context.ts';
import { changes, defineFeature, type FeatureDeps, handlerOf, QUESTION_TTL_MS } from '../../bot/feature.ts';
import { show, showText, showToast } from '../../bot/reply.ts';
import type { Session } from '../../bot/session.ts';
import type { Broadcasts } from '../../broadcasts/broadcasts.ts';
import { lines, paragraphs, shortenAddress, type Words } from '../../i18n/texts.ts';
import { type Invoice, invoiceStateOf, isPayable } from '../../invoices/invoice.ts';
import { CARD_BUTTONS } from '../../operations/card.ts';
import { isUnresolved, type Operation } from '../../operations/operation.ts';
import { orTimeout } from '../../platform/async.ts';
import { RETENTION_REASONS } from '../../platform/records.ts';
import { OPERATOR_ACCOUNT } from '../../rental-api/client.ts';
import type { Sender, Sent } from '../../telegram/sender.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, withMenuButton } from '../../views/view.ts';
import { leftAccountNote, openInvoicesWarning } from '../views/account-links.ts';

const FORGET = 'forget';

interface ForgetDeps extends FeatureDeps {
  broadcasts: Pick<Broadcasts, 'active' | 'scheduled'>;
  userErasure: Pick<UserErasure, 'request' | 'hasStarted'>;
}

/** *Forget me*: shows what is deleted and, on request, what is retained. The deletion runs outside of the update. */
export const forgetFeature = defineFeature((deps: ForgetDeps) => {
  const { userErasure, links, isAdmin, features, now } = deps;

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
      retainedDataLines(words, { isAdmin: isAdmin(from.id) }),
    );
    await showText(ctx, html, [button(words, 'button-back', callbackData(FORGET, 'open'))]);
  }

  async function cancelDraft(ctx: BotContext): Promise<void> {
    const { draft } = ctx.session;
    const card = features().find(({ name }) => name === CARD_BUTTONS);
    if (draft) await handlerOf(card?.buttons?.cancel)?.(ctx, draft.operation, draft.message);
    // The toast is only for a tap on the card itself.
    delete ctx.toast;
  }

  return {
    name: FORGET,
    command: { name: FORGET, text: 'command-forget' },
    open: ask,
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

/** Returns why data of an erased user is retained, one line per reason. */
function retainedDataLines(words: Words, { isAdmin }: { isAdmin: boolean }): string {
  const reasons = isAdmin ? ([...RETENTION_REASONS, 'kept-admin'] as const) : RETENTION_REASONS;
  return lines(...reasons.map((reason) => words.html(reason)));
}

const SUBSCRIPTIONS_TIMEOUT_MS = 3_000;
const MAX_LISTED = 5;

async function erasureWarnings(deps: ForgetDeps, ctx: BotContext, user: number): Promise<(string | false)[]> {
  const { operations, webhookSubscriptions } = deps;
  const { words } = ctx;
  const account = await linkedOf(deps, ctx).open();
  const draft = ctx.session.draft;
  const [isDraft, isReported, invoices, ...others] = await Promise.all([
    draft !== undefined && operations.drafts.open({ user, id: draft.operation }),
    account !== undefined &&
      !account.link.usesOperatorAccount &&
      webhookSubscriptions.isActive(account.link.account),
    invoiceWarnings(deps, words, user, account?.link.account),
    operationWarning(deps, words, user),
    account !== undefined && subscriptionWarning(deps, ctx, account.link),
    adminWarning(deps, words, user),
  ]);
  return [
    ...others,
    ...invoices,
    isDraft && words.html('forget-draft'),
    isReported && words.html('unlink-reports'),
  ].map((one) => one || false);
}

const PAGE_SIZE = 50;
/** Maximum operations that can be read in the time of a handler. */
const MAX_OPERATIONS = 1_000;

/** Returns a user's {@link MAX_OPERATIONS} latest confirmed operations, latest first. */
async function operationsOfUser({ history }: FeatureDeps['operations'], user: number): Promise<Operation[]> {
  const all: Operation[] = [];
  let after: string | undefined;
  do {
    const page = await history.page(user, { size: PAGE_SIZE, after });
    all.push(...page.operations);
    after = page.older;
  } while (after !== undefined && all.length < MAX_OPERATIONS);
  return all;
}

async function operationWarning({ operations }: FeatureDeps, words: Words, user: number) {
  const open = (await operationsOfUser(operations, user)).filter(isUnresolved);
  const named = ({ id, request }: Operation) =>
    `• ${operations.kinds.of(request).title(words, request)} · ${words.html('operation-number', { id })}`;
  return open.length > 0 && lines(words.html('forget-operations'), ...limitList(words, open.map(named)));
}

/** Returns `false` for the operator's account, on which no subscription belongs to the user. */
async function subscriptionWarning(deps: FeatureDeps, ctx: BotContext, link: Link) {
  const { words } = ctx;
  if (link.usesOperatorAccount) return false;
  const payer = await payerOf(deps, ctx);
  const subscriptions = payer?.read((reads) => reads.subscriptions());
  const read = subscriptions && (await orTimeout(subscriptions, SUBSCRIPTIONS_TIMEOUT_MS));
  if (read?.kind !== 'accepted') return words.html('forget-subscriptions-unknown');
  const named = read.value
    .filter(({ status }) => status !== 'deactivated')
    .map(({ label, address, status }) =>
      words.html('forget-subscription', { what: label || shortenAddress(address), status }),
    );
  return named.length > 0 && lines(words.html('forget-subscriptions'), ...limitList(words, named));
}

/** Invoices on the operator's account continue. Others can't be checked without the account's key. */
async function invoiceWarnings(
  { invoices, now }: FeatureDeps,
  words: Words,
  user: number,
  account: number | undefined,
) {
  const { trackedInvoices } = invoices.linkChanges;
  const [guests, own] = await Promise.all([
    trackedInvoices({ user, account: OPERATOR_ACCOUNT }),
    account === undefined ? [] : trackedInvoices({ user, account }),
  ]);
  const canBePaid = (one: Invoice) => isPayable(invoiceStateOf(one, now()));
  const lineOf = ({ number, priceTrx: trx, priceUsdt: usdt }: Invoice) =>
    words.html('unlink-invoice', { number: String(number), trx, usdt });
  const lineWithState = (one: Invoice) =>
    `${words.html(`invoices-${invoiceStateOf(one, now())}`)} · ${lineOf(one)}`;
  const listOf = (key: 'forget-invoices' | 'forget-invoices-unpayable', all: string[]) =>
    all.length > 0 && lines(words.html(key, { count: all.length }), ...limitList(words, all));
  return [
    openInvoicesWarning(words, own, now()),
    listOf('forget-invoices', guests.filter(canBePaid).map(lineOf)),
    listOf('forget-invoices-unpayable', guests.filter((one) => !canBePaid(one)).map(lineWithState)),
  ];
}

async function adminWarning({ isAdmin, broadcasts }: ForgetDeps, words: Words, user: number) {
  if (!isAdmin(user)) return false;
  const [active, scheduled] = await Promise.all([broadcasts.active(), broadcasts.scheduled()]);
  const confirmed = [...(active ? [active] : []), ...scheduled].filter(({ admin }) => admin === user);
  return words.html('forget-admin', { broadcasts: confirmed.length });
}

function limitList(words: Words, all: readonly string[]): string[] {
  const more = all.length - MAX_LISTED;
  return more > 0 ? [...all.slice(0, MAX_LISTED), words.html('list-more', { count: more })] : [...all];
}

/** Results after which nothing was sent, but a later attempt may succeed. */
const RETRIED_RESULTS: readonly Sent['kind'][] = ['later', 'away', 'failed'];

/**
 * Creates the function that notifies users that their data was deleted, in a message that isn't recorded.
 * Returns `unclear` if Telegram's response got lost, and `unsent` if the message wasn't delivered and must be sent again.
 */
export function createErasureNotifier(
  deps: Pick<FeatureDeps, 'texts' | 'isAdmin'> & { sender: Pick<Sender, 'send'> },
): (notification: ErasureNotification) => Promise<'notified' | 'unsent' | 'unclear'> {
  const { sender, texts, isAdmin } = deps;
  return async ({ user, language, unlinked: left }) => {
    const words = texts.in(language);
    const html = paragraphs(
      words.html('forget-done'),
      retainedDataLines(words, { isAdmin: isAdmin(user) }),
      left && leftAccountNote(words, left),
    );
    const { kind } = await sender.send(user, withMenuButton(words, html));
    if (RETRIED_RESULTS.includes(kind)) return 'unsent';
    return kind === 'unclear' ? 'unclear' : 'notified';
  };
}
