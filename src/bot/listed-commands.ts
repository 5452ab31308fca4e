import type { TextKey } from '../texts/keys.ts';
import type { Feature } from './features/feature.ts';

/** The commands that everybody may see, in their order: those with something to say of them. */
export function listedCommands(features: readonly Feature[]): { name: string; text: TextKey }[] {
  return features.flatMap(({ command }) =>
    command?.text ? [{ name: command.name, text: command.text }] : [],
  );
}
