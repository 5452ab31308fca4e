import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Middleware, NextFunction, RawApi } from 'grammy';
import type { BotCommand, InlineKeyboardButton, Message } from 'grammy/types';
import type { Link } from '../accounts/links.ts';
import type { TextKey } from '../i18n/keys.ts';
import { LANGUAGES, type Texts, type Words } from '../i18n/texts.ts';
import { readStartLink, startPayload } from '../input/start-link.ts';
import { normalizeLabel } from '../input/words.ts';
import { CARD_BUTTONS } from '../operations/card.ts';
import type { PlacedCard } from '../operations/confirm.ts';
import { HOUR_MS } from '../platform/clock.ts';
import { keyObjectsOf } from '../platform/encryption.ts';
import { keyOf, type StoredData } from '../platform/records.ts';
import { textOf } from '../telegram/message-content.ts';
import {
  type CallbackData,
  callbackData,
  readAnswer,
  readCallbackData,
  withToken,
} from '../views/callback-data.ts';
import { HELP_FEATURE } from '../views/help-buttons.ts';
import { button, inRows } from '../views/view.ts';
import { readAside } from './asides.ts';
import type { BotContext } from './context.ts';
import { asksForAny, endFlow, isAnyFlowOpen, leaveFlow, repeatQuestion } from './dialogue.ts';
import {
  type BotDeps,
  type ButtonTokens,
  type Command,
  entryButton,
  type Feature,
  type FeatureDeps,
  type Handler,
  handlerOf,
  menuEntries,
} from './feature.ts';
import { send, showText } from './reply.ts';
import { CHAT, CONVERSATION } from './session.ts';

const NO_MESSAGE = 0;

export type Router = ReturnType<typeof createRouter>;

/**
 * Creates the router of taps, commands and secrets, which returns `undefined` for features that aren't
 * available to the user. Throws a `RangeError` if a name or command isn't unique, or if a command would
 * change something at once.
 */
