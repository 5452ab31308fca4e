import type { InlineKeyboardButton } from 'grammy/types';
import type { Accounts } from '../accounts/accounts.ts';
import type { Link } from '../accounts/links.ts';
import { guestButtons, linkOf, payerOf, revokedLinkNote, showAccountNeeded } from '../bot/accounts.ts';
import type { BotContext, Payer } from '../bot/context.ts';
import { repeatQuestion } from '../bot/dialogue.ts';
import {
  defineFeature,
  entryButton,
  type FeatureDeps,
  isByAdmin,
  type MenuAudience,
  type MenuPlace,
  maintenanceNotice,
  menuEntries,
} from '../bot/feature.ts';
import { repeatCard } from '../bot/operation-card.ts';
import { addHeader, showText, showThenRefresh } from '../bot/reply.ts';
import type { Broadcasts } from '../broadcasts/broadcasts.ts';
import { activeBroadcastLine } from '../broadcasts/progress.ts';
import { isTest } from '../broadcasts/store.ts';
import { formatKeyTail, formatSpan, lines, paragraphs, type Words } from '../i18n/texts.ts';
import type { Outbox } from '../notifications/outbox.ts';
import { CARD_BUTTONS } from '../operations/card.ts';
import { isConfirmed, type Operation } from '../operations/operation.ts';
import type { PriceSource, Quotes } from '../operations/quotes.ts';
import { orTimeout } from '../platform/async.ts';
import { MINUTE_MS } from '../platform/clock.ts';
import { createTtlCache } from '../platform/ttl-cache.ts';
import type { OtherAccount } from '../rental-api/account-reader.ts';
import { OPERATOR_ACCOUNT } from '../rental-api/client.ts';
import type { DepositRecord, Withdrawal } from '../rental-api/schemas.ts';
import { ENERGY_PER_TRANSFER } from '../rental-api/tron.ts';
import { linkButton, waitingDeposits } from '../views/account-views.ts';
import { callbackData } from '../views/callback-data.ts';
import { describeProblem, type HealthProblem } from '../views/health-problem.ts';
import { button, inRows, type View, withMenuButton } from '../views/view.ts';
import { readFigures } from './views/figures.ts';
import { limitList } from './views/leaving-account.ts';
import { press } from './views/press.ts';
import {
  listedUnknown,
  pendingWithdrawals,
  unknownPayments,
  waitingWithdrawals,
} from './views/waiting-money.ts';

const NAME = 'menu';
interface Listed {
  deposits: readonly DepositRecord[];
  withdrawals: readonly Withdrawal[];
}
const NONE_LISTED: Listed = { deposits: [], withdrawals: [] };

/** Latest operations among which those of unknown result are searched. */
const OPERATIONS_READ = 40;

const BALANCE_WORDS = ['my balance', 'баланс', 'мой баланс'];

interface MenuDeps extends FeatureDeps, Pick<Accounts, 'balances'> {
  state: { health: { problems(): Promise<readonly HealthProblem[]> } };
  outbox: Pick<Outbox, 'onUserActive'>;
  broadcasts: Pick<Broadcasts, 'active' | 'scheduled'>;
}

/** Minimum age of a balance that is shown with its age, in milliseconds. */
const MIN_SHOWN_AGE_MS = MINUTE_MS;

