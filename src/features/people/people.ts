import type { InlineKeyboardButton } from 'grammy/types';
import { z } from 'zod';
import type { UserErasure } from '../../accounts/erase-user.ts';
import { PERIODS_DAYS, type UserCounts, type UserStatistics } from '../../accounts/user-counts.ts';
import type { BotUser } from '../../accounts/users.ts';
import type { BotContext } from '../../bot/context.ts';
import {
  type DialogueState,
  dialogue,
  dialogueStateSchema,
  FLOW_ENDS,
  showFlowEnded,
} from '../../bot/dialogue.ts';
import { adminsOnly, changes, defineFeature, QUESTION_TTL_MS } from '../../bot/feature.ts';
import { renewTappedButton, sendFile, show, showToast } from '../../bot/reply.ts';
import { formatCount, formatDay, LANGUAGES, lines, paragraphs, type Words } from '../../i18n/texts.ts';
import { isOrderWithoutAddress } from '../../input/order-text.ts';
import { defineFeatureNotification, singleView } from '../../notifications/kinds.ts';
import type { RentalReminders } from '../../notifications/rental-reminders.ts';
import type { OperationRef } from '../../operations/operation.ts';
import { roundUpToMinutes } from '../../platform/clock.ts';
import { findAddressInput } from '../../rental-api/tron.ts';
import { callbackData } from '../../views/callback-data.ts';
import {
  button,
  inRows,
  pageButtons,
  type View,
  withAdminButtons,
  withMenuButton,
} from '../../views/view.ts';
import {
  adminOperationView,
  buttonArgumentOf,
  refOfButtonArgument,
  UNRESOLVED,
} from '../views/admin-operation.ts';
import { guestInvoiceNotes, leavingWarnings, subscriptionsWarning } from '../views/leaving-account.ts';
import { PEOPLE, RESULTS, resultsData, resultsRow } from '../views/search-results.ts';
import { copyOfUserData, type UserCopyDeps } from '../views/user-data.ts';
import { ERASED } from './erasure.ts';
import {
  openedInvoiceLine,
  openInvoices,
  operationLines,
  type PersonDeps,
  suspensionOf,
  userLines,
  waitingLines,
} from './person-view.ts';
import {
  createUserSearch,
  decodeUserSearch,
  encodeUserSearch,
  type Found,
  parseLookup,
  parseUserSearch,
  type UserSearch,
} from './user-search.ts';

const NAME = PEOPLE;
const SOUGHT = 'sought';
const FOUND = 'found';
const PAGE_SIZE = 5;
/** Maximum operations that are summarized. */
const SUMMARY_SIZE = 200;
const REFS_PER_ROW = 3;

type PeopleDeps = PersonDeps &
  UserCopyDeps & { userCounts: Pick<UserCounts, 'count'> } & {
    userErasure: Pick<UserErasure, 'request' | 'hasStarted'>;
    rentalReminders: Pick<RentalReminders, 'onReceipt'>;
  };

const RESTORED = defineFeatureNotification({
  name: `${NAME}-restored`,
  data: z.object({}),
  isMoney: false,
  view: singleView((words) => withMenuButton(words, words.html('unbanned'))),
  samples: [{}],
});

type State = DialogueState & { sought?: UserSearch | undefined };