export function createRouter(features: readonly Feature[], texts?: Texts) {
  for (const feature of features) {
    for (const [command, { button }] of Object.entries(feature.buttonCommands ?? {})) {
      if (typeof feature.buttons?.[button] === 'object')
        throw new RangeError(`/${command} would change something at once: ${feature.name}:${button}`);
    }
  }
  const byName = uniqueMapOf(features.map((feature) => [feature.name, feature]));
  const commands = uniqueMapOf(
    features.flatMap((feature) =>
      commandsOf(feature).map(({ name, button = 'open' }) => [name, { feature, button }] as const),
    ),
  );
  const named = namesOf(features, texts);

  function isTapForSuspended(data: string): boolean {
    const { feature = '', button: name = '' } = readCallbackData(data) ?? {};
    return isListed(byName.get(feature)?.forSuspended, name);
  }

  return {
    routeTap(data: string, ctx: BotContext) {
      const { feature: name = '', button = '', argument = '' } = readCallbackData(data) ?? {};
      const feature = byName.get(name);
      const press = availableHandler(feature, button, ctx);
      if (feature === undefined || press === undefined) return undefined;
      const { prefetch = {} } = feature;
      return {
        feature,
        keepsFlow: isListed(feature.keepsFlow, button),
        /** Whether it begins the feature's flow without any answer. */
        beginsFlow: button === 'open' && feature.flow !== undefined,
        prefetch: (ctx: BotContext) =>
          Object.hasOwn(prefetch, button) ? prefetch[button]?.(ctx, argument) : undefined,
        press: (ctx: BotContext, message: number) => press(ctx, argument, message),
      };
    },
    routeCommand(
      name: string,
      ctx: BotContext,
      text = '',
    ): { handle: Handler; keepsFlow: boolean } | undefined {
      // Users also type the name of a button as a command: `/users`.
      const { feature, button = '' } = commands.get(name) ?? named.get(name.replaceAll('_', ' ')) ?? {};
      const press = availableHandler(feature, button, ctx);
      if (feature === undefined || press === undefined) return undefined;
      const { onCommandText } = feature;
      const takesText = press === feature.open && text !== '' && onCommandText !== undefined;
      return {
        handle: (ctx) => (takesText ? onCommandText(ctx, text) : press(ctx, '', NO_MESSAGE)),
        keepsFlow: staysOpen(feature, button, ctx),
      };
    },
    /** Returns whether a suspended user may use what an update taps or names as a command. */
    isForSuspended(ctx: BotContext): boolean {
      const { data } = ctx.callbackQuery ?? {};
      if (data !== undefined) return isTapForSuspended(data);
      const { feature, button: name = '' } = commands.get(parseCommand(ctx)?.name ?? '') ?? {};
      return isListed(feature?.forSuspended, name);
    },
    isTapForSuspended,
    /** Returns the buttons of a suspended user's menu. */
    suspendedMenu(words: Words, link: Link | undefined): InlineKeyboardButton[][] {
      const balance = link ? [button(words, 'button-balance', callbackData('menu', 'balance'))] : [];
      const entries = menuEntries(features, [link ? 'linked' : 'guest'], link);
      const shown = entries.filter(({ name }) => isTapForSuspended(callbackData(name, 'open')));
      return inRows([...balance, ...shown.map((entry) => entryButton(words, entry))]);
    },
    /** Returns the handler of a link to the bot by its `start` parameter. */
    routeStartLink(payload: string, ctx: BotContext): Handler | undefined {
      const { feature, text = '' } = findStartLink(features, payload) ?? {};
      const open = availableHandler(feature, 'open', ctx);
      if (feature === undefined || open === undefined) return undefined;
      return async (ctx) => (text === '' ? open(ctx, '', NO_MESSAGE) : feature.onCommandText?.(ctx, text));
    },
    /** Returns what a message says beside an answer. */
    async asideOf(message: Message, ctx: BotContext) {
      // With the user's capital letters, which a reply may repeat.
      const said = textOf(message)
        .trim()
        .replace(/[.!?？]+$/, '');
      let formed: Feature | undefined;
      for (const feature of features) {
        if (!(await feature.textForm?.test(said, ctx))) continue;
        formed = feature;
        break;
      }
      return readAside(message, (name, isWhole) => {
        if (isWhole && formed && availableHandler(formed, 'open', ctx))
          return {
            feature: formed,
            button: 'open',
            open: async (ctx) => formed.onCommandText?.(ctx, said),
            keepsFlow: isListed(formed.keepsFlow, 'open'),
          };
        const { feature, button } = named.get(name) ?? { button: '' };
        const open = availableHandler(feature, button, ctx);
        if (feature === undefined || open === undefined) return undefined;
        return {
          feature,
          button,
          open: async (ctx) => open(ctx, '', NO_MESSAGE),
          keepsFlow: staysOpen(feature, button, ctx),
        };
      });
    },
    onStartLink: features.find(({ onStartLink }) => onStartLink)?.onStartLink,
    /** Handles a text that no question expected. Returns whether a feature could use it. */
    async handleText(ctx: BotContext, text: string): Promise<boolean> {
      const screen = byName.get(ctx.lastScreen ?? '');
      if (screen?.isAvailable?.(ctx, 'open') !== false && (await screen?.onScreenText?.(ctx, text)))
        return true;
      for (const { onText } of features) if (await onText?.(ctx, text)) return true;
      return false;
    },
    secretInput: (name: string) => byName.get(name)?.secretInput,
  };
}

function isListed(buttons: true | readonly string[] | undefined, button: string): boolean {
  return buttons === true || buttons?.includes(button) === true;
}

/** Returns whether the command or name of this button leaves the open question or card open. */
function staysOpen({ keepsFlow, keepsCard }: Feature, button: string, { session, tx }: BotContext): boolean {
  if (isListed(keepsFlow, button)) return true;
  const isForCards = isListed(keepsCard, button) && tx.conversation === undefined;
  return isForCards && (session.card !== undefined || session.code !== undefined);
}

function availableHandler(feature: Feature | undefined, button: string, ctx: BotContext) {
  if (feature === undefined || feature.isAvailable?.(ctx, button) === false) return undefined;
  if (ctx.isUsable?.(callbackData(feature.name, button)) === false) return undefined;
  const { buttons = {} } = feature;
  if (Object.hasOwn(buttons, button)) return handlerOf(buttons[button]);
  if (button === 'open') return feature.open;
  return button === 'to' ? feature.startWithAddress : undefined;
}

