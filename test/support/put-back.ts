import type { RecurringWork } from '../../src/platform/recurring-work.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { storedKeys } from './stored-keys.ts';

/** Signed text that was once stored under a key. */
export interface StoredText {
  key: string;
  text: string;
}

const SIGNED = /^s\d*\.[\w-]+\./;

/** Wraps a storage and remembers every text and every index member that was ever written. */
export function rememberTexts(of: Storage) {
  const texts = new Map<string, string[]>();
  const places = new Set<string>();

  async function note(...keys: string[]): Promise<void> {
    for (const key of keys) {
      const text = await of.get(key);
      const known = texts.get(key) ?? [];
      if (text === undefined || known.at(-1) === text) continue;
      texts.set(key, [...known.filter((one) => one !== text), text]);
    }
  }

  const { index, chats } = of;
  const place =
    <Rest extends unknown[], Result>(
      write: (name: string, member: string, ...rest: Rest) => Promise<Result>,
    ) =>
    (name: string, member: string, ...rest: Rest) => {
      places.add(JSON.stringify([name, member]));
      return write(name, member, ...rest);
    };
  const storage: Storage = {
    ...of,
    async set(...args) {
      await of.set(...args);
      await note(args[0]);
    },
    async add(...args) {
      const added = await of.add(...args);
      await note(args[0]);
      return added;
    },
    async replace(...args) {
      const replaced = await of.replace(...args);
      await note(args[0]);
      return replaced;
    },
    async replaceAndAdd(...args) {
      const took = await of.replaceAndAdd(...args);
      await note(args[0], args[3].key);
      return took;
    },
    index: {
      ...index,
      put: place(index.put),
      scheduleIn: place(index.scheduleIn),
      scheduleAll(name, rule, times) {
        for (const [member] of times) places.add(JSON.stringify([name, member]));
        return index.scheduleAll(name, rule, times);
      },
      move(name, from, member, inMs) {
        places.add(JSON.stringify([name, member]));
        return index.move(name, from, member, inMs);
      },
    },
    chats: {
      ...chats,
      async commit(request) {
        const committed = await chats.commit(request);
        if (request.changes.claim) await note(request.changes.claim.key);
        return committed;
      },
    },
  };

  return {
    storage,
    /** Returns each key that had a signed text, with all its texts, oldest first. */
    signed: (): [string, string[]][] => [...texts].filter(([, all]) => all.some((text) => SIGNED.test(text))),
    /** Returns the current text of every key. */
    async now(): Promise<Map<string, string>> {
      const all = new Map<string, string>();
      for (const key of await storedKeys(of)) {
        const text = await of.get(key);
        if (text !== undefined) all.set(key, text);
      }
      return all;
    },
    /** Restores these texts, and the first text of each other key if it is an ID in their keys. */
    async putBack(all: readonly StoredText[]): Promise<void> {
      const names = new Set(all.flatMap(({ key }) => namesIn(key)));
      for (const { key, text } of all) await of.set(key, text);
      for (const [key, [text = '']] of texts) if (names.has(text)) await of.set(key, text);
    },
    /**
     * Makes each index member due that contains an ID in the keys of these texts. Also makes the accounts due whose indexes
     * contain such a member: only their turns read these indexes.
     */
    async comeDue(all: readonly StoredText[]): Promise<void> {
      const names = new Set(all.flatMap(({ key }) => namesIn(key)));
      const scheduled = [...places].map((place) => JSON.parse(place) as [name: string, member: string]);
      const withAny = (wanted: ReadonlySet<string>) =>
        scheduled.filter(([, member]) => namesIn(member).some((one) => wanted.has(one)));
      const accounts = withAny(names).flatMap(([name]) => namesIn(name));
      for (const [name, member] of withAny(new Set([...names, ...accounts])))
        await index.put(name, member, 0);
    },
    /** Deletes all other keys that contain a random ID of these keys: marks of attempts, payments and ends. */
    async deleteOthers(of_: readonly StoredText[]): Promise<void> {
      const kept = new Set(of_.map(({ key }) => key));
      // Random IDs contain letters. Numbers are IDs of users, accounts and orders.
      const ids = new Set(of_.flatMap(({ key }) => namesIn(key)).filter((name) => /[A-Za-z]/.test(name)));

      for (const key of await storedKeys(of)) {
        if (!kept.has(key) && namesIn(key).some((name) => ids.has(name))) await of.delete(key);
      }
    },
    /** Restores the text of every key in `then`, and deletes all other keys. */
    async restore(then: ReadonlyMap<string, string>): Promise<void> {
      for (const key of (await this.now()).keys()) if (!then.has(key)) await of.delete(key);
      for (const [key, text] of then) if ((await of.get(key)) !== text) await of.set(key, text);
    },
  };
}

/** Returns the IDs in a key or an index member: 502 and 7Q2K9F3M for `operation:{502}:7Q2K9F3M`. */
export function namesIn(text: string): string[] {
  return text.split(/[^\w-]+/).filter((part) => /[\dA-Z]/.test(part));
}

/** Creates recurring work that runs only when the test calls `runAll`. */
export function createManualWork() {
  const works = new Map<string, () => Promise<void>>();
  const recurringWork: RecurringWork = {
    every: (name, _intervalMs, run) => void works.set(name, run),
    onEachReplica: (name, _intervalMs, run) => void works.set(name, run),
    start: () => undefined,
    stop: async () => undefined,
  };
  return {
    recurringWork,
    /** Runs the recurring work whose name `isRun` accepts, by default all. Ignores errors. */
    async runAll(isRun: (name: string) => boolean = () => true): Promise<void> {
      for (const name of [...works.keys()].filter(isRun))
        await works
          .get(name)?.()
          .catch(() => undefined);
    },
  };
}
