import { createDueQueue, type DueQueueDefinition, type RefFields, type RefOf } from './due-queue.ts';
import { keyOf } from './records.ts';
import type { Storage } from './storage.ts';

/** Name of the queue of leased references, in place of a priority. */
const LEASED = 'leased' as const;

interface PollScheduleDefinition<Fields extends RefFields, Priority extends string>
  extends DueQueueDefinition<Fields> {
  /** Longest delay of each priority, in milliseconds. The highest priority comes first. */
  readonly priorities: Readonly<Record<Priority, number>>;
  /** Time after which a leased reference comes due again, in milliseconds. Polls should be shorter. */
  readonly leaseMs: number;
}

/** Defines a poll schedule: due queues of the same references. The last field of their keys is `priority`. */
export function definePollSchedule<const Fields extends RefFields, Priority extends string>(
  definition: Omit<PollScheduleDefinition<Fields, Priority>, 'longestMs'>,
): PollScheduleDefinition<Fields, Priority> {
  const { leaseMs, priorities } = definition;
  return { ...definition, longestMs: Math.max(leaseMs, ...Object.values<number>(priorities)) };
}

/**
 * Creates a schedule of polls by priority, shared by all replicas. `fields` are the values of the other fields of its keys.
 * A reference may be in the queues of several priorities, and is polled when the first of them is due.
 *
 * A poll begins with `take`, `takeNow` or `lease`, which move the reference out of all these queues, and ends with
 * `release`. None of them removes what another replica schedules during the poll, even if it is executed late.
 *
 * @example
 * const polls = createPollSchedule(POLLS, { storage });
 * await polls.queues.active.scheduleNoLaterThan(target, 0);
 * for (const { ref } of await polls.take(50, 5))
 *   await polls.release(ref, { priority: 'idle', inMs: await poll(ref) });
 */
