import type { Accounts } from '../accounts/accounts.ts';
import type { Link } from '../accounts/links.ts';
import { type BotUser, PERIODS_DAYS, type UserStatistics } from '../accounts/users.ts';
import type { BotContext } from '../bot/context.ts';
import {
  type DialogueState,
  dialogue,
  dialogueStateSchema,
  FLOW_ENDS,
  showFlowEnded,
} from '../bot/dialogue.ts';
import { adminsOnly, changes, defineFeature, type FeatureDeps, QUESTION_TTL_MS } from '../bot/feature.ts';
import { show } from '../bot/reply.ts';
import {
  formatCount,
  formatDay,
  formatKeyTail,
  formatMoment,
  LANGUAGES,
  lines,
  paragraphs,
  type Words,
} from '../i18n/texts.ts';
import { headline } from '../operations/card.ts';
import type { Kinds } from '../operations/kinds/kind.ts';
import { isConfirmed, type Operation } from '../operations/operation.ts';
import { DAY_MS } from '../platform/clock.ts';
import { callbackData } from '../views/callback-data.ts';
import { button, numberButtons, pageButtons, type View, withAdminButtons } from '../views/view.ts';
import {
  adminOperationView,
  buttonArgumentOf,
  refOfButtonArgument,
  UNRESOLVED,
} from './views/admin-operation.ts';

const NAME = 'people';
const SOUGHT = 'sought';
const FOUND = 'found';
/** Time limits in milliseconds. Together they fit into the time of a handler. */
const COUNT_TIMEOUT_MS = 5_000;
const FIND_TIMEOUT_MS = 5_000;
const PAGE_SIZE = 5;
const PAGE = 1_000;

/** Number of a user at Telegram, or of an operation: eight letters and digits. */
type UserSearch = { user: number } | { operation: string };

type PeopleDeps = FeatureDeps & Pick<Accounts, 'countUsers'>;

type State = DialogueState & { sought?: UserSearch | undefined };