export const peopleFeature = defineFeature({ notifications: [RESTORED, ERASED] }, (deps: PeopleDeps) => {
  const { users, userCounts, links, operations, invoices, isAdmin, adminLog, userErasure, notify, now } =
    deps;
  const searchUsers = createUserSearch(deps);

  const findButton = (words: Words) => button(words, 'button-person', callbackData(NAME, 'find'));

  /** Shows a screen on which a typed text is a search. */
  async function showScreen(ctx: BotContext, view: View): Promise<void> {
    ctx.session.screen = NAME;
    await show(ctx, view);
  }

  async function showProblem(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    await showScreen(ctx, withAdminButtons(words, words.html('problem-person'), [findButton(words)]));
  }

  async function open(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const figures = await userCounts.count();
    const refresh = button(words, 'button-refresh', callbackData(NAME, 'open'));
    const html = paragraphs(words.html('people-title'), userFigures(words, figures));
    await showScreen(ctx, withAdminButtons(words, html, [refresh, findButton(words)]));
  }

  /** `after`: id of the operation after which the page of the user's operations begins. */
  async function viewOf(ctx: BotContext, person: BotUser, after?: string): Promise<View> {
    const { words } = ctx;
    const { user } = person;
    const [link, read, opened, suspension] = await Promise.all([
      links.find(user),
      operations.history.page(user, { size: after === undefined ? SUMMARY_SIZE : PAGE_SIZE, after }),
      after === undefined ? invoices.opened(user, PAGE_SIZE) : [],
      suspensionOf(deps, person),
    ]);
    const shown = read.operations.slice(0, PAGE_SIZE);
    const isMore = read.operations.length > PAGE_SIZE;
    const older = isMore ? shown.at(-1)?.id : read.older;
    const html = paragraphs(
      userLines(words, person, { link, isAdmin: isAdmin(user), suspension }),
      after === undefined && (await waitingLines(deps, words, { user, link, operations: read.operations })),
      words.html(shown.length > 0 ? 'person-operations' : 'person-no-operations'),
      ...(await operationLines(deps, words, shown)),
      read.unreadable > 0 && words.html('history-unreadable', { count: read.unreadable }),
      opened.length > 0 && words.html('person-opened'),
      ...opened.map((invoice) => openedInvoiceLine(words, invoice, now())),
    );
    const opening = refButtons([...shown, ...opened]);
    const turning = pageButtons(words, {
      newest: after === undefined ? undefined : callbackData(NAME, 'one', user),
      older: older && callbackData(NAME, 'older', buttonArgumentOf({ user, id: older })),
    });
    const all = button(words, 'button-people', callbackData(NAME, 'open'));
    const banButton = person.isBanned
      ? button(words, 'button-unban', callbackData(NAME, 'unban', user))
      : button(words, 'button-ban', callbackData(NAME, 'ban', user));
    const data = [
      button(words, 'button-person-copy', callbackData(NAME, 'copy', user)),
      button(words, 'button-person-erase', callbackData(NAME, 'erase', user)),
    ];
    const rows = [turning, data, [banButton], [findButton(words), all], resultsRow(ctx)];
    return withAdminButtons(words, html, ...opening, ...rows);
  }

  async function askToBan(ctx: BotContext, user: string): Promise<void> {
    const { words } = ctx;
    if (isAdmin(Number(user))) {
      return void (await show(ctx, withAdminButtons(words, words.html('person-ban-admin'))));
    }
    const yes = button(words, 'button-ban-yes', callbackData(NAME, 'ban-yes', askedNow(user)), 'danger');
    const no = button(words, 'button-cancel', callbackData(NAME, 'one', user));
    const [person, linked] = await Promise.all([
      users.find(Number(user)),
      links.readAhead(Number(user)).open(),
    ]);
    const { username: name = 'none' } = person ?? {};
    const [open, smartMode] = await Promise.all([
      openInvoices(deps, { user: Number(user), link: linked?.link }),
      linked !== undefined && subscriptionsWarning(deps, words, linked, 'suspending'),
    ]);
    const html = paragraphs(
      words.html('person-ban-ask', { user, name }),
      open.length > 0 && words.html('person-ban-invoices', { count: open.length }),
      smartMode,
    );
    await show(ctx, { html, keyboard: [[yes, no]] });
  }

  /** Returns the argument of a button below a question about a user: the user's id, and the time of the question. */
  const askedNow = (user: string) => [user, now().toString(36)].join('_');

  function readAsked(argument: string): { user: number; askedAt: number } {
    const [given = '', asked = ''] = argument.split('_');
    return { user: Number(given), askedAt: Number.parseInt(asked, 36) };
  }

  async function ban(ctx: BotContext, argument: string): Promise<void> {
    const { user, askedAt } = readAsked(argument);
    const restored = await adminLog.findLatest('person-unbanned', String(user));
    // The question is about the access that another answer has taken and an admin has restored since.
    if (restored !== undefined && restored.at >= askedAt) return showToast(ctx, 'toast-question-over');
    await setBanned(ctx, user, true);
  }

  async function setBanned(ctx: BotContext, user: number, isBanned: boolean): Promise<void> {
    ctx.tx.signal.throwIfAborted();
    const before = await users.find(user);
    if (before && (before.isBanned ?? false) !== isBanned && !(isBanned && isAdmin(user))) {
      // Logged before the change: when the update is handled again, the change may have been made already.
      const act = isBanned ? 'person-banned' : 'person-unbanned';
      await adminLog.add(ctx.from.id, act, String(user), { update: ctx.update.update_id });
      ctx.tx.signal.throwIfAborted();
      // Before the change, too. The same update again sends no second message.
      if (!isBanned) await notify(RESTORED, { user, id: String(ctx.update.update_id), data: {} });
      await users.setBanned(user, isBanned);
    }
    await showUser(ctx, user);
  }

  async function showUser(ctx: BotContext, user: number, after?: string): Promise<void> {
    const person = await users.find(user);
    const view = person ? await viewOf(ctx, person, after) : await erasedView(ctx, user, after);
    await showScreen(ctx, view ?? nobodyView(ctx.words));
  }

  /** Shows the operations of an erased user. Returns `undefined` if neither the log nor an operation names such a user. */
  async function erasedView(ctx: BotContext, user: number, after?: string): Promise<View | undefined> {
    const { words } = ctx;
    const entry = await adminLog.findLatest('person-erased', String(user));
    const { operations: shown, older } = await operations.history.page(user, { size: PAGE_SIZE, after });
    if (entry === undefined && shown.length === 0) return undefined;
    const day = entry === undefined ? 'none' : formatDay(entry.at, words.language);
    const html = paragraphs(
      words.html('person-erased', { user: String(user), day }),
      words.html(shown.length > 0 ? 'person-operations' : 'person-no-operations'),
      ...(await operationLines(deps, words, shown)),
    );
    const opening = refButtons(shown);
    const turning = pageButtons(words, {
      newest: after === undefined ? undefined : callbackData(NAME, 'one', user),
      older: older && callbackData(NAME, 'older', buttonArgumentOf({ user, id: older })),
    });
    return withAdminButtons(words, html, ...opening, turning, [findButton(words)], resultsRow(ctx));
  }

  async function showFound(ctx: BotContext, search: UserSearch, given?: Found): Promise<void> {
    const { words } = ctx;
    const found = given ?? (await searchUsers(search));
    const [person, another] = found.users;
    const [operation, more] = found.operations;
    if (person && !operation && !another) return showScreen(ctx, await viewOf(ctx, person));
    if (operation && !person && !more) return showScreen(ctx, await adminOperationView(deps, ctx, operation));
    if (!person && !operation) {
      const erased = search.by === 'number' ? await erasedView(ctx, Number(search.text)) : undefined;
      return showScreen(
        ctx,
        erased ?? nobodyView(words, found.isPartial ? 'too-many' : search.by, search.text),
      );
    }
    await showScreen(ctx, await foundView(words, search, found));
  }

  function nobodyView(words: Words, why: UserSearch['by'] | 'user' | 'too-many' = 'user', sought = ''): View {
    return withAdminButtons(words, words.html('people-nobody', { why, sought }), [findButton(words)]);
  }

  async function foundView(
    words: Words,
    search: UserSearch,
    { users: people, operations: found, isPartial }: Found,
  ): Promise<View> {
    const owners = await Promise.all(found.map(({ user }) => users.find(user)));
    const html = paragraphs(
      words.html('people-found'),
      ...people.map(({ user, username }) =>
        words.html('person-title', { user: String(user), name: username ?? 'none' }),
      ),
      ...(await operationLines(deps, words, found, owners)),
      isPartial && words.html('people-partial'),
    );
    const opening = people.map(({ user, username }) => ({
      text: username === undefined ? `👤 ${user}` : `👤 @${username}`,
      callback_data: callbackData(NAME, 'one', user),
    }));
    const refresh = button(words, 'button-refresh', resultsData(encodeUserSearch(search)));
    const rows = [...inRows(opening), ...refButtons(found), [refresh, findButton(words)]];
    return withAdminButtons(words, html, ...rows);
  }

  /** Sends the admin a copy of what is stored about a user, as *My data* does for the user. */
  async function sendCopy(ctx: BotContext, given: string): Promise<void> {
    const { words } = ctx;
    ctx.tx.afterCommit(() => renewTappedButton(ctx));
    const made = await copyOfUserData(deps, Number(given), { fileName: `user-${given}` });
    if ('waitMs' in made)
      return showToast(ctx, 'toast-privacy-wait', { minutes: roundUpToMinutes(made.waitMs) });
    ctx.tx.signal.throwIfAborted();
    // Logged before: the admin may get the file although Telegram's response is lost.
    await adminLog.add(ctx.from.id, 'person-export-asked', given, { update: ctx.update.update_id });
    if (!(await sendFile(ctx, made, words.html('person-file', { user: given }))))
      showToast(ctx, 'toast-file-slow');
  }

  /** Asks whether to erase a user's data, with the warnings that the user would get. */
  async function askToErase(ctx: BotContext, given: string): Promise<void> {
    const { words } = ctx;
    const user = Number(given);
    if (isAdmin(user))
      return void (await show(ctx, withAdminButtons(words, words.html('person-erase-admin'))));
    const [person, linked] = await Promise.all([users.find(user), links.readAhead(user).open()]);
    const { username: name = 'none' } = person ?? {};
    const account = linked === undefined ? 'none' : linked.link.usesOperatorAccount ? 'operators' : 'own';
    const html = paragraphs(
      words.html('person-erase-ask', { user: given, name, account }),
      ...(await leavingWarnings(deps, words, {
        user,
        linked,
        reader: 'admin',
        remindAt: deps.rentalReminders.onReceipt,
      })),
      ...(await guestInvoiceNotes(deps, words, { user, reader: 'admin' })),
      words.html('person-erase-kept'),
    );
    const yes = button(
      words,
      'button-person-erase-yes',
      callbackData(NAME, 'erase-yes', askedNow(given)),
      'danger',
    );
    const no = button(words, 'button-cancel', callbackData(NAME, 'one', user));
    await show(ctx, { html, keyboard: [[yes], [no]] });
  }

  async function erase(ctx: BotContext, argument: string): Promise<void> {
    const { words, update } = ctx;
    const { user, askedAt } = readAsked(argument);
    const person = await users.find(user);
    if (isAdmin(user) || (await userErasure.hasStarted({ user, askedAt })))
      return showToast(ctx, 'toast-question-over');
    if (person === undefined) return void (await show(ctx, nobodyView(words)));
    const linkedAt = await links.linkedAt(user);
    ctx.tx.signal.throwIfAborted();
    await adminLog.add(ctx.from.id, 'person-erased', String(user), { update: update.update_id });
    const all = button(words, 'button-people', callbackData(NAME, 'open'));
    await show(ctx, withAdminButtons(words, words.html('person-erase-begun', { user: String(user) }), [all]));
    ctx.tx.signal.throwIfAborted();
    // Last, because after this call the erasure is certain, whatever happens to this update.
    await userErasure.request({
      ...{ user, askedAt, update: update.update_id, at: now(), linkedAt },
      language: person.language,
      byAdmin: ctx.from.id,
    });
  }

  async function finish(ctx: BotContext, { step, sought }: State): Promise<void> {
    if (step === FOUND && sought) await showFound(ctx, sought);
    else if (step === FLOW_ENDS.back) await open(ctx);
    else await showFlowEnded(ctx, step);
  }

  return adminsOnly(deps, {
    name: NAME,
    button: 'button-people',
    command: { name: 'people', text: 'command-people' },
    open,
    async onCommandText(ctx, text) {
      const sought = parseUserSearch(text);
      if (sought) return showFound(ctx, sought);
      await showProblem(ctx);
    },
    async onScreenText(ctx, text) {
      const sought = searchIn(ctx, text);
      if (sought) await showFound(ctx, sought);
      return sought !== undefined;
    },
    /** Looks up what an admin names on any screen, after the admin's own invoices and operations. */
    async onText(ctx, text) {
      const search = isAdmin(ctx.from.id) ? parseLookup(text) : undefined;
      if (search === undefined) {
        const isUnclear = ctx.lastScreen === NAME && isAdmin(ctx.from.id) && ctx.aside === undefined;
        if (!isUnclear || isOrderWithoutAddress(text) || findAddressInput(text) !== undefined) return false;
        await showProblem(ctx);
        return true;
      }
      const found = await searchUsers(search);
      // *Order 2* is an order of two transfers.
      const mayBeOther = !search.isNamed || /^\d{1,3}$/.test(search.text);
      if (mayBeOther && found.users.length + found.operations.length === 0) return false;
      await showFound(ctx, search, found);
      return true;
    },
    buttons: {
      open,
      one: (ctx, user) => showUser(ctx, Number(user)),
      async [RESULTS](ctx, search) {
        const sought = decodeUserSearch(search);
        await (sought ? showFound(ctx, sought) : open(ctx));
      },
      older(ctx, argument) {
        const { user, id } = refOfButtonArgument(argument);
        return showUser(ctx, user, id);
      },
      ban: askToBan,
      'ban-yes': changes(ban, QUESTION_TTL_MS),
      unban: changes((ctx, user) => setBanned(ctx, Number(user), false)),
      copy: changes(sendCopy),
      erase: askToErase,
      'erase-yes': changes(erase, QUESTION_TTL_MS),
      find: async (ctx) => {
        ctx.flowToEnter = { feature: NAME, start: { step: SOUGHT } satisfies State };
      },
    },
    flow: {
      version: 1,
      ...dialogue<State>({
        stateSchema: dialogueStateSchema,
        steps: {
          [SOUGHT]: {
            ask: ({ words }) => words.html('people-ask'),
            onText(ctx, state, text) {
              const sought = searchIn(ctx, text);
              return sought
                ? { ...state, sought, step: FOUND }
                : { ...state, problem: ctx.words.html('problem-person') };
            },
          },
        },
        finish,
      }),
    },
  });
});

