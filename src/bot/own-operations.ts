import type { Operation } from '../operations/operation.ts';
import type { FeatureDeps } from './features/feature-deps.ts';

const PAGE = 50;
/** Maximum number of operations that can be read in the time of a handler. */
const MOST = 1_000;

/** Returns the operations that a user has confirmed, latest first, up to {@link MOST}. */
export async function ownOperations(
  { history }: Pick<FeatureDeps['operations'], 'history'>,
  user: number,
): Promise<Operation[]> {
  const all: Operation[] = [];
  let after: string | undefined;
  do {
    const page = await history.page(user, { size: PAGE, after });
    all.push(...page.operations);
    after = page.older;
  } while (after !== undefined && all.length < MOST);
  return all;
}
