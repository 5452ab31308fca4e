import type { Storage } from '../../storage/storage.ts';
import { LOOK_NAMES, type LookName } from './look.ts';

/** What is looked at: one list, say, of one account. */
export interface LookRef {
  account: number;
  name: LookName;
}

/** Something is expected of it; it was busy lately; all others. */
export type Lane = 'expected' | 'busy' | 'quiet';

const MOST_HURRIED = 200_000;
const HURRIED_AT_ONCE = 500;
const LANES: readonly Lane[] = ['expected', 'busy', 'quiet'];

/** When which account is looked at next, by the storage's clock. */
export interface Lanes {
  /** It is looked at from now on, at first at once. */
  enter(ref: LookRef, ms: number): Promise<void>;
  /**
   * It leaves what lane it was in, but for what is expected: that is left by {@link Lanes.leave} alone. Only for whoever
   * has its turn: moved by two at once it could end in no lane.
   */
  putIn(lane: 'busy' | 'quiet', ref: LookRef, ms: number): Promise<void>;
  /** Within this time: never later than it was expected. */
  expect(ref: LookRef, ms: number): Promise<void>;
  leave(lane: Lane, ref: LookRef): Promise<void>;
  /** What has come due: what is expected first, then the busiest; the quiet ones after them, a tenth in any case. */
  due(limit: number): Promise<{ ref: LookRef; isExpected: boolean }[]>;
  /** All of this name come due, the busiest first. */
  hurry(name: LookName): Promise<void>;
}

export function createLanes({ storage }: { storage: Pick<Storage, 'index'> }): Lanes {
  const { index } = storage;
  const indexOf = (lane: Lane) => `looks:${lane}`;
  return {
    async putIn(lane, ref, ms) {
      // First into the one: a look that is in none is never made again.
      await index.putIn(indexOf(lane), memberOf(ref), ms);
      await index.remove(indexOf(lane === 'busy' ? 'quiet' : 'busy'), memberOf(ref));
    },
    enter: (ref, ms) => index.putWithin(indexOf('busy'), memberOf(ref), ms),
    expect: (ref, ms) => index.putWithin(indexOf('expected'), memberOf(ref), ms),
    leave: (lane, ref) => index.remove(indexOf(lane), memberOf(ref)),
    async due(limit) {
      const [expected = [], busy = [], quiet = []] = await Promise.all(
        LANES.map((lane) => index.due(indexOf(lane), limit)),
      );
      const kept = Math.min(quiet.length, Math.ceil(limit / 10));
      const first = [...new Set([...expected, ...busy])].slice(0, limit - kept);
      const names = new Set([...first, ...quiet.slice(0, limit - first.length)]);
      const refs = [...names].map((name) => ({ name, ref: refOfMember(name) }));
      const isExpected = new Set(expected);
      // A name that this house doesn't give would stay due for ever.
      const odd = refs.filter(({ ref }) => ref === undefined).map(({ name }) => name);
      await Promise.all(odd.flatMap((name) => LANES.map((lane) => index.remove(indexOf(lane), name))));
      return refs.flatMap(({ name, ref }) => (ref ? [{ ref, isExpected: isExpected.has(name) }] : []));
    },
    async hurry(name) {
      for (const lane of ['busy', 'quiet'] as const) {
        const all = await index.upTo(indexOf(lane), Number.MAX_VALUE, MOST_HURRIED);
        const members = all.filter((one) => refOfMember(one)?.name === name);
        for (let from = 0; from < members.length; from += HURRIED_AT_ONCE) {
          const some = members.slice(from, from + HURRIED_AT_ONCE);
          await Promise.all(some.map((member) => index.putWithin(indexOf(lane), member, 0)));
        }
      }
    },
  };
}

export function memberOf({ account, name }: LookRef): string {
  return `${account}/${name}`;
}

export function refOfMember(text: string): LookRef | undefined {
  const [account, rest] = text.split('/');
  const name = LOOK_NAMES.find((one) => one === rest);
  const ref = name && { account: Number(account), name };
  // Only as this house writes it: what else means the same would never be taken out.
  return ref && Number.isSafeInteger(ref.account) && memberOf(ref) === text ? ref : undefined;
}