/**
 * Returns the search that a text is meant as. The name of a feature may look like a Ref. or an @name: *withdraw*. A
 * single token that only contains such a name, or has a sign of an @name or link, isn't one.
 */
function searchIn({ aside }: BotContext, text: string): UserSearch | undefined {
  const isOneToken = !/\s/.test(text.trim());
  const isName = /\d/.test(text) || (isOneToken && (aside?.isExact === false || /[@_/]/.test(text)));
  return aside !== undefined && !isName ? undefined : parseUserSearch(text);
}

function userFigures(words: Words, figures: UserStatistics): string {
  const count = (number: number) => formatCount(number, words.language);
  const spans = (of: UserStatistics['newUsers']) => PERIODS_DAYS.map((span) => count(of[span])).join(' · ');
  return paragraphs(
    lines(
      words.html('people-all', { count: `${count(figures.total)}${figures.isPartial ? '+' : ''}` }),
      words.html('people-linked', { count: count(figures.linked) }),
      words.html('people-unreachable', { count: count(figures.unreachable) }),
      figures.banned > 0 && words.html('people-banned', { count: count(figures.banned) }),
    ),
    lines(
      words.html('people-spans'),
      words.html('people-new', { counts: spans(figures.newUsers) }),
      words.html('people-active', { counts: spans(figures.activeUsers) }),
    ),
    lines(
      ...LANGUAGES.map((language) =>
        words.html('people-language', {
          language: words.plain('making-language', { language }),
          count: count(figures.languages[language]),
        }),
      ),
    ),
  );
}

/** Creates the buttons that open operations. Users and invoices have numbers, too, so their labels are the ids in the list. */
function refButtons(operations: readonly OperationRef[]): InlineKeyboardButton[][] {
  const opening = operations.map((one) => ({
    text: one.id,
    callback_data: callbackData(UNRESOLVED, 'one', buttonArgumentOf(one)),
  }));
  return inRows(opening, REFS_PER_ROW);
}
