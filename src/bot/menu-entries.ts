import type { InlineKeyboardButton } from 'grammy/types';
import { callbackData } from '../i18n/callback-data.ts';
import type { Words } from '../i18n/texts.ts';
import { button } from '../i18n/view.ts';
import type { Audience, Feature, MenuEntry } from './features/feature.ts';

type Entry = MenuEntry & { name: string };

/** Returns the features' menu entries for these audiences. `operators`: the user uses the operator's account. */
export function entries(
  features: readonly Feature[],
  to: readonly Audience[],
  { operators }: { operators?: true | undefined } = {},
): Entry[] {
  return features
    .flatMap(({ name, menu = [] }) => [menu].flat().map((entry: MenuEntry) => ({ ...entry, name })))
    .filter((entry) => entry.for === 'anyone' || to.includes(entry.for))
    .filter(({ notOperators }) => !(operators && notOperators));
}

/** Returns the button of an entry. `data` replaces its default target. */
export function entryButton(
  words: Words,
  { name, button: key, style }: Entry,
  data = callbackData(name, 'open'),
): InlineKeyboardButton {
  return button(words, key, data, style);
}
