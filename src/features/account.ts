import type { Accounts } from '../accounts/accounts.ts';
import type { Link, LinkReader } from '../accounts/links.ts';
import { PENDING_LINK_TTL_MS, type Replacement } from '../accounts/pending-links.ts';
import { linkedOf, linkOf, screen } from '../bot/accounts.ts';
import type { BotContext } from '../bot/context.ts';
import { endFlow } from '../bot/dialogue.ts';
import { changes, defineFeature, isByAdmin, isInMaintenance, QUESTION_TTL_MS } from '../bot/feature.ts';
import { send, show, showText } from '../bot/reply.ts';
import type { TextKey } from '../i18n/keys.ts';
import { formatKeyTail, paragraphs, type Words } from '../i18n/texts.ts';
import { containsOperatorKey } from '../input/secret-text.ts';
import { INVOICE_BUTTONS, INVOICE_LIST } from '../invoices/card.ts';
import { type Invoice, invoiceStateOf, isPayable } from '../invoices/invoice.ts';
import type { RentalReminders } from '../notifications/rental-reminders.ts';
import { orTimeout } from '../platform/async.ts';
import { roundUpToMinutes, SECOND_MS } from '../platform/clock.ts';
import { isUnexpectedReply, type Rental } from '../rental-api/client.ts';
import type { Profile } from '../rental-api/schemas.ts';
import { INVOICE_LIFETIME_MS } from '../rental-api/tron.ts';
import { textOf } from '../telegram/message-content.ts';
import { linkButton } from '../views/account-views.ts';
import { callbackData } from '../views/callback-data.ts';
import { questionHelpButton } from '../views/help-buttons.ts';
import { button, type View, withMenuButton } from '../views/view.ts';
import {
  type AccountLinkDeps,
  askToReplace,
  endLink,
  linkOperator,
  replaceLink,
} from './views/account-links.ts';
import { leavingWarnings } from './views/leaving-account.ts';
import { OPERATORS_REPORTS, OWN_REPORTS, reportsRow } from './views/reports.ts';

const NAME = 'account';
const LINK = 'link';
const MISSING = '–';

interface AccountDeps extends AccountLinkDeps, Pick<Accounts, 'notificationSettings'> {
  rentalReminders: Pick<RentalReminders, 'onReceipt'>;
}

export const accountFeature = defineFeature((deps: AccountDeps) => {
  const { links, webhookSubscriptions, notificationSettings, hookUrl } = deps;

  async function view(words: Words, profile: Profile, { tail, usesOperatorAccount }: Link): Promise<View> {
    const reports = (await webhookSubscriptions.isActive(profile.id)) ? 'on' : hookUrl ? 'off' : 'none';
    const html = words.html('account-card', {
      account: String(profile.id),
      email: profile.email ?? MISSING,
      balance: profile.balance_trx,
      tail: formatKeyTail(tail),
      totp: profile.totp_enabled ? 'on' : 'off',
      reports,
    });
    const target = usesOperatorAccount ? OPERATORS_REPORTS : OWN_REPORTS;
    const otherKey = [button(words, 'button-other-key', callbackData(LINK, 'open'))];
    const unlink = [
      button(words, 'button-unlink', callbackData(NAME, 'unlink')),
      button(words, 'button-advanced', callbackData(NAME, 'advanced')),
    ];
    return withMenuButton(words, html, reportsRow(words, reports, NAME, target), otherKey, unlink);
  }

  async function ask(ctx: BotContext): Promise<void> {
    const { from, session, words } = ctx;
    const linked = await linkedOf(deps, ctx).open();
    if (linked === undefined) return void (await showText(ctx, words.html('unlink-none')));
    const { lowBalance } = await notificationSettings.get(from.id);
    const html = paragraphs(
      words.html('unlink-ask', { tail: formatKeyTail(linked.link.tail) }),
      ...(await leavingWarnings(deps, words, {
        user: from.id,
        linked,
        draft: session.draft,
        reader: 'user',
        remindAt: deps.rentalReminders.onReceipt,
      })),
      lowBalance !== undefined && words.html('leaving-settings', { trx: lowBalance }),
    );
    const yes = [button(words, 'button-unlink-yes', callbackData(NAME, 'unlink-yes'), 'danger')];
    const back = [button(words, 'button-back', callbackData(NAME, 'open'))];
    await show(ctx, { html, keyboard: [yes, back] });
  }

  async function unlink(ctx: BotContext): Promise<void> {
    const { from, words } = ctx;
    const linked = await linkedOf(deps, ctx).open();
    if (linked === undefined) return void (await showText(ctx, words.html('unlinked'), [linkButton(words)]));
    ctx.tx.signal.throwIfAborted();
    // Before unlinking, because an update that is handled again finds no link.
    await notificationSettings.delete(from.id);
    const left = await endLink(deps, ctx, { user: from.id, ...linked }, () => links.unlink(from.id));
    ctx.linked = undefined;
    const wasSeller = linked.link.isMerchant === true;
    if (wasSeller) Object.assign(ctx.session, { asksToSell: true, soldWith: linked.link.account });
    const isOperators = linked.link.usesOperatorAccount === true;
    const done = words.html(isOperators ? 'unlinked-operators' : 'unlinked');
    const operator = button(words, 'button-operator', callbackData('operator', 'open'));
    const next = isOperators ? (deps.isAdmin(from.id) ? [operator] : []) : [linkButton(words)];
    await showText(ctx, paragraphs(done, wasSeller && words.html('unlinked-seller'), left), next);
  }

  async function advanced(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const log = [button(words, 'button-webhook-log', callbackData('webhook-log', 'open'))];
    const back = [button(words, 'button-account', callbackData(NAME, 'open'))];
    await showText(ctx, words.html('account-advanced'), log, back);
  }

  const card = screen(deps, {
    name: NAME,
    menu: { button: 'button-account', place: 'more', for: 'linked' },
    command: { name: 'account', text: 'command-account', linked: true },
    keepsFlow: ['open', 'advanced'],
    forSuspended: true,
    buttons: { advanced, unlink: ask, 'unlink-yes': changes(unlink, QUESTION_TTL_MS) },
    read: (reads) => reads.profile(),
    view,
  });
  return {
    ...card,
    buttonCommands: {
      unlink: { button: 'unlink', text: 'command-unlink', linked: true, words: UNLINK_WORDS },
    },
  };
});

