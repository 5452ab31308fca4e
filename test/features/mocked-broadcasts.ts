import { vi } from 'vitest';
import type { Broadcasts } from '../../src/broadcasts/broadcasts.ts';
import type { Broadcast, BroadcastDraft } from '../../src/broadcasts/store.ts';
import { callbackData } from '../../src/views/callback-data.ts';
import { START } from '../operations/operations-setup.ts';

export const BROADCAST = '0b8cf6a15b0e4b11';

/** Returns a stored broadcast to 1,300 users of which none has been sent. `more` overrides its fields. */
export const broadcast = (more: Partial<Broadcast> = {}): Broadcast => ({
  id: BROADCAST,
  admin: 7,
  audience: { who: 'everybody' },
  state: 'sending',
  createdAt: START,
  startAt: START,
  activeAt: START,
  contents: { default: { chat: 7, message: 9, buttons: [], hash: 'a' } },
  total: 1_300,
  settled: 0,
  sent: 0,
  blocked: 0,
  deactivated: 0,
  unreachable: 0,
  failed: 0,
  unknown: 0,
  skipped: 0,
  deferred: [],
  openAttempts: [],
  rateLimitHits: 0,
  takeovers: 0,
  sendingMs: 0,
  revision: 0,
  ...more,
});

/** Returns mocked broadcasts that never send a message. Their drafts aren't mocked. */
export function mockBroadcasts({ now }: { now: () => number }) {
  const all = new Map<string, Broadcast>();
  const inState = (states: RegExp) => [...all.values()].filter(({ state }) => states.test(state));
  const put = (one: Broadcast) => void all.set(one.id, one);

  const move = (from: RegExp, state: Broadcast['state']) =>
    vi.fn(async (id: string) => {
      const one = all.get(id);
      if (one === undefined || !from.test(one.state)) return false;
      put({ ...one, state, ...(state === 'stopped' && { endedAt: now() }) });
      return true;
    });

  const broadcasts = {
    countEach: vi.fn<Broadcasts['countEach']>(async (audiences) => audiences.map((_, at) => 1_234 + at)),
    count: vi.fn<Broadcasts['count']>(async () => 3),
    durationMs: vi.fn<Broadcasts['durationMs']>((count) => count * 40),
    start: vi.fn<Broadcasts['start']>(async (draft) => begin(draft)),
    pause: move(/resolving|sending/, 'paused'),
    resume: move(/paused/, 'sending'),
    stop: move(/scheduled|resolving|sending|paused/, 'stopped'),
    find: async (id) => all.get(id),
    active: async () => inState(/resolving|sending|paused/)[0],
    scheduled: async () => inState(/scheduled/).toSorted((one, other) => one.startAt - other.startAt),
    ended: async (limit) =>
      [...all.values()]
        .filter(({ endedAt }) => endedAt !== undefined)
        .toReversed()
        .slice(0, limit),
    view: (_, { id, state }) => ({
      html: `How ${id} stands: ${state}`,
      keyboard: [[{ text: 'Pause', callback_data: callbackData('broadcast', 'pause', id) }]],
    }),
    addProgressMessage: vi.fn<Broadcasts['addProgressMessage']>(async () => {}),
  } satisfies Omit<Broadcasts, 'drafts'>;

  function begin({ id, admin, contents, audience, at }: BroadcastDraft) {
    const { default: content } = contents;
    if (content === undefined || audience === undefined)
      throw new Error('the draft has no default content or audience');
    const isNew = !all.has(id);
    if (isNew && at === undefined && inState(/resolving|sending|paused/).length > 0) return 'busy';
    const state = at === undefined ? 'sending' : 'scheduled';
    const times = { createdAt: now(), startAt: at ?? now(), activeAt: now() };
    if (isNew)
      put(
        broadcast({
          ...times,
          id,
          admin,
          audience,
          state,
          contents: { ...contents, default: content },
          total: 0,
        }),
      );
    return at === undefined ? 'started' : 'scheduled';
  }

  return { broadcasts, put, all: () => [...all.values()] };
}
