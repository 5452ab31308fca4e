import { readCallbackData } from '../i18n/callback-data.ts';
import type { BotContext } from './context.ts';
import { type ButtonHandler, type Feature, type Handler, handlerOf } from './features/feature.ts';
import { commandsOf } from './listed-commands.ts';

/** Message id of commands, which aren't tapped in any message. */
const NOWHERE = 0;

/** Tap on a feature's button, found by the button's data. */
export interface RoutedTap {
  feature: Feature;
  /** Starts to read what the tap will need. */
  ahead(ctx: BotContext): void;
  press(ctx: BotContext, message: number): Promise<unknown>;
}

export interface Router {
  tap(data: string, ctx: BotContext): RoutedTap | undefined;
  /** `text`: everything after the command. */
  command(name: string, ctx: BotContext, text?: string): Handler | undefined;
  secretInput(feature: string): Feature['secretInput'];
  /** Handles a link to the bot. */
  follow: Feature['follow'];
  hears: Feature['hears'];
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
  const byName = mapOf(features.map((feature) => [feature.name, feature]));
  const commands = mapOf(
    features.flatMap((feature) => [
      ...commandsOf(feature).map(({ name }) => [name, { feature, button: 'open' }] as const),
      ...Object.entries(feature.buttonCommands ?? {}).map(
        ([name, { button }]) => [name, { feature, button }] as const,
      ),
    ]),
  );
  return {
    tap(data, ctx) {
      const { feature: name = '', button = '', argument = '' } = readCallbackData(data) ?? {};
      const feature = byName.get(name);
      const press = feature && buttonOf(feature, button);
      if (feature === undefined || press === undefined || !isThere(feature, ctx, button)) return undefined;
      const { ahead = {} } = feature;
      return {
        feature,
        ahead: (ctx) => (Object.hasOwn(ahead, button) ? ahead[button]?.(ctx, argument) : undefined),
        press: (ctx, message) => press(ctx, argument, message),
      };
    },
    command(name, ctx, text = '') {
      const { feature, button = '' } = commands.get(name) ?? {};
      const press = feature && buttonOf(feature, button);
      if (feature === undefined || press === undefined || !isThere(feature, ctx, button)) return undefined;
      const { said } = feature;
      if (press !== feature.open) return (ctx) => press(ctx, '', NOWHERE);
      return text === '' || said === undefined ? feature.open : (ctx) => said(ctx, text);
    },
    follow: features.find(({ follow }) => follow)?.follow,
    hears: features.find(({ hears }) => hears)?.hears,
    secretInput: (name) => byName.get(name)?.secretInput,
  };
}

function buttonOf({ open, to, buttons = {} }: Feature, button: string): ButtonHandler | undefined {
  if (Object.hasOwn(buttons, button)) return handlerOf(buttons[button]);
  return button === 'open' ? open : button === 'to' ? to : undefined;
}

function isThere(feature: Feature, ctx: BotContext, button: string): boolean {
  return feature.isThere?.(ctx, button) ?? true;
}

function mapOf<T>(entries: readonly (readonly [string, T])[]): Map<string, T> {
  const map = new Map<string, T>();
  for (const [name, value] of entries) {
    if (map.has(name)) throw new RangeError(`two features are called ${name}`);
    map.set(name, value);
  }
  return map;
}