const UNLINK_WORDS = ['отвязать', 'отвяжи', 'отвязать аккаунт', 'отвяжи аккаунт', 'unlink account'];

/** Time limits in milliseconds. Together they fit into the time of a handler. */
const READ_TIMEOUT_MS = 4_000;
const LEAVE_TIMEOUT_MS = 1_500;
const OPERATOR_TIMEOUT_MS = 500;
const KEY_PATTERN = /^[\x21-\x7e]{4,256}$/;

type LinkDeps = AccountLinkDeps & Pick<Accounts, 'keyAttempts' | 'balances'>;

type Linked = NonNullable<Awaited<ReturnType<LinkReader['open']>>>;

/** Account that a key opens. `balance`: in TRX (decimal). */
interface NewAccount {
  to: number;
  balance: string;
  apiKey: string;
}

/** The API key is received like every secret, never through a flow. */
export const linkFeature = defineFeature((deps: LinkDeps) => {
  const { links, pendingLinks, keyAttempts, operations, operator, openMenu, balances } = deps;

  function linkQuestion(ctx: BotContext, html: string): View {
    const { words } = ctx;
    const isAdminWithOperator = deps.operatorKey !== undefined && isByAdmin(deps, ctx);
    const own = button(words, 'button-operator-link-own', callbackData('operator', 'link'));
    const cancel = button(words, 'button-cancel', callbackData(LINK, 'cancel'));
    return {
      html,
      keyboard: [...(isAdminWithOperator ? [[own]] : []), [cancel, questionHelpButton(words, 'key')]],
    };
  }

  async function ask(ctx: BotContext): Promise<void> {
    if (await isPaused(ctx)) return;
    if (await isInMaintenance(deps, ctx)) return void (await showText(ctx, ctx.words.html('maintenance')));
    const { words } = ctx;
    const link = await linkOf(deps, ctx);
    const linked =
      link &&
      words.html('link-ask-linked', { account: String(link.account), tail: formatKeyTail(link.tail) });
    const question = await show(ctx, linkQuestion(ctx, paragraphs(words.html('link-ask'), linked)));
    ctx.session.awaiting = LINK;
    ctx.session.question = question;
  }

  /** Asks for a key. Among other words, *link* means the link of an invoice if an account is linked. */
  async function open(ctx: BotContext): Promise<unknown> {
    const isAmongWords = ctx.aside?.isExact === false && !textOf(ctx.message).startsWith('/');
    if (!isAmongWords || (await linkOf(deps, ctx)) === undefined) return ask(ctx);
    return deps
      .features()
      .find(({ command }) => command?.name === 'invoices')
      ?.open?.(ctx);
  }

  /** Asks whether the account `to` replaces the linked one. Its key is sealed until the question ends. */
  async function askWhether(ctx: BotContext, linked: Linked, about: NewAccount): Promise<void> {
    const { from, session, tx } = ctx;
    tx.signal.throwIfAborted();
    const { to, balance } = about;
    const name = await pendingLinks.add(from.id, { ...about, from: linked.link.account });
    endFlow(ctx);
    const replace = callbackData(LINK, 'replace', name);
    const question = await askToReplace(deps, ctx, { linked, to, balance, replace });
    Object.assign(session, { awaiting: LINK, pendingLink: name, question });
  }

  async function repeatQuestion(ctx: BotContext): Promise<void> {
    const { pendingLink: name } = ctx.session;
    const pending = name === undefined ? undefined : await pendingLinks.find(ctx.from.id, name);
    const linked = await linkedOf(deps, ctx).open();
    if (pending && linked?.link.account === pending.from) await askWhether(ctx, linked, pending);
    else await ask(ctx);
  }

  async function askAgain(ctx: BotContext, problem: TextKey): Promise<void> {
    endFlow(ctx);
    ctx.session.question = await send(ctx, linkQuestion(ctx, ctx.words.html(problem)));
    ctx.session.awaiting = LINK;
  }

  /** Returns whether the user must wait after too many refused keys, and tells the user. Prevents guessing keys. */
  async function isPaused(ctx: BotContext): Promise<boolean> {
    const pause = await keyAttempts.waitMs(ctx.from.id);
    if (pause === 0) return false;
    endFlow(ctx);
    await showText(ctx, ctx.words.html('link-paused', { minutes: roundUpToMinutes(pause) }));
    return true;
  }

  /** Links the account that the key opens. Asks first if another one is linked, unless that is `confirmed`. */
  async function linkKey(ctx: BotContext, apiKey: string, confirmed?: Replacement): Promise<void> {
    const user = ctx.from.id;
    if (await isPaused(ctx)) return;
    const profile = await orTimeout(deps.accountReader.identify(apiKey), READ_TIMEOUT_MS);
    if (profile?.kind !== 'accepted') {
      const problem = problemOf(profile);
      if (problem === 'link-refused') await keyAttempts.recordRefusal(user);
      return askAgain(ctx, problem);
    }
    const { id, balance_trx: balance, totp_enabled: hasCodes } = profile.value;
    // If the owner isn't known yet, a link to the operator's account becomes void once it is known.
    if (await orTimeout(operator.owns(id), OPERATOR_TIMEOUT_MS)) return handleOperatorKey(ctx, user);
    const linked = await linkedOf(deps, ctx).open();
    const before = linked?.link;
    const isSame = before?.account === id;
    const isConfirmed = confirmed?.to === id && confirmed.from === before?.account;
    if (linked && !isSame && !isConfirmed) return askWhether(ctx, linked, { to: id, balance, apiKey });
    const isKnownKey = isSame && linked?.apiKey === apiKey;
    let tail = before?.tail ?? '';
    const left = await replaceLink(deps, ctx, { user, account: id, withinMs: LEAVE_TIMEOUT_MS }, async () => {
      if (!isKnownKey) ({ tail } = await links.link(user, id, apiKey, ctx.words.language));
    });
    await deps.pollers.addAccount(id, { user, relinked: isSame ? before : undefined });
    ctx.linked = undefined;
    balances.set(id, balance);
    endFlow(ctx);
    // An update that is handled again finds the link that it made before.
    const sentAt = (ctx.message?.date ?? 0) * SECOND_MS;
    const wasLinked = before !== undefined && isSame && before.linkedAt < sentAt;
    if (!wasLinked) await deps.addressNotifications.linked({ user, account: id });
    const same = { account: String(id), tail: isKnownKey ? 'same' : formatKeyTail(tail) };
    ctx.headerHtml = paragraphs(
      wasLinked ? ctx.words.html('link-same', same) : ctx.words.html('link-done'),
      left,
      !hasCodes &&
        Number(operations.dailyCap.trx) > 0 &&
        ctx.words.html('link-without-codes', { cap: operations.dailyCap.trx }),
      before === undefined && (await nameOpenInvoices(ctx)),
      await offerAlerts(ctx, id),
      offerSelling(ctx),
    );
    await openMenu(ctx);
  }

  /** Names the invoices that the user can still pay as a guest, with a button to the only one, or to their list. */
  async function nameOpenInvoices(ctx: BotContext): Promise<string | false> {
    const { words, from } = ctx;
    const isOld = ({ createdAt }: Invoice) => createdAt + INVOICE_LIFETIME_MS < deps.now();
    const recent = await deps.invoices.list(from.id, (read) => read.some(isOld));
    const open = recent.filter((one) => !one.shared && isPayable(invoiceStateOf(one, deps.now())));
    const [first] = open;
    if (first === undefined) return false;
    const numbers = open.map(({ number }) => number).join(', ');
    ctx.headerButtons = [
      open.length === 1
        ? {
            text: words.plain('invoice-number', { number: numbers }),
            callback_data: callbackData(INVOICE_BUTTONS, 'show', first.id),
          }
        : button(words, 'button-my-invoices', callbackData(INVOICE_LIST, 'only', 'open')),
    ];
    return words.html('invoice-others-open', { count: open.length, numbers, same: 'none' });
  }

  /** Offers instant alerts with the next view, in one tap, unless they are on or can't reach the bot. */
  async function offerAlerts(ctx: BotContext, account: number): Promise<string | false> {
    if (deps.hookUrl === undefined || (await deps.webhookSubscriptions.isActive(account))) return false;
    const alerts = button(ctx.words, 'button-link-alerts', callbackData('reports', OWN_REPORTS.onButton));
    ctx.headerButtons = [alerts, ...(ctx.headerButtons ?? [])];
    return ctx.words.html('link-alerts');
  }

  /** Offers seller mode with the next view if the user has asked for it, or had it, before linking. */
  function offerSelling(ctx: BotContext): string | false {
    if (!ctx.session.asksToSell) return false;
    delete ctx.session.asksToSell;
    const selling = button(ctx.words, 'button-seller-mode', callbackData('settings', 'sell', 'yes'));
    ctx.headerButtons = [...(ctx.headerButtons ?? []), selling];
    return ctx.words.html('settings-selling');
  }

  /** Handles a key of the operator's account. Links that account for admins, and rejects the key for other users. */
  async function handleOperatorKey(ctx: BotContext, user: number): Promise<void> {
    if (await isPaused(ctx)) return;
    if (isByAdmin(deps, ctx)) {
      endFlow(ctx);
      return linkOperator(deps, ctx);
    }
    ctx.tx.signal.throwIfAborted();
    await deps.adminAlerts.operatorKeySent(user);
    await keyAttempts.recordRefusal(user);
    return askAgain(ctx, 'link-not-here');
  }

  return {
    name: LINK,
    command: { name: 'link', text: 'command-link' },
    keepsFlow: ['cancel', 'keep', 'replace'],
    open,
    startLinks: { link: 'button-link' },
    buttons: {
      async cancel(ctx) {
        endFlow(ctx);
        await openMenu(ctx);
      },
      async keep(ctx) {
        const link = await linkOf(deps, ctx);
        endFlow(ctx);
        if (link) ctx.headerHtml = ctx.words.html('link-kept', { account: String(link.account) });
        await openMenu(ctx);
      },
      replace: changes(async (ctx, name) => {
        const pending = await pendingLinks.find(ctx.from.id, name);
        const isClosed = await isInMaintenance(deps, ctx);
        if (pending && !isClosed) return linkKey(ctx, pending.apiKey, pending);
        if (ctx.session.pendingLink === name) endFlow(ctx);
        await showText(ctx, ctx.words.html(pending ? 'maintenance' : 'link-replace-over'));
      }, PENDING_LINK_TTL_MS),
    },
    secretInput: {
      acceptsKeys: true,
      async handle(ctx, secret) {
        const apiKey = secret?.trim();
        if (apiKey === undefined) return askAgain(ctx, 'link-not-text');
        if (containsOperatorKey(operator, apiKey)) return handleOperatorKey(ctx, ctx.from.id);
        if (!KEY_PATTERN.test(apiKey)) return askAgain(ctx, 'link-not-a-key');
        if (await isInMaintenance(deps, ctx)) return askAgain(ctx, 'maintenance-link');
        return linkKey(ctx, apiKey);
      },
      repeatQuestion,
      explain: (ctx) => askAgain(ctx, 'link-question'),
      exposedText: 'link-delete-failed',
    },
  };
});

function problemOf(outcome: Awaited<ReturnType<Rental['profile']>> | undefined): TextKey {
  const refused = outcome?.kind === 'rejected' && outcome.status !== 429;
  if (refused || (outcome?.kind === 'not-sent' && outcome.reason === 'invalid')) return 'link-refused';
  return isUnexpectedReply(outcome) ? 'link-unexpected' : 'link-unreachable';
}
