import { test as base, expect, type Mock, vi } from 'vitest';
import {
  type AddressAnnouncements,
  createAddressAnnouncements,
} from '../../src/accounts/address-announcements.ts';
import { createAddressBook } from '../../src/accounts/address-book.ts';
import { createBalances } from '../../src/accounts/balances.ts';
import { createOperatorLimits } from '../../src/accounts/operator.ts';
import { createContinuityWatch } from '../../src/operations/continuity.ts';
import type { OperationsDeps } from '../../src/operations/dependencies.ts';
import type { Claim } from '../../src/operations/execute.ts';
import { invoice } from '../../src/operations/kinds/invoice.ts';
import {
  type Contradiction,
  createKinds,
  type OperationRequest,
  type Result,
} from '../../src/operations/kinds/kind.ts';
import { activation, bandwidth, energy } from '../../src/operations/kinds/purchases.ts';
import { smartMode } from '../../src/operations/kinds/smart-mode.ts';
import { withdrawal } from '../../src/operations/kinds/withdrawal.ts';
import {
  createOperationSchema,
  createOperationStore,
  isClaimed,
  isUpToDate,
  type Operation,
  type OperationRef,
  type Refusal,
  type StoredOperation,
} from '../../src/operations/operation.ts';
import {
  createOperationFinder,
  createOperations,
  KINDS,
  type Operations,
} from '../../src/operations/operations.ts';
import { createLastPrices } from '../../src/operations/queries.ts';
import type { Show, Shown } from '../../src/operations/receipt.ts';
import { RECONCILE_MS } from '../../src/operations/reconcile.ts';
import { MINUTE_MS } from '../../src/platform/clock.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { SignedRecords } from '../../src/platform/records.ts';
import type { ChatChanges, Committed, Storage } from '../../src/platform/storage.ts';
import { createOperatorInvoices, type Rental } from '../../src/rental-api/client.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { settled } from '../support/settled.ts';
import { ACCOUNT, ADDRESS, API_KEY, CUT, type StandInRental, standInRental } from './rental-stand-in.ts';

export const USER = 502;
export const CARD = 40;
/** Maximum withdrawals within 24 hours from an account without 2FA, in TRX. */
export const WITHDRAW_CAP = '100';
export const SHOWN: Shown = { kind: 'shown', card: CARD };
export const START = Date.parse('2025-06-01T12:00:00Z');

/** Market prices: TRX burned without energy, and the rate of TRX in USD. */
export const MARKET = { burnTrx: '6.5', usdRate: '0.325' };

/** States shown for a successful operation. */
export const CLAIM_AND_OUTCOME = ['claimed', 'done'];

export const ENERGY = energy.sample;
export const BANDWIDTH = bandwidth.sample;
export const ACTIVATION = activation.sample;
export const SMART_MODE = smartMode.sample;
export const WITHDRAWAL = withdrawal.sample;
export const INVOICE = invoice.sample;

/** Report that the {@link ENERGY} purchase with order 7 was filled. */
export const FILLED = {
  order: 7,
  namespace: 'energy',
  status: 'filled',
  at: START,
  address: ADDRESS,
  amount: 65_000,
} as const;

/** Fields of an operation that a test can set. The others are those of an energy purchase. */
type Wanted = Partial<
  Pick<Operation, 'usesOperatorAccount' | 'estimate' | 'user' | 'balance' | 'account'>
> & {
  update?: number;
  request?: OperationRequest & Record<string, unknown>;
};

/** Returns the result of a done operation. */
export const resultOf = (operation: Operation): Result | undefined =>
  operation.state === 'done' ? operation.result : undefined;

/** Returns the open card as the session of its chat stores it. */
export const openOn = ({ id }: OperationRef) => ({ operation: id, message: CARD });

