import { isSealed, keyIdOf, type Seal } from './encryption.ts';
import type { Renewed, StoredData } from './records.ts';
import type { Storage } from './storage.ts';

export const CANARY = {
  keys: 'canary',
  content: 'Sealed text by which a start recognizes a wrong SECRET_KEY',
  expiry: 'none: only a rotation of SECRET_KEY renews it',
  anonymous: true,
} as const satisfies StoredData;

/** The canary isn't about a user. */
const ABOUT = { user: 0, purpose: 'canary' };
/** Id of the lost key if the canary doesn't name it. */
const UNKNOWN_ID = 'unknown';

/**
 * State of the canary: `open` with a listed key; `foreign`: sealed by a key that isn't listed; `damaged`: changed from
 * outside.
 */
type CanaryState = { is: 'foreign'; keyId: string } | { is: 'open' | 'damaged' | 'missing' };

/** Error for a `SECRET_KEY` that doesn't open the stored data. The message names the way out. */
export class WrongSecretKey extends Error {
  override readonly name = 'WrongSecretKey';

  constructor(keyId: string) {
    super(
      `SECRET_KEY: the stored data is of a key that isn't listed (id ${keyId}), so nothing was changed or sent. List that key behind the present one (SECRET_KEY=<present>,<former>). If it is lost, stop all replicas and accept the loss of accounts and operations: npm run rotate-keys -- --accept-loss=${keyId}`,
    );
  }
}

export type Canary = ReturnType<typeof createCanary>;

/**
 * Creates the canary, a sealed text that shows under which `SECRET_KEY` the stored data was written. It is written
 * before all other data, and again only by a rotation of keys. So replicas with an older list of keys keep opening it
 * until then.
 */
export function createCanary({
  storage,
  seal,
}: {
  storage: Pick<Storage, 'get' | 'add' | 'replace'>;
  seal: Seal;
}) {
  function parse(text: string | undefined): CanaryState {
    if (text === undefined) return { is: 'missing' };
    if (seal.open(text, ABOUT) !== undefined) return { is: 'open' };
    const keyId = isSealed(text) ? keyIdOf(text) : undefined;
    return keyId === undefined || seal.keyIds.includes(keyId) ? { is: 'damaged' } : { is: 'foreign', keyId };
  }

  const read = async () => parse(await storage.get(CANARY.keys));
  const newText = () => seal.seal('', ABOUT);

  return {
    read,
    /**
     * Makes the canary of an empty storage. Call before anything else is written. `hasData` tells whether the storage has
     * data of the bot, and `onEmpty` is called before the canary is written. Returns the state after that, and whether this
     * call made it.
     *
     * @throws {WrongSecretKey} if no listed key opens it.
     */
    async prepare(
      hasData: () => Promise<boolean>,
      onEmpty: () => Promise<unknown> = async () => {},
    ): Promise<CanaryState & { isMade?: true }> {
      let state = await read();
      if (state.is === 'missing' && !(await hasData())) {
        await onEmpty();
        if (await storage.add(CANARY.keys, newText())) return { is: 'open', isMade: true };
      }
      // Another replica may have made it since, and then the rest of its data.
      if (state.is === 'missing') state = await read();
      if (state.is === 'foreign') throw new WrongSecretKey(state.keyId);
      return state;
    },
    /**
     * Runs a rotation of all records, and then seals the canary with the newest key. Rejects without a change if the stored
     * data is of another key, unless `acceptedLoss` is the id of that key. Returns what `rotate` returns.
     *
     * @throws {WrongSecretKey}
     */
    async renewAfter(acceptedLoss: string | undefined, rotate: () => Promise<Renewed>): Promise<Renewed> {
      const text = await storage.get(CANARY.keys);
      const state = parse(text);
      if (state.is === 'foreign' && state.keyId !== acceptedLoss) throw new WrongSecretKey(state.keyId);
      const count = await rotate();
      const isProven = count.renewed + count.newest > 0 || count.unverified === 0;
      const isLost = (state.is === 'missing' || state.is === 'damaged') && !isProven;
      if (isLost && acceptedLoss !== UNKNOWN_ID) throw new WrongSecretKey(UNKNOWN_ID);
      const renewed = state.is === 'open' && text ? seal.renew(text, ABOUT) : newText();
      const isWritten = await (text === undefined
        ? storage.add(CANARY.keys, renewed)
        : storage.replace(CANARY.keys, text, renewed));
      if (!isWritten) throw new Error('another process rotates the keys now; try again');
      return count;
    },
  };
}
