import { callbackData } from '../i18n/callback-data.ts';
import { clockSeconds } from '../i18n/formats.ts';
import type { TextKey } from '../i18n/keys.ts';
import type { Words } from '../i18n/texts.ts';
import { button, menuButton, paragraphs, type View } from '../i18n/view.ts';
import { isUncertain, type Operation, type OperationRef } from '../operations/operation.ts';
import type { FeatureDeps } from './features/feature-deps.ts';
import { unresolvedDetails, unresolvedEntry, unresolvedTitle } from './unresolved-lines.ts';

/** Name of the feature that handles the buttons of these views. */
export const UNRESOLVED = 'unresolved';

const SIZE = 5;
/** Separator between the user and the number of an operation. */
const BEHIND = '_';

/** Returns the reference of an operation as buttons contain it. */
export function nameOf({ user, id }: OperationRef): string {
  return `${user}${BEHIND}${id}`;
}

export function refIn(name: string): OperationRef {
  const [user, id = ''] = name.split(BEHIND);
  return { user: Number(user), id };
}

/** Creates the views of unresolved operations: the list in pages, and one operation with all its details. */
export function createUnresolvedViews(deps: Pick<FeatureDeps, 'operations' | 'links' | 'now'>) {
  const { links, now } = deps;
  const { unresolved, kinds } = deps.operations;

  const wayUp = (words: Words) => [
    button(words, 'button-admin', callbackData('menu', 'admin')),
    menuButton(words),
  ];

  async function list(words: Words, wanted: number): Promise<View> {
    const { operations: all, unreadable, isMore } = await unresolved.list();
    const last = Math.max(0, Math.ceil(all.length / SIZE) - 1);
    const page = Math.min(wanted, last);
    const shown = all.slice(page * SIZE, (page + 1) * SIZE);
    const numbered = shown.map((operation, at) => ({ operation, number: page * SIZE + at + 1 }));
    const opening = numbered.map(({ operation, number }) => ({
      text: String(number),
      callback_data: callbackData(UNRESOLVED, 'one', nameOf(operation)),
    }));
    const turn = (key: TextKey, to: number) => button(words, key, callbackData(UNRESOLVED, 'page', to));
    const turning = [
      ...(page > 0 ? [turn('button-unresolved-older', page - 1)] : []),
      turn('button-refresh', page),
      ...(page < last ? [turn('button-unresolved-newer', page + 1)] : []),
    ];
    const html = paragraphs(
      words.html('unresolved-title', { count: all.length, more: isMore ? 'yes' : 'no' }),
      ...numbered.map(({ operation, number }) => unresolvedEntry(words, kinds, operation, number)),
      unreadable > 0 && words.html('unresolved-unreadable', { count: unreadable }),
      words.html(all.length > 0 ? 'unresolved-open' : 'unresolved-none'),
      words.html('events-as-of', { time: clockSeconds(now()) }),
    );
    const rows = [opening, turning].filter((row) => row.length > 0);
    return {
      html,
      keyboard: [...rows, wayUp(words)],
    };
  }

  async function one(words: Words, operation: Operation): Promise<View> {
    const { user, account, request, state } = operation;
    const isLinked = (await links.apiKey(user, account)) !== undefined;
    const hasList = kinds.of(request).listing !== undefined;
    const html = paragraphs(
      unresolvedTitle(words, kinds, operation),
      unresolvedDetails(words, operation, { isLinked, hasList }),
      words.html('events-as-of', { time: clockSeconds(now()) }),
    );
    const to = (key: TextKey, name: string) =>
      button(words, key, callbackData(UNRESOLVED, name, nameOf(operation)));
    const isOpen = isUncertain(operation);
    return {
      html,
      keyboard: [
        ...(isOpen || state === 'sent' ? [[to('button-unresolved-ask', 'ask')]] : []),
        ...(isOpen ? [[to('button-went-through', 'went'), to('button-did-not', 'failed')]] : []),
        [to('button-refresh', 'one'), button(words, 'button-unresolved', callbackData(UNRESOLVED, 'open'))],
        wayUp(words),
      ],
    };
  }

  return { list, one };
}