export const peopleFeature = defineFeature((deps: PeopleDeps) => {
  const { users, countUsers, links, operations, isAdmin, adminLog, now } = deps;

  const findButton = (words: Words) => button(words, 'button-person', callbackData(NAME, 'find'));

  async function open(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const figures = await countUsers(COUNT_TIMEOUT_MS);
    const refresh = button(words, 'button-refresh', callbackData(NAME, 'open'));
    const html = paragraphs(words.html('people-title'), userFigures(words, figures));
    await show(ctx, withAdminButtons(words, html, [refresh, findButton(words)]));
  }

  /** Finds an operation's owner by checking all users. Returns `unknown` if that takes too long. */
  async function ownerOf(id: string): Promise<{ user: number } | 'unknown' | undefined> {
    const until = performance.now() + FIND_TIMEOUT_MS;
    let after: number | undefined = 0;
    while (after !== undefined) {
      if (performance.now() > until) return 'unknown';
      const page: Awaited<ReturnType<typeof users.page>> = await users.page(after, PAGE);
      const found = await Promise.all(page.users.map(({ user }) => operations.drafts.find({ user, id })));
      const at = found.findIndex((operation) => operation !== undefined);
      const owner = page.users[at];
      if (owner) return owner;
      after = page.last;
    }
    return undefined;
  }

  /** `after`: id of the operation after which the page of the user's operations begins. */
  async function viewOf(words: Words, person: BotUser, after?: string): Promise<View> {
    const { user } = person;
    const [link, page] = await Promise.all([
      links.find(user),
      operations.history.page(user, { size: PAGE_SIZE, after }),
    ]);
    const html = paragraphs(
      userLines(words, person, link),
      words.html(page.operations.length > 0 ? 'person-operations' : 'person-no-operations'),
      ...page.operations.map((operation, at) =>
        operationLine(words, { kinds: operations.kinds, now: now() }, operation, at + 1),
      ),
      page.unreadable > 0 && words.html('history-unreadable', { count: page.unreadable }),
    );
    const opening = numberButtons(
      page.operations.map((operation) => callbackData(UNRESOLVED, 'one', buttonArgumentOf(operation))),
    );
    const turning = pageButtons(words, {
      newest: after === undefined ? undefined : callbackData(NAME, 'one', user),
      older: page.older && callbackData(NAME, 'older', buttonArgumentOf({ user, id: page.older })),
    });
    const all = button(words, 'button-people', callbackData(NAME, 'open'));
    const banButton = person.isBanned
      ? button(words, 'button-unban', callbackData(NAME, 'unban', person.user))
      : button(words, 'button-ban', callbackData(NAME, 'ban', person.user));
    return withAdminButtons(words, html, opening, turning, [banButton], [findButton(words), all]);
  }

  async function askToBan(ctx: BotContext, user: string): Promise<void> {
    const { words } = ctx;
    if (isAdmin(Number(user))) {
      return void (await show(ctx, withAdminButtons(words, words.html('person-ban-admin'))));
    }
    const yes = button(words, 'button-ban-yes', callbackData(NAME, 'ban-yes', user), 'danger');
    const no = button(words, 'button-cancel', callbackData(NAME, 'one', user));
    await show(ctx, { html: words.html('person-ban-ask', { user }), keyboard: [[yes, no]] });
  }

  const banHandler = (isBanned: boolean) => async (ctx: BotContext, given: string) => {
    const user = Number(given);
    ctx.tx.signal.throwIfAborted();
    const before = await users.find(user);
    if (before && (before.isBanned ?? false) !== isBanned && !(isBanned && isAdmin(user))) {
      // Logged before the change: when the update is handled again, the change may have been made already.
      const act = isBanned ? 'person-banned' : 'person-unbanned';
      await adminLog.add(ctx.from.id, act, given, { update: ctx.update.update_id });
      ctx.tx.signal.throwIfAborted();
      await users.setBanned(user, isBanned);
    }
    await showUser(ctx, { user });
  };

  async function showUser(ctx: BotContext, sought: UserSearch, after?: string): Promise<void> {
    const { words } = ctx;
    const owner = 'user' in sought ? sought : await ownerOf(sought.operation);
    const person = typeof owner === 'object' ? await users.find(owner.user) : undefined;
    if (person === undefined) {
      const why = owner === 'unknown' ? 'too-many' : 'user' in sought ? 'user' : 'operation';
      const html = words.html('people-nobody', { why });
      return void (await show(ctx, withAdminButtons(words, html, [findButton(words)])));
    }
    const operation =
      'operation' in sought
        ? await operations.drafts.find({ user: person.user, id: sought.operation })
        : undefined;
    const isListed = operation !== undefined && isConfirmed(operation);
    await show(
      ctx,
      isListed ? await adminOperationView(deps, words, operation) : await viewOf(words, person, after),
    );
  }

  async function finish(ctx: BotContext, { step, sought }: State): Promise<void> {
    if (step === FOUND && sought) await showUser(ctx, sought);
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
      if (sought) return showUser(ctx, sought);
      const { words } = ctx;
      await show(ctx, withAdminButtons(words, words.html('problem-person'), [findButton(words)]));
    },
    buttons: {
      open,
      one: (ctx, user) => showUser(ctx, { user: Number(user) }),
      older(ctx, argument) {
        const { user, id } = refOfButtonArgument(argument);
        return showUser(ctx, { user }, id);
      },
      ban: askToBan,
      'ban-yes': changes(banHandler(true), QUESTION_TTL_MS),
      unban: changes(banHandler(false)),
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
            onText({ words }, state, text) {
              const sought = parseUserSearch(text);
              return sought
                ? { ...state, sought, step: FOUND }
                : { ...state, problem: words.html('problem-person') };
            },
          },
        },
        finish,
      }),
    },
  });
});

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

function operationLine(
  words: Words,
  { kinds, now }: { kinds: Pick<Kinds, 'of'>; now: number },
  operation: Operation,
  number: number,
): string {
  const kind = kinds.of(operation.request);
  return lines(
    `${number}. ${headline(words, kind, operation, now)} · ${formatMoment(operation.createdAt, words.language)}`,
    `${kind.title(words, operation.request)} · <code>${operation.id}</code>`,
  );
}

function userLines(words: Words, person: BotUser, link: Link | undefined): string {
  const day = (days: number) => formatDay(days * DAY_MS, words.language);
  return lines(
    words.html('person-title', { user: String(person.user) }),
    words.html('person-since', { first: day(person.firstDay), last: day(person.lastDay) }),
    words.html('person-language', {
      language: words.plain('making-language', { language: person.language }),
    }),
    link
      ? words.html('person-linked', { account: String(link.account), tail: formatKeyTail(link.tail) })
      : words.html('person-guest'),
    person.unreachable && words.html('person-unreachable', { why: person.unreachable }),
    person.isBanned && words.html('person-banned'),
  );
}

function parseUserSearch(said: string): UserSearch | undefined {
  const text = said.trim().replace(/^(?:[#№]\s*|\p{L}+[.:]?\s+)/u, '');
  // Eight digits are treated as a user: operation numbers usually contain letters.
  if (/^[1-9]\d{0,15}$/.test(text)) return { user: Number(text) };
  return /^[0-9A-Za-z]{8}$/.test(text) ? { operation: text.toUpperCase() } : undefined;
}