export const menuFeature = defineFeature((deps: MenuDeps) => {
  const { pollers, outbox, balances, features, accountUrl, operatorKey, quotes, addressAnnouncements, now } =
    deps;
  const balanceOf = createMenuBalance(deps);
  /** Accounts for which nothing waits. What waits is read for each menu, so that it agrees with the notes about it. */
  const recentlyEmpty = createTtlCache<number, true>({
    ttlMs: EMPTY_TTL_MS,
    now: () => performance.now(),
  });
  /** Composed buttons by language, place and type of link, because every menu shows the same. */
  const linkedButtons = new Map<string, InlineKeyboardButton[]>();

  function buttonsAt(
    words: Words,
    place: MenuPlace,
    { isMerchant, usesOperatorAccount }: Link,
  ): InlineKeyboardButton[] {
    const key = [words.language, place, isMerchant === true, usesOperatorAccount === true].join();
    const known = linkedButtons.get(key);
    if (known) return known;
    const audience: MenuAudience[] = isMerchant ? ['linked', 'merchant'] : ['linked'];
    const composed = menuEntries(features(), audience, { usesOperatorAccount })
      .map(({ merchants, ...entry }) => ({ ...entry, move: isMerchant ? merchants : undefined }))
      .filter(({ move = 'first', ...entry }) => (move === 'first' ? entry.place : move) === place)
      .toSorted((one, other) => Number(other.move === 'first') - Number(one.move === 'first'))
      .map((entry, at) => entryButton(words, at === 0 ? entry : { ...entry, style: undefined }));
    linkedButtons.set(key, composed);
    return composed;
  }

  function mainMenu(words: Words, link: Link): InlineKeyboardButton[] {
    const below = (['balance', 'more'] as const)
      .filter((place) => buttonsAt(words, place, link).length > 0)
      .map((place) => button(words, `button-${place}`, callbackData(NAME, place)));
    return [...buttonsAt(words, 'main', link), ...below];
  }

  const adminButtons = (words: Words) =>
    menuEntries(features(), ['admin'])
      .filter(({ place }) => place === 'admin')
      .map((entry) => entryButton(words, entry));

  function adminRow(ctx: BotContext): InlineKeyboardButton[][] {
    if (!isByAdmin(deps, ctx) || adminButtons(ctx.words).length === 0) return [];
    return [[button(ctx.words, 'button-admin', callbackData(NAME, 'admin'))]];
  }

  function guestMenu(words: Words): InlineKeyboardButton[][] {
    const ofStyle = (isPrimary: boolean) =>
      menuEntries(features(), ['guest'])
        .filter(({ style }) => (style === 'primary') === isPrimary)
        .map((entry) => entryButton(words, entry));
    const first = inRows(ofStyle(true), 1);
    const linking = guestButtons(words, accountUrl, { isPrimary: first.length === 0 });
    return [...first, ...linking, ...inRows(ofStyle(false))];
  }

  async function open(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const link = await linkOf(deps, ctx);
    if (link === undefined) return showGuest(ctx);
    const [first, ...others] = mainMenu(words, link);
    const keyboard = [...(first ? [[first]] : []), ...inRows(others), ...adminRow(ctx)];
    const notice = await maintenanceNotice(deps, ctx);
    await showAccount(ctx, link, (account) => ({
      html: paragraphs(notice, title(words, link.account), account),
      keyboard,
    }));
  }

  /** Renders the title of the main menu with the price of energy, if it is known. */
  function title(words: Words, account: number): string {
    const { price, burnTrx = 'none', percent = '' } = quotes.offer(account) ?? {};
    const offer = { amount: ENERGY_PER_TRANSFER, price: price ?? '', burn: burnTrx, percent };
    return lines(words.html('menu-title'), price !== undefined && words.html('menu-offer', offer));
  }

  /** Shows the menu of a user without an account. A price that isn't known yet follows with an edit. */
  async function showGuest(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const invoices = operatorKey ? 'yes' : 'no';
    const [note, notice] = await Promise.all([revokedLinkNote(deps, ctx), maintenanceNotice(deps, ctx)]);
    const keyboard = [...guestMenu(words), ...adminRow(ctx)];
    const view = () => {
      const priced = quotes.offer(OPERATOR_ACCOUNT) === undefined ? 'no' : 'yes';
      const welcome = words.html('menu-guest', { invoices, priced });
      return { html: paragraphs(notice, note, title(words, OPERATOR_ACCOUNT), welcome), keyboard };
    };
    await showThenRefresh(ctx, view(), pricesOf(OPERATOR_ACCOUNT).then(view));
  }

  /** Resolves once the prices of an account are known or can't be read in time. */
  async function pricesOf(source: PriceSource): Promise<void> {
    const account = source === OPERATOR_ACCOUNT ? OPERATOR_ACCOUNT : source.account;
    if (quotes.offer(account) === undefined) await quotes.prices(source).catch(() => undefined);
  }

  /**
   * Shows a view with the account and its last known balance, and edits it once the service has reported the current
   * one. Without a known balance, waits for the service for a moment. `more`: resolves once `viewOf` can show more.
   */
  async function showAccount(
    ctx: BotContext,
    link: Link,
    viewOf: (html: string) => View,
    more: Promise<unknown> = Promise.resolve(),
  ): Promise<void> {
    const { words, chatId } = ctx;
    const { account, tail, usesOperatorAccount } = link;
    ctx.tx.afterCommit(() => outbox.onUserActive(chatId));
    const accountLine = words.html('menu-account', { account: String(account), tail: formatKeyTail(tail) });
    const viewWith = (balance: string) => viewOf(lines(accountLine, balance));
    const viewNow = (balance: string | OtherAccount | undefined) => {
      if (typeof balance === 'object') {
        const view = viewWith(
          words.html('account-other', { whose: usesOperatorAccount ? 'operators' : 'own' }),
        );
        return usesOperatorAccount ? view : { ...view, keyboard: [[linkButton(words)], ...view.keyboard] };
      }
      return viewWith(
        balance === undefined
          ? words.html('operation-no-balance')
          : words.html('menu-balance-current', { balance }),
      );
    };

    const recent = balances.getRecent(account);
    const payer = recent === undefined ? await payerOf(deps, ctx) : undefined;
    if (payer === undefined)
      return showThenRefresh(
        ctx,
        viewNow(recent),
        more.then(() => viewNow(recent)),
      );
    const last = balances.getLast(account);
    const reading = readBalance(payer, last?.balance);
    // If the account can't be read, nor can its prices.
    const priced = reading.then((read) => (typeof read === 'string' ? pricesOf(payer) : undefined));
    if (last === undefined) {
      const read = await reading;
      return showThenRefresh(
        ctx,
        viewNow(read),
        Promise.all([priced, more]).then(() => viewNow(read)),
      );
    }
    const { balance, ageMs } = last;
    const viewOfLast = () =>
      ageMs < MIN_SHOWN_AGE_MS
        ? viewNow(balance)
        : viewWith(words.html('menu-balance-last', { balance, age: formatSpan(words, ageMs) }));
    const refreshed = Promise.all([reading, more, orTimeout(priced, BALANCE_TIMEOUT_MS)]).then(([read]) =>
      read === undefined ? viewOfLast() : viewNow(read),
    );
    await showThenRefresh(ctx, viewOfLast(), refreshed);
  }

  async function readBalance(payer: Payer, before: string | undefined) {
    const balance = await balanceOf(payer);
    const hasChanged = before !== undefined && typeof balance === 'string' && before !== balance;
    // The cause is found sooner if the account is polled now. If that fails, its next poll finds it.
    if (hasChanged) pollers.onUserActive(payer.account).catch(() => undefined);
    return balance;
  }

  const openSubmenu = (place: 'balance' | 'more') => async (ctx: BotContext) => {
    const { words } = ctx;
    const link = await linkOf(deps, ctx);
    if (link === undefined) return place === 'balance' ? showAccountNeeded(deps, ctx) : open(ctx);
    const title = words.html(`menu-${place}`);
    const rows = inRows(buttonsAt(words, place, link));
    if (place === 'more') return void (await showText(ctx, title, ...rows));
    let waiting = '';
    const read = readWaiting(ctx, link).then((html) => {
      waiting = html;
    });
    await showAccount(
      ctx,
      link,
      (account) => withMenuButton(words, paragraphs(title, account, waiting), ...rows),
      read,
    );
  };

  /**
   * Renders payments of unknown result, withdrawals on hold, and deposits that aren't credited yet. A last line says if
   * some couldn't be read in time.
   */
  async function readWaiting(ctx: BotContext, { account }: Link): Promise<string> {
    const { words, from } = ctx;
    const { history, kinds } = deps.operations;
    const [announced, listed, latest] = await Promise.all([
      addressAnnouncements.waitingFrom(account).catch(() => undefined),
      readListed(ctx),
      history.page(from.id, { size: OPERATIONS_READ }).catch(() => undefined),
    ]);
    const isPaid = ({ account: payer, request }: Operation) =>
      payer === account && !kinds.of(request).isFree?.(request);
    const paid = latest?.operations.filter(isPaid) ?? [];
    const pending = listed?.withdrawals ?? [];
    const namedBelow = [...listedUnknown(paid, pending).values()];
    const waiting = [
      ...unknownPayments(
        words,
        kinds,
        paid.filter((one) => !namedBelow.includes(one)),
      ),
      ...waitingWithdrawals(words, announced ?? [], { now: now(), reader: from.id }),
      ...pendingWithdrawals(words, pending),
      ...waitingDeposits(words, listed?.deposits ?? []),
    ];
    const isUnread = [announced, listed, latest].includes(undefined);
    return lines(...limitList(words, waiting), isUnread && words.html('waiting-unread'));
  }

  /**
   * Returns the pending deposits and withdrawals of the account that was linked, or `undefined` if they can't be read in time.
   */
  async function readListed(ctx: BotContext): Promise<Listed | undefined> {
    const payer = await payerOf(deps, ctx);
    if (payer === undefined || recentlyEmpty.get(payer.account)) return NONE_LISTED;
    const [deposits, withdrawals] = await Promise.all([
      orTimeout(
        payer.read((reads) => reads.deposits()),
        LISTS_TIMEOUT_MS,
      ),
      orTimeout(
        payer.read((reads) => reads.withdrawals()),
        LISTS_TIMEOUT_MS,
      ),
    ]);
    if (deposits?.kind === 'other-account') return NONE_LISTED;
    if (deposits?.kind !== 'accepted' || withdrawals?.kind !== 'accepted') return undefined;
    const [waiting, pending] = [deposits.value.filter(isPending), withdrawals.value.filter(isPending)];
    if (waiting.length + pending.length === 0) recentlyEmpty.set(payer.account, true);
    return { deposits: waiting, withdrawals: pending };
  }

  async function admin(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const html = paragraphs(words.html('menu-admin'), await adminWarnings(deps, words));
    await showText(ctx, html, ...inRows(adminButtons(words)));
  }

  /**
   * Shows an open question or card again, or says above the menu what became of it. A question about a missing balance reads
   * the new one.
   */
  async function continueOpen(ctx: BotContext): Promise<unknown> {
    if ((await repeatQuestion(features(), ctx)) || (await repeatCard(deps, ctx))) return;
    const { draft } = ctx.session;
    const operation =
      draft && (await deps.operations.drafts.find({ user: ctx.from.id, id: draft.operation }));
    if (operation?.state === 'refused')
      return press(deps, ctx, { feature: CARD_BUTTONS, button: 'again', argument: operation.id });
    const state = operation?.state === 'expired' ? 'expired' : 'cancelled';
    const ended = operation && isConfirmed(operation) ? 'confirmed' : state;
    addHeader(ctx, ctx.words.html('menu-continue-over', { ended }));
    await open(ctx);
  }

  return {
    name: NAME,
    keepsFlow: ['balance', 'more', 'admin', 'continue'],
    keepsCard: ['open'],
    forSuspended: ['balance'],
    isAvailable: (ctx, pressed) => pressed !== 'admin' || isByAdmin(deps, ctx),
    open,
    command: { name: 'start', text: 'command-start' },
    alias: { name: 'menu', text: 'command-menu', inMenu: true },
    words: ['main menu', 'меню', 'главное меню', 'старт', 'начать', 'back', 'назад'],
    buttons: { balance: openSubmenu('balance'), more: openSubmenu('more'), admin, continue: continueOpen },
    buttonCommands: {
      balance: {
        button: 'balance',
        text: 'command-balance',
        inMenu: true,
        linked: true,
        words: BALANCE_WORDS,
      },
      admin: { button: 'admin', text: 'command-admin', admins: true, inMenu: true },
    },
  };
});

