import { createHash } from 'node:crypto';
import type { Middleware } from 'grammy';
import type { BotCommand } from 'grammy/types';
import type { BotUser, Users } from '../accounts/users.ts';
import type { Words } from '../i18n/texts.ts';
import { readCallbackData } from '../i18n/view.ts';
import type { Log } from '../platform/log.ts';
import { setChatCommands } from '../telegram/telegram.ts';
import { isByAdmin } from './admins-only.ts';
import type { BotContext } from './context.ts';
import { type ButtonHandler, type Command, type Feature, type Handler, handlerOf } from './feature.ts';

/** Message id of commands, which aren't tapped in any message. */
const NO_MESSAGE = 0;

/** Tap on a feature's button, found by the button's data. */
interface RoutedTap {
  feature: Feature;
  /** Starts to read what the tap will need. */
  prefetch(ctx: BotContext): void;
  press(ctx: BotContext, message: number): Promise<unknown>;
}

export interface Router {
  routeTap(data: string, ctx: BotContext): RoutedTap | undefined;
  /** `text`: everything after the command. */
  routeCommand(name: string, ctx: BotContext, text?: string): Handler | undefined;
  secretInput(feature: string): Feature['secretInput'];
  /** Handles a link to the bot. */
  onStartLink: Feature['onStartLink'];
  onText: Feature['onText'];
}

/**
 * Creates the router of taps, commands and secrets. It returns `undefined` if a feature isn't available to the user.
 *
 * @throws RangeError if two features have the same name or command, or if a command would change something at once.
 */
export function createRouter(features: readonly Feature[]): Router {
  for (const feature of features) {
    for (const [command, { button }] of Object.entries(feature.buttonCommands ?? {})) {
      if (typeof feature.buttons?.[button] === 'object')
        throw new RangeError(`/${command} would change something at once: ${feature.name}:${button}`);
    }
  }
  const byName = uniqueMapOf(features.map((feature) => [feature.name, feature]));
  const commands = uniqueMapOf(
    features.flatMap((feature) => [
      ...commandsOf(feature).map(({ name }) => [name, { feature, button: 'open' }] as const),
      ...Object.entries(feature.buttonCommands ?? {}).map(
        ([name, { button }]) => [name, { feature, button }] as const,
      ),
    ]),
  );
  return {
    routeTap(data, ctx) {
      const { feature: name = '', button = '', argument = '' } = readCallbackData(data) ?? {};
      const feature = byName.get(name);
      const press = feature && buttonOf(feature, button);
      if (feature === undefined || press === undefined || !isAvailable(feature, ctx, button))
        return undefined;
      const { prefetch = {} } = feature;
      return {
        feature,
        prefetch: (ctx) => (Object.hasOwn(prefetch, button) ? prefetch[button]?.(ctx, argument) : undefined),
        press: (ctx, message) => press(ctx, argument, message),
      };
    },
    routeCommand(name, ctx, text = '') {
      const { feature, button = '' } = commands.get(name) ?? {};
      const press = feature && buttonOf(feature, button);
      if (feature === undefined || press === undefined || !isAvailable(feature, ctx, button))
        return undefined;
      const { onCommandText } = feature;
      if (press !== feature.open) return (ctx) => press(ctx, '', NO_MESSAGE);
      return text === '' || onCommandText === undefined ? feature.open : (ctx) => onCommandText(ctx, text);
    },
    onStartLink: features.find(({ onStartLink }) => onStartLink)?.onStartLink,
    onText: features.find(({ onText }) => onText)?.onText,
    secretInput: (name) => byName.get(name)?.secretInput,
  };
}

function buttonOf(
  { open, startWithAddress, buttons = {} }: Feature,
  button: string,
): ButtonHandler | undefined {
  if (Object.hasOwn(buttons, button)) return handlerOf(buttons[button]);
  return button === 'open' ? open : button === 'to' ? startWithAddress : undefined;
}

