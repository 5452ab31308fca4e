import type { Broadcast } from '../broadcast/broadcast.ts';
import type { Turns } from '../storage/turns.ts';
import type { Outbox } from './outbox/outbox.ts';

/** What goes on being so is said again after this. */
const AGAIN_MS = 10 * 60_000;

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
  return {
    dataLost: () => tell('data-lost'),
    /** How a broadcast came out, or why it is held up. */
    broadcast(broadcast: Broadcast) {
      const { id, state, pause, total, settled, begunAt, endedAt } = broadcast;
      const { sent, blocked, deactivated, unreachable, failed, unknown, skipped } = broadcast;
      const data = {
        ...{ id, total, state: state as 'done' | 'stopped' | 'missed' | 'paused' },
        ...(pause && { why: pause.why }),
        counts: { sent, blocked, deactivated, unreachable, failed, unknown, skipped },
        ...(begunAt !== undefined && endedAt !== undefined && { ms: endedAt - begunAt }),
      };
      const told = { kind: 'broadcast' as const, id: `${id}:${state}:${settled}`, data };
      return Promise.all([...admins].map((chat) => outbox.add({ ...told, chat })));
    },
    /** To the others: whoever turned it knows. */
    maintenance: ({ turn, admin, id }: { turn: 'on' | 'off'; admin: number; id: string }) => {
      const data = { key: `maintenance-news-${turn}`, admin } as const;
      const others = [...admins].filter((chat) => chat !== admin);
      return Promise.all(
        others.map((chat) => outbox.add({ kind: 'house', id: `maintenance-${turn}:${id}`, chat, data })),
      );
    },
    guestsFull: () => turns.take('guests-full-told', () => tell('guests-full'), { keptMs: AGAIN_MS }),
  };
}
