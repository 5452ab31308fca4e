import type { BotUser } from '../accounts/users.ts';
import { operationLine, userFigures, userLines } from '../bot/admin-views.ts';
import { adminsOnly } from '../bot/admins-only.ts';
import type { BotContext } from '../bot/context.ts';
import { showFlowEnded } from '../bot/conversations.ts';
import { type DialogueState, dialogue, dialogueStateSchema, FLOW_ENDS } from '../bot/dialogue.ts';
import { changes, defineFeature, QUESTION_TTL_MS } from '../bot/feature.ts';
import { show } from '../bot/reply.ts';
import { type UserSearch, userSearchStep } from '../bot/steps/choice.ts';
import type { Words } from '../i18n/texts.ts';
import { button, callbackData, menuButton, paragraphs, type View } from '../i18n/view.ts';
import type { Operation } from '../operations/operation.ts';

const NAME = 'people';
const SOUGHT = 'sought';
/** Step after the question. */
const FOUND = 'found';
/** Time limits in milliseconds. Together they fit into the time of a handler. */
const COUNT_WITHIN_MS = 5_000;
const FIND_WITHIN_MS = 5_000;
const LATEST = 5;
const PAGE = 1_000;

/** Lasts for one update only, because the answer is shown at once. */
type State = DialogueState & { sought?: UserSearch | undefined };

/** Creates the feature that shows admins the numbers of users, and single users. */
export const peopleFeature = defineFeature((deps) => {
  const { users, countUsers, links, operations, isAdmin, adminLog } = deps;

  const ways = (words: Words) => [
    button(words, 'button-admin', callbackData('menu', 'admin')),
    menuButton(words),
  ];
  const finding = (words: Words) => button(words, 'button-person', callbackData(NAME, 'find'));

  async function open(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const figures = await countUsers(COUNT_WITHIN_MS);
    const refresh = button(words, 'button-refresh', callbackData(NAME, 'open'));
    const html = paragraphs(words.html('people-title'), userFigures(words, figures));
    await show(ctx, { html, keyboard: [[refresh, finding(words)], ways(words)] });
  }

  /**
   * Finds the user who has an operation with this number. There is no index by number, so every user is checked.
   * Returns `unknown` if that takes too long.
   */
  async function ownerOf(id: string): Promise<{ user: number } | 'unknown' | undefined> {
    const until = performance.now() + FIND_WITHIN_MS;
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

  async function viewOf(words: Words, person: BotUser, sought?: Operation): Promise<View> {
    const link = await links.find(person.user);
    const { operations: latest } = await operations.history.page(person.user, { size: LATEST });
    const shown = [...(sought ? [sought] : []), ...latest.filter(({ id }) => id !== sought?.id)].slice(
      0,
      LATEST,
    );
    const html = paragraphs(
      userLines(words, person, link),
      words.html(shown.length > 0 ? 'person-operations' : 'person-no-operations'),
      ...shown.map((operation) => operationLine(words, operation, operations.kinds)),
    );
    const all = button(words, 'button-people', callbackData(NAME, 'open'));
    const [change, to] = person.isBanned
      ? (['button-unbar', 'let-in'] as const)
      : (['button-bar', 'bar'] as const);
    const barring = button(words, change, callbackData(NAME, to, String(person.user)));
    return { html, keyboard: [[barring], [finding(words), all], ways(words)] };
  }

  async function askToBar(ctx: BotContext, user: string): Promise<void> {
    const { words } = ctx;
    if (isAdmin(Number(user))) {
      return void (await show(ctx, { html: words.html('person-bar-admin'), keyboard: [ways(words)] }));
    }
    const yes = button(words, 'button-bar-yes', callbackData(NAME, 'bar-yes', user), 'danger');
    const no = button(words, 'button-cancel', callbackData(NAME, 'one', user));
    await show(ctx, { html: words.html('person-bar-ask', { user }), keyboard: [[yes, no]] });
  }

  const bar = (isBarred: boolean) => async (ctx: BotContext, given: string) => {
    const user = Number(given);
    ctx.tx.signal.throwIfAborted();
    const before = await users.find(user);
    if (before && (before.isBanned ?? false) !== isBarred && !(isBarred && isAdmin(user))) {
      // Logged before the change: when the update is handled again, the change may have been made already.
      const act = isBarred ? 'person-barred' : 'person-let-in';
      await adminLog.add(ctx.from?.id ?? 0, act, given, { update: ctx.update.update_id });
      ctx.tx.signal.throwIfAborted();
      await users.setBanned(user, isBarred);
    }
    await seek(ctx, { user });
  };

  async function seek(ctx: BotContext, sought: UserSearch): Promise<void> {
    const { words } = ctx;
    const owner = 'user' in sought ? sought : await ownerOf(sought.operation);
    const person = typeof owner === 'object' ? await users.find(owner.user) : undefined;
    if (person === undefined) {
      const why = owner === 'unknown' ? 'too-many' : 'user' in sought ? 'user' : 'operation';
      const html = words.html('people-nobody', { why });
      return void (await show(ctx, { html, keyboard: [[finding(words)], ways(words)] }));
    }
    const operation =
      'operation' in sought
        ? await operations.drafts.find({ user: person.user, id: sought.operation })
        : undefined;
    await show(ctx, await viewOf(words, person, operation));
  }

  async function finish(ctx: BotContext, { step, sought }: State): Promise<void> {
    if (step === FOUND && sought) await seek(ctx, sought);
    else if (step === FLOW_ENDS.back) await open(ctx);
    else await showFlowEnded(ctx, step);
  }

  return adminsOnly(deps, {
    name: NAME,
    button: 'button-people',
    command: { name: 'people', text: 'command-people' },
    open,
    buttons: {
      open,
      one: (ctx, user) => seek(ctx, { user: Number(user) }),
      bar: askToBar,
      'bar-yes': changes(bar(true), QUESTION_TTL_MS),
      'let-in': changes(bar(false)),
      find: async (ctx) => {
        ctx.flowToEnter = { feature: NAME, start: { step: SOUGHT } satisfies State };
      },
    },
    flow: {
      version: 1,
      ...dialogue<State>({
        stateSchema: dialogueStateSchema,
        steps: {
          [SOUGHT]: userSearchStep<State>({
            onAnswer: (state, sought) => ({ ...state, sought, step: FOUND }),
          }),
        },
        finish,
      }),
    },
  });
});