function uniqueMapOf<T>(entries: readonly (readonly [string, T])[]): Map<string, T> {
  const map = new Map<string, T>();
  for (const [name, value] of entries) {
    if (map.has(name)) throw new RangeError(`two features are called ${name}`);
    map.set(name, value);
  }
  return map;
}

/**
 * Returns the words that open each feature or press its button: those it declares, then the names of its commands and the
 * labels of its menu buttons in every language. Leaves out a name that an earlier feature has.
 */
function namesOf(features: readonly Feature[], texts: Texts | undefined) {
  const given = features.flatMap((feature) => [
    ...(feature.words ?? []).map((word) => [word, { feature, button: 'open' }] as const),
    ...Object.values(feature.buttonCommands ?? {}).flatMap(({ button, words = [] }) =>
      words.map((word) => [word, { feature, button }] as const),
    ),
    ...Object.entries(feature.buttonWords ?? {}).flatMap(([button, words]) =>
      words.map((word) => [word, { feature, button }] as const),
    ),
  ]);
  const derived = features.flatMap((feature) => [
    ...commandsOf(feature).map(({ name, button = 'open' }) => [name, { feature, button }] as const),
    ...[feature.menu ?? []].flat().flatMap((entry) =>
      LANGUAGES.flatMap((language) => {
        const label = texts?.in(language).plain(entry.button);
        return label === undefined ? [] : [[normalizeLabel(label), { feature, button: 'open' }] as const];
      }),
    ),
  ]);
  return new Map([...derived.toReversed(), ...uniqueMapOf(given)]);
}

/** The only command that belongs to no feature. */
const CANCEL = 'cancel';

export function commandsOf(feature: Feature): (Command & { button?: string })[] {
  const { command, alias, buttonCommands = {} } = feature;
  const others = Object.entries(buttonCommands).map(([name, about]) => ({ name, ...about }));
  return [command, alias, ...others].filter((one) => one !== undefined);
}

const CANCEL_COMMAND = { name: CANCEL, text: 'command-cancel', inMenu: true } as const satisfies Command;

/** User who sees a list of commands. */
interface CommandReader {
  isAdmin: boolean;
  isMerchant?: boolean | undefined;
}

/**
 * Returns a user's commands in the order of the features. An admin's additional commands come last. `linked`: those that
 * need an account, if the user has none.
 */
export function commandList(
  words: Words,
  features: readonly Feature[],
  { isLinked, ...reader }: CommandReader & { isLinked: boolean },
): { usable: BotCommand[]; linked: BotCommand[] } {
  const commands = commandsFor(features, reader);
  return {
    usable: listed(
      words,
      commands.filter(({ linked }) => isLinked || !linked),
    ),
    linked: listed(
      words,
      commands.filter(({ linked }) => !isLinked && linked),
    ),
  };
}

/** Returns the commands that Telegram lists: at most ten, so that none has to be searched for. */
export function menuCommands(
  words: Words,
  features: readonly Feature[],
  reader: CommandReader,
): BotCommand[] {
  return listed(
    words,
    commandsFor(features, reader).filter(({ inMenu }) => inMenu),
  );
}

function commandsFor(features: readonly Feature[], { isAdmin, isMerchant }: CommandReader): Command[] {
  const commands = features.flatMap(commandsOf).filter(({ merchants }) => isMerchant || !merchants);
  const admins = commands.filter(({ admins }) => admins);
  return [...commands.filter((one) => !one.admins), CANCEL_COMMAND, ...(isAdmin ? admins : [])];
}

const listed = (words: Words, commands: readonly Command[]): BotCommand[] =>
  commands.map(({ name, text }) => ({ command: name, description: words.plain(text) }));

/** Cancels a card whose question has ended, as its *Cancel* does. Returns whether that succeeded. */
export async function cancelCard(
  ctx: BotContext,
  router: Router,
  card: PlacedCard | undefined,
): Promise<boolean> {
  const cancel = card && router.routeTap(callbackData(CARD_BUTTONS, 'cancel', card.operation), ctx);
  if (card && (await cancel?.press(ctx, card.message)) !== undefined) return true;
  // The toast is only for a tap on the card itself.
  delete ctx.toast;
  return false;
}

