import type { Operation } from '../operations/operation.ts';
import type { FeatureDeps } from './features/feature-deps.ts';

const PAGE = 50;
/** Within the time that a handler has. */
const MOST = 1_000;

/** What a user has confirmed, the latest first: all of it, unless that is very much. */
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
