import type { TextKey } from '../i18n/keys.ts';
import type { OperationRequest } from '../operations/kinds/kind.ts';
import type { BotContext, Flow } from './context.ts';
import type { ReadAhead } from './read-ahead.ts';

/** Menu with the button of a feature: the main menu, or one of the menus below it. */
export type Place = 'main' | 'balance' | 'more' | 'admin';

/** Users who see a button: all, those without an account, those with one, merchants among them, or admins. */
export type Audience = 'anyone' | 'guest' | 'linked' | 'merchant' | 'admin';

/** Button in a menu. `merchants`: its place for merchants, above all other buttons or in another menu. */
export interface MenuEntry {
  button: TextKey;
  place: Place;
  for: Audience;
  style?: 'primary';
  merchants?: 'first' | Place;
  /** Not shown to users of the operator's account. */
  notOperators?: true;
}

export type Handler = (ctx: BotContext) => Promise<unknown>;

/** Handles a tap. `argument` is the button's data after its name, `message` the message with the button. */
export type ButtonHandler = (ctx: BotContext, argument: string, message: number) => Promise<unknown>;

/**
 * Button of a feature. A plain handler only shows something or begins a flow. It may schedule a read, and note which
 * message to keep up to date, but stores nothing else. Every other button is declared with {@link changes}: otherwise a
 * thief of the bot's token could send it under a harmless label.
 */
export type FeatureButton = ButtonHandler | ChangingButton | CardButton;

/** Button that changes something. It works once, before it expires, and only with its token (`button-tokens.ts`). */
export interface ChangingButton {
  changes: ButtonHandler;
  /** Lifetime in milliseconds, from when the button is sent. */
  ttlMs: number;
}

/**
 * Button that decides about an operation's card. It needs no token: its handler accepts a tap only on the message that
 * the session or the operation's record names as the card (`operations/confirm.ts`).
 */
export interface CardButton {
  decides: ButtonHandler;
}

/** Lifetime of a button on a screen, in milliseconds. */
const SCREEN_TTL_MS = 24 * 3600_000;
/** Lifetime of the answer to *Are you sure?*, in milliseconds. The question may be wrong after that. */
export const QUESTION_TTL_MS = 10 * 60_000;
/**
 * Lifetime of a button below a message that stays in the chat, such as a notification or a receipt, in milliseconds.
 */
export const MESSAGE_TTL_MS = 60 * 24 * 3600_000;

/**
 * Declares a button that changes something.
 *
 * @example
 * buttons: { open, 'remove-yes': changes(remove, QUESTION_TTL_MS) }
 */
export function changes(handler: ButtonHandler, ttlMs: number = SCREEN_TTL_MS): ChangingButton {
  return { changes: handler, ttlMs };
}

/** Declares a button that decides about an operation's card. */
export function decides(handler: ButtonHandler): CardButton {
  return { decides: handler };
}

/** Returns the handler of a button, however it is declared. */
export function handlerOf(button: FeatureButton | undefined): ButtonHandler | undefined {
  if (button === undefined || typeof button === 'function') return button;
  return 'changes' in button ? button.changes : button.decides;
}

/** Command of a feature. `text` is its description in the lists of commands. */
export interface Command {
  name: string;
  text: TextKey;
  /** Listed for admins only. */
  admins?: true;
}

/**
 * One feature of the bot. To add one, write a file like `deposit.ts` and add a line to `features.ts`. It then appears
 * in menus and commands, and handles taps, flows, *Back* from a card and *Again* from a receipt.
 */
export interface Feature {
  /** In lower case. The data of its buttons begins with it. */
  name: string;
  /** Handles its menu button and its command. */
  open?: Handler;
  menu?: MenuEntry | readonly MenuEntry[];
  /** Handles its command with the text after it. Without this function, that text is ignored. */
  said?(ctx: BotContext, text: string): Promise<unknown>;
  /** Starts with a given address. Available to all users who see its button in a menu. */
  to?: (ctx: BotContext, address: string) => Promise<unknown>;
  /** Handles a text that no question expected. Returns whether it could use the text. */
  hears?(ctx: BotContext, text: string): Promise<boolean>;
  command?: Command;
  /** Another command that does the same. */
  alias?: Command;
  /** Admin commands by name, each with the button that does the same. */
  buttonCommands?: Readonly<Record<string, { button: string; text: TextKey }>>;
  /** Further buttons, by the `button` of {@link callbackData}. */
  buttons?: Readonly<Record<string, FeatureButton>>;
  /** Data that taps on its buttons always need, by the name of the button or `open`: see {@link readAhead}. */
  ahead?: Readonly<Record<string, ReadAhead<unknown>['begin']>>;
  /**
   * Returns whether it is available to the user, for each button (`open` for its command). If not, taps and commands
   * have no effect. Checked at every action: see `admins-only.ts`.
   */
  isThere?(ctx: BotContext, button: string): boolean;
  /** Taps on its buttons don't leave an open flow. */
  keepsFlow?: true;
  /**
   * Questions of the feature. Raise the version whenever they change: a flow of another version is discarded instead of
   * continued incorrectly.
   */
  flow?: Flow & { version: number };
  /** Handles the secret that the feature requested with `session.awaiting`. */
  secretInput?: SecretInput;
  /** Handles a link to the bot. `payload` is the token in its `start` parameter. */
  follow?(ctx: BotContext, payload: string): Promise<unknown>;
  /** Returns the state that starts its flow with everything that an operation of this kind requested. */
  again?: { kind: string; start(request: OperationRequest, at: AgainAt): unknown };
}

/**
 * Point at which a flow starts: its last question, its card again, one more of what was done, or a card with current
 * data.
 */
export type AgainAt = 'last question' | 'card' | 'one more' | 'fresh card';

export interface SecretInput {
  /** Expects an API key, and also handles the operator's. */
  takesKeys?: true;
  /** `secret` is the message's text, or `undefined` if it had none. */
  take(ctx: BotContext, secret: string | undefined): Promise<unknown>;
  /** Asks for the secret again, in the tapped message. */
  ask?: Handler;
  /** Replies to a message that is clearly a question and was therefore not deleted. */
  explain: Handler;
  /** Returns whether the secret is no longer expected. */
  isOver?(ctx: BotContext): boolean;
  /** Warning to the author after `take`, if the message couldn't be deleted. */
  exposed: TextKey;
}