/**
 * Creates the middleware for commands. They work at any time. Those that keep an open flow return to it, or to an open card
 * with `repeatCard`.
 */
export function handleCommands(
  router: Router,
  { onReturn, features }: BotDeps,
  repeatCard: (ctx: BotContext) => Promise<unknown>,
): Middleware<BotContext> {
  async function cancel(ctx: BotContext): Promise<void> {
    const { card, code } = ctx.session;
    const wasOpen = endFlow(ctx);
    delete ctx.headerHtml;
    if (await cancelCard(ctx, router, code ?? card)) return;
    if (wasOpen) return void (await showText(ctx, ctx.words.html('cancelled')));
    // The feature with this word knows what else can be cancelled.
    await router.routeCommand(CANCEL, ctx)?.handle(ctx);
  }

  return async (ctx, next) => {
    const { name = '', text } = parseCommand(ctx) ?? readCommand(features(), ctx) ?? {};
    const routed =
      name === CANCEL ? { handle: cancel, keepsFlow: false } : router.routeCommand(name, ctx, text);
    if (routed === undefined) return handleUnknownCommand(ctx, next);
    const { keepsFlow } = routed;
    if (name !== CANCEL && !keepsFlow) leaveFlow(ctx);
    if (name === 'start') ctx.tx.afterCommit(() => onReturn(ctx.chatId));
    const payload = name === 'start' ? startPayload(textOf(ctx.message)) : undefined;
    const linked = name === 'start' && text !== undefined ? router.routeStartLink(text, ctx) : undefined;
    if (payload !== undefined && router.onStartLink) await router.onStartLink(ctx, payload);
    else await (linked ?? routed.handle)(ctx);
    // A suspended user can't answer an open question.
    if (keepsFlow && ctx.isUsable === undefined) await returnToOpen(ctx);
    if (ctx.flowToEnter) await next();
  };

  /** Replies to a text that begins like a command, which is never an answer, and shows the open question or card again. */
  async function handleUnknownCommand(ctx: BotContext, next: NextFunction): Promise<void> {
    const { session, tx, words } = ctx;
    const [command] = /^\/[a-z]\w{0,31}/i.exec(textOf(ctx.message).trimStart()) ?? [];
    const isOpen =
      tx.conversation !== undefined || session.awaiting !== undefined || session.card !== undefined;
    if (command === undefined || !isOpen) return next();
    await send(ctx, { html: words.html('problem-command', { command }), keyboard: [] });
    await returnToOpen(ctx);
    if (ctx.flowToEnter) await next();
  }

  /** Shows an open question or card again, or asks for an awaited code, unless the command begins another flow. */
  async function returnToOpen(ctx: BotContext): Promise<void> {
    const { awaiting, code } = ctx.session;
    if (beginsFlow(ctx)) leaveFlow(ctx);
    else if (awaiting !== undefined && code !== undefined) await router.secretInput(awaiting)?.explain(ctx);
    else if (!(await repeatQuestion(features(), ctx))) await repeatCard(ctx);
  }
}

function beginsFlow({ flowToEnter }: BotContext): boolean {
  return flowToEnter !== undefined && flowToEnter.isContinued !== true;
}

/** Returns the feature that a link to the bot opens, and the text for its `onCommandText`. */
export function findStartLink(features: readonly Feature[], payload: string) {
  const { name, text = '' } = readStartLink(payload) ?? {};
  const feature = features.find((one) =>
    startLinksOf(one).some((link) => readStartLink(link.payload)?.name === name),
  );
  if (feature === undefined || (text !== '' && feature.onCommandText === undefined)) return undefined;
  return { feature, text };
}

/** Returns the links that a feature declares, with the labels of their buttons. */
export function startLinksOf({ startLinks = {} }: Feature): { payload: string; label: TextKey }[] {
  return Object.entries(startLinks).map(([payload, label]) => ({ payload, label }));
}

/** Returns the URL of a link to the bot. */
export function startUrl({ me }: Pick<BotContext, 'me'>, payload: string): string {
  return `https://t.me/${me.username}?start=${payload}`;
}

