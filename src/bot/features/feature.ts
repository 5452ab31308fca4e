import type { OperationRequest } from '../../operations/kinds/kind.ts';
import type { TextKey } from '../../texts/keys.ts';
import type { BotContext, Flow } from '../context.ts';
import type { ReadAhead } from '../read-ahead.ts';

/** Where a feature's button is: in the main menu, or in one of those below it. */
export type Place = 'main' | 'balance' | 'more' | 'admin';

/** Who sees it: everybody, those without an account, those with one, those of them who sell, admins. */
export type Audience = 'anyone' | 'guest' | 'linked' | 'merchant' | 'admin';

/** A button in a menu. `merchants`: where who sells has it instead, above all others or in another menu. */
export interface MenuEntry {
  button: TextKey;
  place: Place;
  for: Audience;
  style?: 'primary';
  merchants?: 'first' | Place;
  /** Who uses the operator's account has none. */
  notOperators?: true;
}

export type Handler = (ctx: BotContext) => Promise<unknown>;

/** What a tap does; `argument` is what its button carries besides its name, `message` where the button is. */
export type ButtonHandler = (ctx: BotContext, argument: string, message: number) => Promise<unknown>;

/**
 * A button of a feature. A plain handler only shows something or begins a flow. It may schedule a read, and note which
 * message to keep up to date, but stores nothing else. Every other button is declared with {@link changes}: otherwise a
 * thief of the bot's token could send it under a harmless label.
 */
export type FeatureButton = ButtonHandler | ChangingButton | CardButton;

/** A button that changes something. It works once, before it expires, and only with its token (`button-tokens.ts`). */
export interface ChangingButton {
  changes: ButtonHandler;
  /** Lifetime from when the button is sent. */
  ttlMs: number;
}

/**
 * A button that decides about an operation's card. It needs no token: its handler accepts a tap only on the message that
 * the session or the operation's record names as the card (`operations/decisions.ts`).
 */
export interface CardButton {
  decides: ButtonHandler;
}

/** Lifetime of a button on a screen. */
const SCREEN_TTL_MS = 24 * 3600_000;
/** Lifetime of the answer to *Are you sure?*: what the question says may be untrue later. */
export const QUESTION_TTL_MS = 10 * 60_000;
/** Lifetime of a button below a message that stays in the chat, such as a notification or a receipt. */
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

/** `text` is what the lists of commands say of it. */
export interface Command {
  name: string;
  text: TextKey;
  /** It stands in the lists of admins alone. */
  admins?: true;
}

/**
 * One thing that people do with the bot. A further one is a file like `deposit.ts` and a line in `features.ts`; menus,
 * commands, taps, flows, *Back* from a card and *Again* from a receipt follow from it.
 */
export interface Feature {
  /** Lower case, and what its buttons' data begin with. */
  name: string;
  /** What its button in the menu and its command do. */
  open?: Handler;
  menu?: MenuEntry | readonly MenuEntry[];
  /** What its command does with the words behind it; without this they are left unread. */
  said?(ctx: BotContext, text: string): Promise<unknown>;
  /** Begins with an address that was given already; whoever sees its button in a menu can do so. */
  to?: (ctx: BotContext, address: string) => Promise<unknown>;
  /** Answers words that nobody waited for, where it can do something with them. */
  hears?(ctx: BotContext, text: string): Promise<boolean>;
  command?: Command;
  /** Another command that does the same. */
  alias?: Command;
  /** Commands of admins, by name, that do what one of its buttons does. */
  buttonCommands?: Readonly<Record<string, { button: string; text: TextKey }>>;
  /** What else can be tapped: `button` of {@link callbackData}. */
  buttons?: Readonly<Record<string, FeatureButton>>;
  /** What taps on its buttons will need in any case, by the same names; `open` too: see {@link readAhead}. */
  ahead?: Readonly<Record<string, ReadAhead<unknown>['begin']>>;
  /**
   * Whether it is there for who taps or writes, `button` by button (`open` for its command); where it isn't, they mean
   * nothing. Asked at every action: see `admins-only.ts`.
   */
  isThere?(ctx: BotContext, button: string): boolean;
  /** Its taps leave an open flow as it is. */
  keepsFlow?: true;
  /** Its questions. Raised whenever they change: what was begun under another version is forgotten, not gone on wrongly. */
  flow?: Flow & { version: number };
  /** Takes the secret that it asked for with `session.awaiting`; the message is deleted already. */
  secretInput?: SecretInput;
  /** What a link to the bot leads to, by what stands in it behind `start=`. */
  follow?(ctx: BotContext, payload: string): Promise<unknown>;
  /** Where its flow begins with all that an operation of this kind asked for. */
  again?: { kind: string; start(request: OperationRequest, at: AgainAt): unknown };
}

/** At its last question; at its card once more; for one more of what was done; at a fresh card in place of one that no longer tells the truth. */
export type AgainAt = 'last question' | 'card' | 'one more' | 'fresh card';

export interface SecretInput {
  /** It waits for a key: the operator's too is its to take. */
  takesKeys?: true;
  /** `secret` is the message's text; `undefined` where it had none. */
  take(ctx: BotContext, secret: string | undefined): Promise<unknown>;
  /** Asks for it once more, where the tap was. */
  ask?: Handler;
  /** Their message was plainly a question: it was left where it is. */
  explain: Handler;
  /** Nobody waits for it any more: what comes is no secret. */
  isOver?(ctx: BotContext): boolean;
  /** Told to the author after `take`, if the message couldn't be deleted. */
  exposed: TextKey;
}
