import type { Broadcast } from '../broadcast/broadcast.ts';
import type { ContinuityLoss } from '../operations/continuity.ts';
import type { Turns } from '../storage/turns.ts';
import type { BroadcastNews } from './kinds/broadcast.ts';
import type { OperatorNews } from './kinds/operator.ts';
import type { Outbox } from './outbox/outbox.ts';

/** What goes on being so is said again after this. */
const AGAIN_MS = 10 * 60_000;
/** Who sends a key of the operator's account once more within this is told of once. */
const KEY_AGAIN_MS = 60 * 60_000;

type AdminNews = 'data-lost' | 'continuity-unproved' | 'guests-full';

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
  function ofBroadcast(
    id: string,
    { total, ...broadcast }: Broadcast,
    how: Omit<BroadcastNews, 'id' | 'total' | 'counts'>,
  ) {
    const { sent, blocked, deactivated, unreachable, failed, unknown, skipped } = broadcast;
    const counts = { sent, blocked, deactivated, unreachable, failed, unknown, skipped };
    const data = { id: broadcast.id, total, counts, ...how };
    return Promise.all([...admins].map((chat) => outbox.add({ kind: 'broadcast', id, chat, data })));
  }
  return {
    /** `id` names the records: the same are told once. */
    recordsUnreadable: ({ id, ...about }: { id: string; detail: string; told: 'yes' | 'no' }) => {
      const data = { key: 'records-unreadable', ...about } as const;
      return Promise.all(
        [...admins].map((chat) => outbox.add({ kind: 'house', id: `unreadable:${id}`, chat, data })),
      );
    },
    continuityLost: (loss: ContinuityLoss) => tell(loss === 'lost' ? 'data-lost' : 'continuity-unproved'),
    /** How a broadcast came out, or why it is held up. */
    broadcast(broadcast: Broadcast) {
      const { id, state, pause, begunAt, endedAt } = broadcast;
      return ofBroadcast(`${id}:${state}:${pause?.at ?? endedAt}`, broadcast, {
        state: state as 'done' | 'stopped' | 'missed' | 'paused',
        ...(pause && { why: pause.why }),
        ...(begunAt !== undefined && endedAt !== undefined && { ms: endedAt - begunAt }),
      });
    },
    /** Reports that an old record of an ended broadcast was put back and refused, once for each broadcast. */
    broadcastReplayed: (broadcast: Broadcast) =>
      ofBroadcast(`${broadcast.id}:replayed`, broadcast, { state: 'replayed' }),
    /** To the others: whoever turned it knows. */
    maintenance: ({ turn, admin, id }: { turn: 'on' | 'off'; admin: number; id: string }) => {
      const data = { key: `maintenance-news-${turn}`, admin } as const;
      const others = [...admins].filter((chat) => chat !== admin);
      return Promise.all(
        others.map((chat) => outbox.add({ kind: 'house', id: `maintenance-${turn}:${id}`, chat, data })),
      );
    },
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