/** Creates the steps of operations that tests take without a chat. Claims are executed only by these steps. */
export function createOperationSteps(deps: {
  operations: Operations;
  storage: Storage;
  records: SignedRecords;
  rental: StandInRental;
  addressAnnouncements: AddressAnnouncements;
  clock: { now: number };
  /** Called with the user of each operation before it is drafted. */
  prepareUser?: (user: number) => Promise<unknown>;
}) {
  const { operations, storage, records, rental, addressAnnouncements, clock, prepareUser } = deps;
  const { kinds } = operations;
  const store = createOperationStore({ records, schema: createOperationSchema(kinds) });
  const { find, countUnknown } = createOperationFinder({ storage, records, kinds });
  let updates = 0;
  /** Claims that were committed but not executed yet, with their one-time codes, by operation ID. */
  const committed = new Map<
    string,
    { claim: Claim['claimed']; code?: Claim['code']; onExecuted?: () => void }
  >();
  let nextDraft = 1;

  async function draft({ user = USER, ...more }: Wanted = {}): Promise<Operation> {
    await prepareUser?.(user);
    return operations.drafts.draft({
      update: nextDraft++,
      user,
      account: ACCOUNT,
      language: 'en',
      request: ENERGY,
      // What the stand-in's prices say of an invoice depends on its amount.
      estimate: more.request?.kind === 'invoice' ? undefined : '2.32',
      ...more,
    });
  }

  /** Commits a claim in an update of its user. */
  async function commit({ user }: OperationRef, claim: ChatChanges['claim']): Promise<Committed> {
    updates += 1;
    const update = { chat: user, update: updates, token: `token ${updates}` };
    await storage.chats.begin({ ...update, leaseMs: 0 });
    return storage.chats.commit({ ...update, changes: { claim } });
  }

  /** Confirms an operation and commits the claim, as the update of the tap does. */
  async function confirm(ref: OperationRef, decisions = operations.decisions): Promise<Committed | string> {
    const decision = await decisions.confirm(ref, CARD, openOn(ref));
    if (decision.kind !== 'claim') return decision.kind;
    const result = await commit(ref, decision.claim);
    if (result === 'committed' && isClaimed(decision.claimed))
      committed.set(ref.id, { claim: decision.claimed });
    return result;
  }

  /**
   * Commits the claim of an operation with its code. Returns `claimed`, or the decision or commit result if it fails.
   */
  async function claimWithCode(ref: OperationRef, digits: string, sentAt = clock.now): Promise<string> {
    const decision = await operations.decisions.withCode(ref, sentAt);
    if (decision.kind !== 'claim') return decision.kind;
    const result = await commit(ref, decision.claim);
    if (result !== 'committed') return result;
    committed.set(ref.id, { claim: decision.claimed, code: { digits, sentAt } });
    return 'claimed';
  }

  async function claimed(more: Wanted = {}): Promise<Operation> {
    const drafted = await draft(more);
    expect(await confirm(drafted)).toBe('committed');
    return drafted;
  }

  /** Keeps a claim that a chat committed, so that `advance` executes it. Resolves once that is done. */
  function keepClaim(claim: Claim['claimed'], code?: Claim['code']): Promise<void> {
    return new Promise((onExecuted) => committed.set(claim.operation.id, { claim, code, onExecuted }));
  }

  /** Executes a claim in the process that committed it, at most once. */
  async function executeClaim(ref: OperationRef, process = operations): Promise<void> {
    const found = committed.get(ref.id);
    committed.delete(ref.id);
    if (found) await process.sendQueue.enqueueClaim(found.claim, found.code);
    found?.onExecuted?.();
  }

  /** Executes a claim that was just committed, or otherwise runs the reconciler. */
  async function advance(ref: OperationRef): Promise<void> {
    await (committed.has(ref.id) ? executeClaim(ref) : operations.reconciler.advance(ref));
  }

  /** Confirms an operation and executes it. */
  async function executed(more: Wanted = {}): Promise<Operation> {
    const operation = await claimed(more);
    await advance(operation);
    return operation;
  }

  /** Confirms an operation, executes it, and returns what is stored of it then. */
  const outcome = async (more: Wanted = {}) => read(await executed(more));

  /** Returns the reason for which an operation was refused, or its state if it wasn't. */
  async function refusal(ref: OperationRef): Promise<string> {
    const operation = await read(ref);
    return operation.state === 'refused' ? operation.refusal.reason : operation.state;
  }

  /** Returns whether the user was notified of the latest change. */
  async function isNotified(ref: OperationRef): Promise<boolean> {
    return isUpToDate(await read(ref));
  }

  /** Announces an address to the account holders and lets the ten minutes pass. */
  async function announced({ user = USER, address = ADDRESS } = {}) {
    const made = await addressAnnouncements.draft({ user, account: ACCOUNT, address, trx: '1' });
    if (made === undefined) throw new Error('too many announced addresses');
    await addressAnnouncements.add(made);
    clock.now += 10 * 60_000;
    return made;
  }

  /** Runs a process's reconciler after the heartbeat of the claim's process has ended. */
  async function advanceLater(ref: OperationRef, process = operations): Promise<void> {
    clock.now += 15_000;
    await process.reconciler.advance(ref);
  }

  /** Returns an operation as it is stored. The test names its type if it knows the state. */
  async function stored<Present extends Operation = Operation>(ref: OperationRef) {
    const found = await store.read(ref);
    if (found === undefined) throw new Error(`operation ${ref.id} not found`);
    return found as StoredOperation<Present>;
  }

  async function read<Present extends Operation = Operation>(ref: OperationRef): Promise<Present> {
    return (await stored<Present>(ref)).operation;
  }

  /** Returns the stand-in of the method that sends this request. */
  function methodFor(request: OperationRequest): Mock {
    const names: string[] = [];
    const noting = new Proxy(rental, {
      get: (_, name) => async () => {
        names.push(String(name));
        return CUT;
      },
    });
    void kinds.of(request).send(noting, API_KEY, request, undefined);
    return Reflect.get(rental, names[0] ?? '');
  }

  return {
    operations,
    storage,
    rental,
    clock,
    store,
    find,
    countUnknown,
    draft,
    confirm,
    claimed,
    claimWithCode,
    keepClaim,
    executeClaim,
    advance,
    advanceLater,
    executed,
    outcome,
    refusal,
    isNotified,
    addressAnnouncements,
    announced,
    stored,
    read,
    /** Creates a sent operation with a lost response. */
    async lost(more: Wanted = {}): Promise<Operation> {
      const operation = await claimed(more);
      methodFor(operation.request).mockResolvedValueOnce(CUT);
      await advance(operation);
      expect(await read(operation)).toMatchObject({ state: 'unknown' });
      return operation;
    },
    /** Creates a purchase whose request is under way until `answer` is called. */
    async underWay() {
      const operation = await claimed();
      let answer = (_: Awaited<ReturnType<Rental['buyEnergy']>>) => {};
      rental.buyEnergy.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
      const asked = rental.buyEnergy.mock.calls.length;
      const attended = advance(operation);
      await eventually(() => expect(rental.buyEnergy).toHaveBeenCalledTimes(asked + 1));
      return { operation, attended, answer };
    },
    /** Advances the clock and runs the reconciler at its interval, but only once a minute amid long times. */
    async pass(ms: number, reconciler = operations.reconciler): Promise<void> {
      const [start, end] = [clock.now, clock.now + ms];
      while (clock.now < end) {
        const isAmid = Math.min(clock.now - start, end - clock.now) > 3 * MINUTE_MS;
        clock.now = Math.min(clock.now + (isAmid ? MINUTE_MS : RECONCILE_MS), end);
        await reconciler.run();
        await settled();
      }
    },
  };
}