export function createPollSchedule<const Fields extends RefFields, Priority extends string>(
  definition: PollScheduleDefinition<Fields, Priority>,
  { storage }: { storage: Pick<Storage, 'index'> },
  fields: Readonly<Record<string, string | number>> = {},
) {
  type Ref = RefOf<Fields>;
  const { priorities, leaseMs } = definition;
  const queueOf = (priority: string, longestMs: number) => {
    const keys = keyOf(definition.keys, { ...fields, priority });
    return createDueQueue({ ...definition, keys, longestMs }, { storage });
  };
  const names = Object.keys(priorities) as Priority[];
  const waiting = names.map((name) => queueOf(name, priorities[name]));
  const leased = queueOf(LEASED, leaseMs);
  const all = [...waiting, leased];
  const queues = Object.fromEntries(names.map((name, at) => [name, waiting[at]])) as Record<
    Priority,
    typeof leased
  >;
  const { memberOf, parse } = leased;

  /** Schedules the next poll, but never postpones one. A delay above the longest one of its priority lowers the priority. */
  async function schedule(ref: Ref, next: { priority: Priority; inMs: number }): Promise<void> {
    const lower = names.slice(names.indexOf(next.priority));
    const fitting = lower.find((name) => next.inMs <= priorities[name]) ?? lower.at(-1);
    await queues[fitting ?? next.priority].scheduleNoLaterThan(ref, next.inMs);
  }

  return {
    queues,
    schedule,
    /**
     * Takes at most `limit` due references in one step, so that only one replica gets each of them. The order is that of
     * `due`. A reference comes due after `leaseMs` if it isn't released. Until then it isn't taken again, even if it is
     * scheduled during its poll.
     */
    async take(limit: number, reserved: number): Promise<{ ref: Ref; priority: Priority | typeof LEASED }[]> {
      const from = waiting.map(({ keys, longestMs }) => ({ index: keys, longestMs }));
      const taken = await storage.index.leaseDue(leased.keys, from, { limit, reserved, inMs: leaseMs });
      const refs = taken.map(([member, at]) => ({
        member,
        ref: parse(member),
        priority: names[at] ?? LEASED,
      }));
      const malformed = refs.flatMap(({ member, ref }) => (ref === undefined ? [member] : []));
      if (malformed.length > 0) await storage.index.remove(leased.keys, ...malformed);
      return refs.flatMap(({ ref, priority }) => (ref === undefined ? [] : [{ ref, priority }]));
    },
    /** Takes a reference, due or not, unless it is leased. Returns whether it was taken. */
    takeNow(ref: Ref): Promise<boolean> {
      const from = waiting.map(({ keys }) => keys);
      return storage.index.lease(leased.keys, from, memberOf(ref), leaseMs);
    },
    /**
     * Moves a reference out of the queues of all priorities, even if it is leased. It comes due after `leaseMs` if it isn't
     * released.
     */
    async lease(ref: Ref): Promise<void> {
      await leased.moveFrom(waiting, ref, leaseMs);
    },
    /** Ends a lease. Schedules the next poll, if any, like `schedule`. */
    async release(ref: Ref, next?: { priority: Priority; inMs: number }): Promise<void> {
      if (next) await schedule(ref, next);
      // Removed last, so that the reference is in a queue even if the process dies in between.
      await leased.remove(ref);
    },
    /**
     * Returns at most `limit` due references, each with its highest priority: high priorities first, longest due first.
     * The last `reserved` ones are chosen from the lowest priorities. Leases that are over count as the lowest.
     */
    async due(limit: number, reserved: number) {
      const refs = await Promise.all(all.map((queue) => queue.due(limit)));
      const lists = refs.map((list, at) => list.map((ref) => ({ ref, priority: names[at] ?? LEASED })));
      const lowestFirst = lists.toReversed().flat();
      // A reference in several lists counts in that of the highest priority only.
      const counted = new Set(new Map(lowestFirst.map((poll) => [memberOf(poll.ref), poll])).values());
      const first = lists.flat().filter((poll) => counted.has(poll));
      const last = lowestFirst.filter((poll) => counted.has(poll));
      return [...new Set([...first.slice(0, limit - reserved), ...last])].slice(0, limit);
    },
    /** Returns scheduled and leased references, at most `limit` of each queue. */
    async scheduled(limit: number): Promise<Ref[]> {
      const refs = await Promise.all(all.map((queue) => queue.scheduled(limit)));
      return [...new Map(refs.flat().map((ref) => [memberOf(ref), ref])).values()];
    },
    /**
     * Returns in how many milliseconds the first reference of each priority comes due, and the first leased one. Negative if
     * it is overdue. Priorities without references are missing.
     */
    async firstDueInMs(): Promise<Map<Priority | typeof LEASED, number>> {
      const times = await Promise.all(all.map((queue) => queue.firstDueInMs()));
      return new Map(times.flatMap((ms, at) => (ms === undefined ? [] : [[names[at] ?? LEASED, ms]])));
    },
    /** Returns how long the first reference has been due, in milliseconds; `undefined` if none is due. */
    overdueMs: async () => longestOf(await Promise.all(all.map((queue) => queue.overdueMs()))),
    memberOf,
    parse,
  };
}

/**
 * Returns the indexes of a due queue or poll schedule; none if their keys have other fields than the priority, because
 * only the callers of `createPollSchedule` know their values.
 */
export function indexesOf(
  definition: DueQueueDefinition<RefFields> | PollScheduleDefinition<RefFields, string>,
): string[] {
  const { keys } = definition;
  if (!('priorities' in definition)) return [keys];
  if (!/^[^:]+:priority$/.test(keys)) return [];
  return [...Object.keys(definition.priorities), LEASED].map((priority) => keyOf(keys, { priority }));
}

/** Returns the longest of the times that are present; `undefined` without one. */
export function longestOf(times: readonly (number | undefined)[]): number | undefined {
  return times.filter((ms) => ms !== undefined).toSorted((a, b) => b - a)[0];
}
