import type { Storage } from '../../src/platform/storage.ts';

/** Storage with a record of its writes. */
export interface RecordedWrites {
  storage: Storage;
  /** Returns the keys written since the last call. A commit of a chat adds its changes, for example `chat:session`. */
  take(): string[];
}

/** Records the writes that took place. Ignores the begin of an update and commits without changes. */
export function recordWrites(of: Storage): RecordedWrites {
  let written: string[] = [];
  const noting =
    <Args extends [string, ...unknown[]], Result>(write: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const result = await write(...args);
      if (result !== false) written.push(args[0]);
      return result;
    };
  const { index, chats } = of;
  return {
    storage: {
      ...of,
      set: noting(of.set),
      add: noting(of.add),
      replace: noting(of.replace),
      delete: noting(of.delete),
      async replaceAndAdd(...args) {
        const took = await of.replaceAndAdd(...args);
        if (took.replaced) written.push(args[0]);
        if (took.added) written.push(args[3].key);
        return took;
      },
      index: {
        ...index,
        put: noting(index.put),
        remove: noting(index.remove),
        scheduleIn: noting(index.scheduleIn),
        async move(...args) {
          written.push(args[0]);
          return index.move(...args);
        },
        scheduleAll: noting(index.scheduleAll),
      },
      chats: {
        ...chats,
        commit(request) {
          written.push(...Object.keys(request.changes).map((name) => `chat:${name}`));
          return chats.commit(request);
        },
      },
    },
    take() {
      const taken = written;
      written = [];
      return taken;
    },
  };
}