function isAvailable(feature: Feature, ctx: BotContext, button: string): boolean {
  return feature.isAvailable?.(ctx, button) ?? true;
}

function uniqueMapOf<T>(entries: readonly (readonly [string, T])[]): Map<string, T> {
  const map = new Map<string, T>();
  for (const [name, value] of entries) {
    if (map.has(name)) throw new RangeError(`two features are called ${name}`);
    map.set(name, value);
  }
  return map;
}

/** The only command that belongs to no feature. */
export const CANCEL = 'cancel';

/** Returns the commands that open a feature. */
export function commandsOf({ command, alias }: Feature): Command[] {
  return [command, alias].filter((one) => one !== undefined);
}

/** Returns all commands of a user in the order of the features. An admin's additional commands come last. */
export function commandList(
  words: Words,
  features: readonly Feature[],
  { isAdmin }: { isAdmin: boolean },
): BotCommand[] {
  const commands = features.flatMap(commandsOf);
  const admins = [
    ...features.flatMap(({ buttonCommands = {} }) =>
      Object.entries(buttonCommands).map(([name, { text }]) => ({ name, text })),
    ),
    ...commands.filter(({ admins }) => admins),
  ];
  const shownCommands = [
    ...commands.filter((one) => !one.admins),
    { name: CANCEL, text: 'command-cancel' } as const,
    ...(isAdmin ? admins : []),
  ];
  return shownCommands.map(({ name, text }) => ({ command: name, description: words.plain(text) }));
}

interface ChatCommandList {
  commands: BotCommand[];
  hash: string;
}

/**
 * Creates the middleware that sets the commands that Telegram lists in a user's own chat. Admins have additional ones,
 * and users who have chosen a language have them in that language. The stored hash of the list shows when it must be
 * set again. That is after a change of language or admin rights, or in a version with other commands.
 */
export function perChatCommands(deps: {
  features: readonly Feature[];
  isAdmin: (user: number) => boolean;
  users: Pick<Users, 'setListedCommands'>;
  /** Returns the record of the user from before this update. */
  storedUser: (ctx: BotContext) => Promise<BotUser | undefined>;
  log: Log;
}): Middleware<BotContext> {
  const { features, users, storedUser, log } = deps;
  const lists = new Map<string, ChatCommandList>();

  /** Returns `undefined` for a user without a list, who sees the default commands in the language of Telegram. */
  function listFor(ctx: BotContext): ChatCommandList | undefined {
    const isAdmin = isByAdmin(deps, ctx);
    if (!isAdmin && ctx.session.language === undefined) return undefined;
    const key = `${ctx.words.language} ${isAdmin}`;
    const cached = lists.get(key);
    if (cached) return cached;
    const commands = commandList(ctx.words, features, { isAdmin });
    const hash = createHash('sha256').update(JSON.stringify(commands)).digest('base64url').slice(0, 8);
    const list = { commands, hash };
    lists.set(key, list);
    return list;
  }

  async function set({ api }: BotContext, user: number, list: ChatCommandList | undefined): Promise<void> {
    // A private chat has the same number as its user.
    const isSet = await setChatCommands(api, { chat: user, commands: list?.commands }, { log });
    if (isSet) await users.setListedCommands(user, list?.hash);
  }

  return async (ctx, next) => {
    await next();
    const { from, message, callbackQuery } = ctx;
    if (from === undefined || (message ?? callbackQuery) === undefined) return;
    const list = listFor(ctx);
    // If the record can't be read, the commands are set again.
    const person = await storedUser(ctx).catch(() => undefined);
    if (list?.hash === person?.listedCommands) return;
    ctx.tx.afterCommit(async () => {
      // Not awaited: the next update of the chat doesn't wait for it.
      void set(ctx, from.id, list).catch((err: unknown) =>
        log.info({ user: from.id, err }, 'the list of commands of a chat was not recorded'),
      );
    });
  };
}
