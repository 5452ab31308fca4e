const SELDOM_MS = 30_000;
const MOST = 10_000;

/** Who leafs through menus has their account looked at now and then, and not with every tap: as far as this process knows. */
export function createVisits({ now }: { now: () => number }): (account: number) => boolean {
  const lately = new Map<number, number>();
  return (account) => {
    const at = lately.get(account);
    if (at !== undefined && now() - at < SELDOM_MS) return false;
    if (lately.size >= MOST) lately.clear();
    lately.set(account, now());
    return true;
  };
}