/** Maximum number of broadcasts in the admin menu. Further ones are only counted. */
const MAX_BROADCASTS = 3;

/** Returns urgent warnings for admins and open broadcasts, one per line; an empty text without any. */
async function adminWarnings(deps: MenuDeps, words: Words): Promise<string> {
  const { maintenance, operations, state, broadcasts } = deps;
  const { maintained, pending, problems, active, scheduled } = await readFigures({
    maintained: maintenance.find(),
    pending: operations.pendingSummary(),
    problems: state.health.problems(),
    active: broadcasts.active(),
    scheduled: broadcasts.scheduled(),
  });
  const { uncertain = 0, isMore = false } = pending?.value ?? {};
  const errors = (problems?.value ?? []).filter(({ severity }) => severity === 'error');
  const isUnread = [maintained, pending, problems, active, scheduled].includes(undefined);
  const open = [...[active?.value ?? []].flat().filter((one) => !isTest(one)), ...(scheduled?.value ?? [])];
  const more = open.length - MAX_BROADCASTS;
  return lines(
    uncertain > 0 && words.html('admin-uncertain', { count: isMore ? `${uncertain}+` : uncertain }),
    maintained?.value !== undefined && words.html('admin-maintenance'),
    ...errors.map((problem) => words.html('admin-problem', describeProblem(words, problem))),
    ...open.slice(0, MAX_BROADCASTS).map((one) => activeBroadcastLine(words, one)),
    more > 0 && words.html('list-more', { count: String(more) }),
    isUnread && words.html('admin-unread'),
  );
}

