import type { Middleware } from 'grammy';
import { type Book, isSameName } from '../../accounts/address-book.ts';
import { notice } from '../../i18n/view.ts';
import { addressAmongWords, joinedFours } from '../../rental-api/address.ts';
import type { BotContext } from '../context.ts';
import type { Step } from '../dialogue.ts';
import type { Handler } from '../feature.ts';
import { cancelCard, leave, leaveFlow } from '../leave-flow.ts';
import { CARD, type MoneyState } from '../money-state.ts';
import { show } from '../reply.ts';
import { CANCEL, type Router } from '../router.ts';

/** Creates the middleware for commands. They work at any time and leave what is open. */
export function takeCommands({
  router,
  openMenu,
  returned,
}: {
  router: Router;
  openMenu: Handler;
  /**
   * Called after `/start`, with which a user who had blocked the bot returns, so that pending notifications can be
   * sent.
   */
  returned: (chat: number) => Promise<unknown>;
}): Middleware<BotContext> {
  async function cancel(ctx: BotContext): Promise<void> {
    const { card, code } = ctx.session;
    const wasOpen = leaveFlow(ctx);
    delete ctx.lead;
    if (await cancelCard(ctx, router, code ?? card)) return;
    if (!wasOpen) ctx.lead = ctx.words.html('cancelled-nothing');
    if (wasOpen) await show(ctx, notice(ctx.words, ctx.words.html('cancelled')));
    else await openMenu(ctx);
  }

  return async (ctx, next) => {
    const { name, text } = commandOf(ctx) ?? {};
    const open =
      name === CANCEL ? cancel : name === undefined ? undefined : router.command(name, ctx, text ?? '');
    if (open === undefined) return next();
    if (name !== CANCEL) await leave(ctx, router);
    const chat = ctx.chatId;
    if (name === 'start' && chat !== undefined) ctx.tx.afterCommit(() => returned(chat));
    const payload = name === 'start' ? payloadOf(ctx.message?.text) : undefined;
    await (payload !== undefined && router.follow ? router.follow(ctx, payload) : open(ctx));
    if (ctx.entering) await next();
  };
}

/**
 * Returns the payload of a link to the bot (https://core.telegram.org/bots/features#deep-linking): the token of an
 * invoice.
 */
export function payloadOf(text: string | undefined): string | undefined {
  return /^\/start(?:@\w+)? invoice-(\S*)$/.exec(text ?? '')?.[1];
}

/** Returns the command at the beginning of a message if it is meant for this bot, and the text after it. */
function commandOf({ message, me }: BotContext): { name: string; text: string } | undefined {
  const entity = message?.entities?.[0];
  if (message?.text === undefined || entity?.type !== 'bot_command' || entity.offset !== 0) return undefined;
  const [name = '', addressee] = message.text.slice(1, entity.length).split('@');
  const isOurs = addressee === undefined || addressee.toLowerCase() === me.username.toLowerCase();
  return isOurs ? { name: name.toLowerCase(), text: message.text.slice(entity.length).trim() } : undefined;
}

/**
 * Maximum number of stored characters. A complete request has fewer, and the chat's record contains them until they are
 * used.
 */
const MAX_LENGTH = 200;
/** Matches the words of a command that aren't a name: numbers and their units. */
const AMOUNTS =
  /^(?:\d[\d.,'’]*[a-zа-я]?|h|hours?|hrs?|d|days?|trx|ч|час|часа|часов|д|день|дня|дней|сутки)$/iu;

/**
 * Returns a state with the text after a command: the part that is meant as an address or as its name, and all other
 * words.
 */
export function commandArguments(step: string, text: string, book: Book): MoneyState {
  const parts = joinedFours(text).split(/\s+/).filter(Boolean);
  const meant = parts.filter((part) => addressAmongWords(part) !== undefined);
  const said = parts.filter((part) => !meant.includes(part)).join(' ');
  const given = meant.length > 0 ? { said, to: meant.join(' ') } : byName(said, book);
  return {
    step,
    said: given.said.slice(0, MAX_LENGTH),
    ...(given.to !== undefined && { to: given.to.slice(0, MAX_LENGTH) }),
  };
}

/**
 * Finds a saved address by the name at the start of the text. If several names match, the longest one is used. If none
 * matches, words that are no amount are treated as an unknown name, so that no default replaces it.
 */
function byName(said: string, { addresses }: Book): { said: string; to?: string } {
  const [found] = addresses
    .flatMap(({ name, address }) => (name === undefined ? [] : { name, address }))
    .filter(({ name }) => isSameName(name, said.slice(0, name.length)))
    .filter(({ name }) => /^(\s|$)/.test(said.slice(name.length)))
    .toSorted((one, other) => other.name.length - one.name.length);
  if (found) return { said: said.slice(found.name.length).trim(), to: found.address };
  const words = said.split(' ');
  const isAmounts = said === '' || words.every((word) => AMOUNTS.test(word));
  if (isAmounts) return { said };
  const amounts = words.filter((word) => AMOUNTS.test(word));
  return { said: amounts.join(' '), to: words.filter((word) => !AMOUNTS.test(word)).join(' ') };
}

/** Wraps a question so that the text after the command is its answer. That text takes precedence over `known`. */
export function answeredAhead(step: Step<MoneyState>): Step<MoneyState> {
  return {
    ...step,
    async known(ctx, state) {
      if (state.said && !step.takesAddress) return step.unsaid ? whole(ctx, state) : byWords(ctx, state);
      return (
        (await step.known?.(ctx, state)) ?? (state.said === undefined ? undefined : step.unsaid?.(state))
      );
    },
  };

  async function by(ctx: BotContext, { said, ...state }: MoneyState, words: string) {
    return step.take(ctx, state, { kind: 'words', words });
  }

  /** Uses all of the remaining text, because the answer is optional. */
  async function whole(ctx: BotContext, state: MoneyState): Promise<MoneyState> {
    const next = await by(ctx, state, state.said ?? '');
    return { ...next, said: '' };
  }

  /**
   * Uses the fewest words that are an answer, with the unit behind them. The last question uses all remaining words.
   */
  async function byWords(ctx: BotContext, state: MoneyState): Promise<MoneyState> {
    const words = (state.said ?? '').split(' ');
    let found: MoneyState | undefined;
    let last: MoneyState = state;
    for (let count = 1; count <= words.length; count++) {
      const next = words[count - 1] ?? '';
      // Three digits may continue a number in groups. Any others are the next answer.
      if (found !== undefined && /^\d/.test(next) && !/^\d{3}$/.test(next)) break;
      last = await by(ctx, state, words.slice(0, count).join(' '));
      const left = words.slice(count).join(' ');
      const isWhole = left === '' || last.step !== CARD;
      if (last.problem === undefined && isWhole) found = { ...last, said: left };
    }
    return found ?? last;
  }
}
