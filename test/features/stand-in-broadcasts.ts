import { vi } from 'vitest';
import type { Broadcasts } from '../../src/broadcasts/broadcasts.ts';
import type { Broadcast, BroadcastDraft, BroadcastDrafts } from '../../src/broadcasts/store.ts';
import { callbackData } from '../../src/i18n/view.ts';

const NOTHING = {
  ...{ total: 0, settled: 0, sent: 0, blocked: 0, deactivated: 0, unreachable: 0, failed: 0, unknown: 0 },
  ...{
    skipped: 0,
    deferred: [],
    openAttempts: [],
    rateLimitHits: 0,
    takeovers: 0,
    sendingMs: 0,
    revision: 0,
  },
};

/** Returns mocked broadcasts that never send a message. The drafts are real. */
export function standInBroadcasts({ drafts, now }: { drafts: BroadcastDrafts; now: () => number }) {
  const all = new Map<string, Broadcast>();
  const those = (is: (one: Broadcast) => boolean) => [...all.values()].filter(is);
  const isActive = ({ state }: Broadcast) => /^(gathering|sending|paused)$/.test(state);

  const moved = (from: RegExp, state: Broadcast['state']) =>
    vi.fn(async (id: string) => {
      const one = all.get(id);
      if (one === undefined || !from.test(one.state)) return false;
      const endedAt = state === 'stopped' ? { endedAt: now() } : {};
      all.set(id, { ...one, state, ...endedAt });
      return true;
    });

  const broadcasts = {
    drafts,
    count: vi.fn<Broadcasts['count']>(async () => 3),
    durationMs: vi.fn<Broadcasts['durationMs']>((count) => count * 40),
    start: vi.fn<Broadcasts['start']>(async (draft) => begin(draft)),
    pause: moved(/gathering|sending/, 'paused'),
    resume: moved(/paused/, 'sending'),
    stop: moved(/scheduled|gathering|sending|paused/, 'stopped'),
    find: async (id) => all.get(id),
    active: async () => those(isActive)[0],
    scheduled: async () =>
      those(({ state }) => state === 'scheduled').toSorted((one, other) => one.startAt - other.startAt),
    ended: async (limit) =>
      those(({ endedAt }) => endedAt !== undefined)
        .toReversed()
        .slice(0, limit),
    view: (_, { id, state }) => ({
      html: `How ${id} stands: ${state}`,
      keyboard: [[{ text: 'Pause', callback_data: callbackData('broadcast', 'pause', id) }]],
    }),
    addProgressMessage: vi.fn<Broadcasts['addProgressMessage']>(async () => {}),
  } satisfies Broadcasts;

  function begin({ id, admin, contents, audience, at }: BroadcastDraft) {
    const { default: first } = contents;
    if (first === undefined || audience === undefined)
      throw new Error('the draft has no default content or audience');
    const known = all.get(id);
    if (known === undefined && at === undefined && those(isActive).length > 0) return 'busy';
    const state = at === undefined ? 'sending' : 'scheduled';
    const times = { createdAt: now(), startAt: at ?? now(), activeAt: now() };
    if (known === undefined) {
      put({ ...NOTHING, ...times, id, admin, audience, state, contents: { ...contents, default: first } });
    }
    return at === undefined ? 'started' : 'scheduled';
  }

  function put(one: Broadcast): void {
    all.set(one.id, one);
  }

  return { broadcasts, put, all: () => [...all.values()] };
}