const BALANCE_TIMEOUT_MS = 1_000;
const LISTS_TIMEOUT_MS = 3_000;
/** Time for which menus don't look again for deposits and withdrawals if none waits, in milliseconds. */
const EMPTY_TTL_MS = 10_000;
const isPending = ({ status }: { status: string }) => status === 'pending';
/** Timers may fire this much early, in milliseconds. */
const TIMER_TOLERANCE_MS = 50;
/** Time after a timeout for which the account's menus don't read the balance, in case the service still hangs. */
const NO_WAIT_AFTER_TIMEOUT_MS = 10_000;

/** Creates the function that reads the balance for menus. It returns `undefined` if the service doesn't respond quickly. */
export function createMenuBalance(deps: Pick<Accounts, 'balances'> & { quotes: Pick<Quotes, 'balance'> }) {
  const { quotes, balances } = deps;
  // By account, because a timeout may also mean that this account has reached its rate limit.
  const timedOut = createTtlCache<number, true>({
    ttlMs: NO_WAIT_AFTER_TIMEOUT_MS,
    now: () => performance.now(),
  });

  return async (payer: Payer) => {
    if (timedOut.get(payer.account)) return undefined;
    const began = performance.now();
    const storeBalance = balances.startRead(payer.account);
    const balance = await quotes.balance(payer, BALANCE_TIMEOUT_MS);
    if (typeof balance === 'string') storeBalance(balance);
    else if (balance !== undefined) return balance;
    else if (performance.now() - began >= BALANCE_TIMEOUT_MS - TIMER_TOLERANCE_MS)
      timedOut.set(payer.account, true);
    return balance;
  };
}