export type OperationsSetup = ReturnType<typeof setUpOperations>;

/** Opens the operations module with a simulated service, a simulated chat and a clock. */
export function setUpOperations(given?: Storage, clock = { now: START }) {
  const storage = given ?? createMemoryStorage({ now: () => clock.now });
  const records = signedRecords(storage);
  const rental = standInRental();
  const show = vi.fn<(operation: Operation) => Promise<Shown>>(async () => SHOWN);
  const balances = createBalances();
  const apiKey = vi.fn(async (): Promise<string | undefined> => API_KEY);
  const reported = vi.fn(async () => false);
  const operator = {
    isKey: vi.fn((_key: string) => false),
    owns: vi.fn(async (_account: number): Promise<boolean | undefined> => false),
  };
  const onExecuted = vi.fn(async (_operation: Operation) => {});
  const applyGuestLimits = vi.fn(async (_operation: Operation): Promise<Refusal | undefined> => undefined);
  const reportContradiction = vi.fn(async (_contradiction: Contradiction) => {});
  const operatorInvoices = createOperatorInvoices({ rental, operatorKey: 'a-key-of-the-operator' });
  const addressAnnouncements = createAddressAnnouncements({ storage, records, now: () => clock.now });
  const addressBook = createAddressBook({ records });
  const operatorLimits = createOperatorLimits({ records });
  const kinds = createKinds(KINDS);
  const watchOf = (own: Storage) =>
    createContinuityWatch({ storage: own, report: async () => {}, log: silentLog() });
  const continuity = watchOf(storage);

  /** Opens another process on the same storage, or on its own view of it. */
  function replica(
    own: Storage = storage,
    ownShow: Show = (operation) => show(operation),
    more: Partial<Pick<OperationsDeps, 'continuity' | 'heartbeatPace' | 'now' | 'log'>> = {},
  ): Operations {
    const operations: Operations = createOperations({
      storage: own,
      records: signedRecords(own),
      rental,
      kinds,
      apiKey,
      keyToFollow: apiKey,
      reported,
      lastPrices: createLastPrices({ records: signedRecords(own), kinds, now: () => clock.now }),
      market: () => MARKET,
      onPricesRead: () => undefined,
      operator,
      addressAnnouncements,
      addressBook,
      withdrawCap: WITHDRAW_CAP,
      operatorLimits,
      balances,
      continuity: own === storage ? continuity : watchOf(own),
      onExecuted,
      operatorInvoices,
      applyGuestLimits,
      reportContradiction,
      show: ownShow,
      now: () => clock.now,
      log: silentLog(),
      ...more,
    });
    return operations;
  }
  const operations = replica();
  const steps = createOperationSteps({ operations, storage, records, rental, addressAnnouncements, clock });

  return {
    ...steps,
    kinds,
    show,
    apiKey,
    reported,
    balances,
    replica,
    continuity,
    operator,
    operatorLimits,
    onExecuted,
    addressBook,
    applyGuestLimits,
    reportContradiction,
    /** Returns the states that the user was shown, in order. */
    shown: () => show.mock.calls.map(([operation]) => operation.state),
    /** Creates an attempt whose process died right after marking it, so that the sending is uncertain. */
    async orphaned(more: Wanted = {}): Promise<Operation> {
      const operation = await steps.claimed(more);
      let ended = false;
      const own = replica(failing(storage, () => ended));
      rental.buyEnergy.mockImplementationOnce(() => {
        ended = true;
        return new Promise(() => undefined);
      });
      void steps.executeClaim(operation, own);
      await eventually(() => expect(ended).toBe(true));
      expect(await steps.read(operation)).toMatchObject({ state: 'sent' });
      return operation;
    },
  };
}

/** Test with a separate setup: `test('…', async ({ setup }) => …)`. */
export const test = base.extend('setup', () => setUpOperations());

/** Returns a view of `storage` whose record and index calls fail if `away` returns true for them. */
export function failing(storage: Storage, away: (call: { method: string; key: string }) => boolean): Storage {
  const guarded = (target: object, methods: string[]) =>
    Object.fromEntries(
      Object.entries(target)
        .filter(([method]) => methods.includes(method))
        .map(([method, run]) => [
          method,
          async (key: string, ...rest: unknown[]) => {
            if (away({ method, key })) throw new Error(`the storage is away: ${method} ${key}`);
            return run(key, ...rest);
          },
        ]),
    );
  const methods = ['get', 'set', 'add', 'replace', 'replaceAndAdd', 'delete', 'secure', 'listed', 'next'];
  const index = { ...storage.index, ...guarded(storage.index, Object.keys(storage.index)) };
  return { ...storage, ...guarded(storage, methods), index };
}