/** Returns the command at the beginning of a text or caption if it is meant for this bot, and the text after it. */
function parseCommand({ message, me }: BotContext): { name: string; text: string } | undefined {
  const [entity] = message?.entities ?? message?.caption_entities ?? [];
  if (entity?.type !== 'bot_command' || entity.offset !== 0) return undefined;
  const whole = textOf(message);
  const [name = '', addressee] = whole.slice(1, entity.length).split('@');
  const isOurs = addressee === undefined || addressee.toLowerCase() === me.username.toLowerCase();
  return isOurs ? { name: name.toLowerCase(), text: whole.slice(entity.length).trim() } : undefined;
}

/** Returns the command that a text without a slash means, unless the open question takes any text as its answer. */
function readCommand(features: readonly Feature[], ctx: BotContext) {
  if (ctx.message === undefined || asksForAny(features, ctx)) return undefined;
  for (const { command, readCommand } of features) {
    const text = readCommand?.(textOf(ctx.message));
    if (command && text !== undefined) return { name: command.name, text };
  }
  return undefined;
}

/**
 * Creates the middleware for taps outside of flows. It runs above the conversations, because an open one
 * consumes other taps. A tap without the token that its button needs reaches no handler and leaves an open
 * flow as it is. A tap that begins the flow which is open already shows its question or card instead, by `continueFlow`.
 * A tap that keeps the flow but sends a message below its question or card, such as a chart, returns to it.
 */
export function handleTaps(
  router: Router,
  { buttonTokens, features }: BotDeps,
  continueFlow: (ctx: BotContext) => Promise<boolean>,
  repeatCard: (ctx: BotContext) => Promise<unknown>,
): Middleware<BotContext> {
  /** Shows an open question or card again if the tap has sent a message below it. */
  async function returnBelow(ctx: BotContext): Promise<void> {
    const { lastSent = 0, flowToEnter, session } = ctx;
    const open = session.card?.message ?? session.question;
    const isClosed = ctx.isUsable !== undefined;
    if (isClosed || flowToEnter !== undefined || open === undefined || open >= lastSent) return;
    if (!(await repeatQuestion(features(), ctx))) await repeatCard(ctx);
  }

  return async (ctx, next) => {
    const tap = ctx.callbackQuery;
    if (tap === undefined || readAnswer(tap.data) !== undefined) return next();
    const routed = tap.data === undefined ? undefined : router.routeTap(tap.data, ctx);
    if (routed === undefined || tap.data === undefined || tap.message === undefined) {
      ctx.toast = ctx.words.plain('toast-over');
      return;
    }
    ctx.tx.signal.throwIfAborted();
    const tapped = { chat: tap.message.chat.id, update: ctx.update.update_id, data: tap.data };
    if (!(await buttonTokens.redeem(tapped))) {
      ctx.toast = ctx.words.plain('toast-button-expired');
      if (ctx.lastScreen !== undefined) ctx.session.screen = ctx.lastScreen;
      return;
    }
    const isLeftLater = routed.keepsFlow || routed.beginsFlow;
    const isOnCard = [CARD_BUTTONS, HELP_FEATURE].includes(routed.feature.name);
    if (!isLeftLater) leaveFlow(ctx);
    // The next text is an answer, whatever the screen above the question offers.
    const isAbove = ctx.session.question !== tap.message.message_id;
    const isStillAsked = routed.keepsFlow && !isOnCard && isAbove && isAnyFlowOpen(ctx);
    const stillAsked = isStillAsked ? ctx.words.plain('toast-question-open') : undefined;
    if (stillAsked !== undefined) ctx.toast = stillAsked;
    await routed.press(ctx, tap.message.message_id);
    if (ctx.toast === stillAsked && ctx.flowToEnter !== undefined) delete ctx.toast;
    if (isLeftLater && beginsFlow(ctx) && !(routed.beginsFlow && (await continueFlow(ctx)))) leaveFlow(ctx);
    // The buttons of a card act on that card, and *Help* below a question has its own way back.
    else if (routed.keepsFlow && !isOnCard) await returnBelow(ctx);
    if (ctx.flowToEnter) await next();
  };
}

