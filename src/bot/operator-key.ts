import type { Operator } from '../accounts/operator.ts';
import { asSeen } from '../rental/address.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './features/feature-deps.ts';

/** What may stand around a key in a sentence, or in a line of a configuration. */
const AROUND = /[=:,;"'`«»„“”<>()[\]{}]+/;
const AT_END = /[.!?…]+$/;

/** Whether a message holds the operator's key, as a word or as a part of one that signs set apart. */
export function holdsOperatorKey({ isKey }: Pick<Operator, 'isKey'>, text: string): boolean {
  const words = [text, asSeen(text)].flatMap((one) => one.split(/\s+/));
  return words.some((word) => [word, ...word.split(AROUND)].some((one) => isKey(one) || isKey(bare(one))));
}

function bare(word: string): string {
  return word.replace(AT_END, '');
}

/** What is done about the operator's key where somebody sends it who isn't to have it. */
export interface OperatorKey {
  isIn(text: string): boolean;
  /** Whether they aren't to have it: then all admins are told. */
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
