import type { Operator } from '../accounts/operator.ts';
import { asSeen } from '../rental-api/address.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './feature-deps.ts';

/** Characters that may surround a key in a sentence or in a line of a configuration. */
const AROUND = /[=:,;"'`«»„“”<>()[\]{}]+/;
const AT_END = /[.!?…]+$/;

/** Returns whether a text contains the operator's API key, as a word or as a part of one between punctuation. */
export function holdsOperatorKey({ isKey }: Pick<Operator, 'isKey'>, text: string): boolean {
  const words = [text, asSeen(text)].flatMap((one) => one.split(/\s+/));
  return words.some((word) => [word, ...word.split(AROUND)].some((one) => isKey(one) || isKey(bare(one))));
}

function bare(word: string): string {
  return word.replace(AT_END, '');
}

/** Handling of the operator's API key if a user sends it who must not have it. */
export interface OperatorKey {
  isIn(text: string): boolean;
  /** Notifies all admins and returns `true`, unless the sender is an admin. */
  refuse(ctx: BotContext): Promise<boolean>;
}

export function createOperatorKey(
  deps: Pick<FeatureDeps, 'operator' | 'isAdmin' | 'tellAdmins'>,
): OperatorKey {
  const { operator, isAdmin, tellAdmins } = deps;
  return {
    isIn: (text) => holdsOperatorKey(operator, text),
    async refuse({ from, tx }) {
      if (from === undefined || isAdmin(from.id)) return false;
      tx.signal.throwIfAborted();
      await tellAdmins.operatorKeySent(from.id);
      return true;
    },
  };
}