/** The keys name no user, so a used button stays used after *Forget me*. */
const USED_BUTTON = {
  keys: 'button-used:token',
  content: 'A button that changes something was tapped, and by which update',
  expiry: 'an hour after the button expires: 61 days at most',
} as const satisfies StoredData;

/** Extra lifetime of a used token, because the clocks of replicas differ. */
const MARGIN_MS = HOUR_MS;

export const BOT_DATA: readonly StoredData[] = [CHAT, CONVERSATION, USED_BUTTON];

/** A token consists of its expiry (epoch seconds), random bytes and a MAC, in 20 characters of base64url. */
const EXPIRY_BYTES = 4;
const RANDOM_BYTES = 3;
const MAC_BYTES = 8;
const NONCE_BYTES = EXPIRY_BYTES + RANDOM_BYTES;

/** Telegram refuses a message with longer callback data. All data is ASCII. */
const MAX_DATA_LENGTH = 64;

/** `secrets`: 32 bytes each, newest first. The newest signs, all verify. */
export function createButtonTokens(
  secrets: readonly Uint8Array[],
  { storage, features, now }: Pick<FeatureDeps, 'storage' | 'features' | 'now'>,
): ButtonTokens {
  const keys = keyObjectsOf(secrets);
  const [newest] = keys;
  if (newest === undefined) throw new RangeError('at least one key is needed');

  /** Returns `undefined` for a button that changes nothing. */
  function ttlOf({ feature: name, button }: CallbackData): number | undefined {
    const { buttons = {} } = features().find((feature) => feature.name === name) ?? {};
    const found = Object.hasOwn(buttons, button) ? buttons[button] : undefined;
    return typeof found === 'object' && 'changes' in found ? found.ttlMs : undefined;
  }

  function signed(chat: number, button: InlineKeyboardButton): InlineKeyboardButton {
    const named = 'callback_data' in button ? readCallbackData(button.callback_data) : undefined;
    const ttlMs = named && ttlOf(named);
    if (!('callback_data' in button) || named === undefined || ttlMs === undefined) return button;
    // A button that stays when its message is edited keeps its token.
    if (named.token !== undefined) return button;
    const nonce = randomBytes(NONCE_BYTES);
    nonce.writeUInt32BE(Math.floor((now() + ttlMs) / 1000));
    const token = Buffer.concat([nonce, mac(newest as KeyObject, chat, named, nonce)]).toString('base64url');
    const data = withToken(button.callback_data, token);
    // An expired button is better than a message that Telegram refuses.
    return data.length > MAX_DATA_LENGTH ? button : { ...button, callback_data: data };
  }

  return {
    sign(call, method, payload, signal) {
      const { chat_id: chat, reply_markup: markup } = payload as Partial<
        Parameters<RawApi['sendMessage']>[0]
      >;
      if (typeof chat !== 'number' || markup === undefined || !('inline_keyboard' in markup))
        return call(method, payload, signal);
      const keyboard = markup.inline_keyboard.map((row) => row.map((one) => signed(chat, one)));
      return call(method, { ...payload, reply_markup: { ...markup, inline_keyboard: keyboard } }, signal);
    },
    async redeem({ chat, update, data }) {
      const named = readCallbackData(data);
      if (named === undefined || ttlOf(named) === undefined) return true;
      const { token } = named;
      if (token === undefined) return false;
      const bytes = Buffer.from(token, 'base64url');
      const [nonce, given] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES)];
      if (!keys.some((key) => timingSafeEqual(mac(key, chat, named, nonce), given))) return false;
      const leftMs = nonce.readUInt32BE() * 1000 - now();
      if (leftMs <= 0) return false;
      // `add` also returns true if this update has added the token before.
      return storage.add(keyOf(USED_BUTTON.keys, { token }), String(update), { ttlMs: leftMs + MARGIN_MS });
    },
  };
}

function mac(
  key: KeyObject,
  chat: number,
  { feature, button, argument }: CallbackData,
  nonce: Uint8Array,
): Buffer {
  const named = createHmac('sha256', key).update(`${chat}:${feature}:${button}:${argument}`).update(nonce);
  return named.digest().subarray(0, MAC_BYTES);
}
