const KEPT_MS = 60_000;
const MOST = 10_000;

/** Answers about an account that is asked for all the time, kept for a minute: for this process alone. */
export function createKeptAnswers({
  ask,
  now,
}: {
  ask: (account: number) => Promise<boolean>;
  now: () => number;
}): (account: number) => Promise<boolean> {
  const answers = new Map<number, { answer: boolean; at: number }>();
  return async (account) => {
    const known = answers.get(account);
    if (known !== undefined && now() - known.at < KEPT_MS) return known.answer;
    const answer = await ask(account);
    if (answers.size >= MOST) answers.clear();
    answers.set(account, { answer, at: now() });
    return answer;
  };
}
