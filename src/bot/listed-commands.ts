import type { TextKey } from '../texts/keys.ts';
import type { Command, Feature } from './features/feature.ts';

/** What opens it. */
export function commandsOf({ command, alias }: Feature): Command[] {
  return [command, alias].filter((one) => one !== undefined);
}

/** The commands that everybody may see, in their order: those with something to say of them. */
export function listedCommands(features: readonly Feature[]): { name: string; text: TextKey }[] {
  return features.flatMap(commandsOf).flatMap(({ name, text }) => (text ? [{ name, text }] : []));
}
