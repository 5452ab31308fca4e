import { randomUUID } from 'node:crypto';
import type { Log } from '../log.ts';
import type { Storage } from '../storage/storage.ts';

/** A random name of the data that is there; it has no end, as the data has none. */
const MARKER = 'epoch';
/** There for as long as nothing is taken: on every replica, and by the storage's clock. */
const LOST = 'data-lost';
const CLOSED_MS = 5 * 60_000;
const TOLD_MS = 24 * 3600_000;
const LOOK_MS = 10_000;

/** Notices that the storage lost its data while this process ran: emptied, or taken over by one that knew less. */
export interface DataWatch {
  /** Whether data was lost within the last five minutes, as far as any replica knows. */
  lost(): Promise<boolean>;
  /** Looks now and every ten seconds. */
  start(): void;
  stop(): void;
}

/** `tell` is called by one replica, once for each loss; again where it throws. An empty storage at the start is no loss. */
export function createDataWatch(deps: {
  storage: Pick<Storage, 'get' | 'add' | 'delete'>;
  tell: () => Promise<unknown>;
  log: Log;
}): DataWatch {
  const { storage, tell, log } = deps;
  let known: string | undefined;
  let looking: Promise<boolean> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** The marker that is there, or a new one. */
  async function marker(): Promise<string | undefined> {
    const made = randomUUID();
    return (await storage.add(MARKER, made)) ? made : storage.get(MARKER);
  }

  /** Answers whether everything is as it was. */
  async function compare(): Promise<boolean> {
    const found = await storage.get(MARKER);
    if (found !== undefined && found === known) return true;
    if (known === undefined) {
      known = found ?? (await marker());
      return false;
    }
    if (found === undefined || (await storage.get(toldOf(found))) === undefined) await close(found);
    known = found ?? (await storage.get(MARKER));
    return false;
  }

  /** Closed before all else: whoever finds the new marker may not know the old one. */
  async function close(found: string | undefined): Promise<void> {
    await storage.add(LOST, randomUUID(), { ttlMs: CLOSED_MS });
    const present = found ?? (await marker()) ?? '';
    if (!(await storage.add(toldOf(present), randomUUID(), { ttlMs: TOLD_MS }))) return;
    log.error({ ms: CLOSED_MS }, 'the storage lost its data; no money is taken for a while');
    try {
      await tell();
    } catch (error) {
      await storage.delete(toldOf(present));
      throw error;
    }
  }

  function look(): Promise<boolean> {
    looking ??= compare().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  /** What fails is looked at again; that the storage is away is said elsewhere. */
  const tick = () => void look().catch(() => {});

  return {
    async lost() {
      const isMarked = async () => (await storage.get(LOST)) !== undefined;
      // Together; what a look finds that isn't as it was, it marks only then.
      const [wasMarked, isSame] = await Promise.all([isMarked(), look()]);
      return wasMarked || (!isSame && isMarked());
    },
    start() {
      tick();
      timer = setInterval(tick, LOOK_MS);
    },
    stop: () => clearInterval(timer),
  };
}

function toldOf(marker: string): string {
  return `data-loss-told:${marker}`;
}
