import type { Turns } from '../storage/turns.ts';
import type { OperatorNews } from './kinds/operator.ts';
import type { Outbox } from './outbox/outbox.ts';

/** What goes on being so is said again after this. */
const AGAIN_MS = 10 * 60_000;
/** Who sends a key of the operator's account once more within this is told of once. */
const KEY_AGAIN_MS = 60 * 60_000;

type AdminNews = 'data-lost' | 'guests-full';

/** Tells every admin something of the house. */
export function createAdminNews(deps: {
  turns: Turns;
  outbox: Pick<Outbox, 'add'>;
  admins: ReadonlySet<number>;
  now: () => number;
}) {
  const { turns, outbox, admins, now } = deps;
  const tell = (key: AdminNews) => {
    // Said again within that time, by another replica or since it failed for one of them, it is the same.
    const id = `${key}:${Math.floor(now() / AGAIN_MS)}`;
    return Promise.all([...admins].map((chat) => outbox.add({ kind: 'house', id, chat, data: { key } })));
  };
  /** Of the operator's account; `id` names it: said again it is the same. `except`: whose doing it is. */
  const ofOperator = (id: string, data: OperatorNews, { except }: { except?: number } = {}) =>
    Promise.all(
      [...admins]
        .filter((chat) => chat !== except)
        .map((chat) => outbox.add({ kind: 'operator', id, chat, data })),
    );
  return {
    dataLost: () => tell('data-lost'),
    guestsFull: () => turns.take('guests-full-told', () => tell('guests-full'), { keptMs: AGAIN_MS }),
    ofOperator,
    /** Somebody who is no admin has sent a key of the operator's account. */
    operatorKeySent(by: number) {
      const at = now();
      return turns.take(`told-of-key:{${by}}`, () => ofOperator(`key:${by}:${at}`, { what: 'key', by, at }), {
        keptMs: KEY_AGAIN_MS,
      });
    },
  };
}

export type TellAdmins = ReturnType<typeof createAdminNews>;
