// Drafts: operations before their confirmation. Decides taps on *Confirm* and *Cancel*.

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { keyOf } from '../platform/records.ts';
import type { ChatChanges, Continuity } from '../platform/storage.ts';
import type { OperationServices } from './dependencies.ts';
import type { OperationRequest } from './kinds/kind.ts';
import {
  type ClaimedOperation,
  type EarlierPurchase,
  isInProgress,
  isLikely,
  isUpToDate,
  isVoid,
  type Known,
  OPERATION,
  type Operation,
  type OperationRef,
  revised,
  type StoredOperation,
  type UnconfirmedOperation,
} from './operation.ts';

/** Crockford's base 32: without characters that are misread when a user reads the number aloud. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ID_LENGTH = 8;
const MAX_PLACED = 1_000;

interface DraftRequest {
  /** Id of the update that requests the draft. A repeated update finds the same draft. */
  update: number;
  user: number;
  account: number;
  /** Set if an admin pays from the operator account through a reference to it. */
  usesOperatorAccount?: true | undefined;
  language: Operation['language'];
  request: OperationRequest;
  /** Estimated cost and shown balance, in TRX (decimal). */
  estimate?: string | undefined;
  balance?: string | undefined;
  /** Time of an old price behind `estimate`, in epoch milliseconds. */
  estimateAt?: number | undefined;
  /** Estimate of the refused card that this draft repeats, in TRX (decimal). */
  formerEstimate?: string | undefined;
  /** Known address that resembles the requested one. */
  lookalike?: string | undefined;
  /** Id of the void card that this draft repeats. */
  voided?: string | undefined;
  /** Hours that the user asked for, if those of the request replace them. */
  wantedHours?: number | undefined;
  /** Number of wrong codes in a row for the same request. */
  wrongCodes?: number | undefined;
  /** Earlier purchase to point out. Creating the draft doesn't wait for it. */
  earlier?: Promise<EarlierPurchase | undefined> | undefined;
  /** Whether Smart Mode supplies the address already. Creating the draft doesn't wait for it. */
  isSupplied?: Promise<boolean> | undefined;
}

/**
 * States in which an operation can be erased, because nothing was sent. `awaiting` is missing: such an operation expires
 * by itself, and its card must show that.
 */
const ERASABLE: readonly Operation['state'][] = ['draft', 'cancelled', 'replaced', 'expired', 'void'];

export type Drafts = ReturnType<typeof createDrafts>;

export function createDrafts(services: OperationServices) {
  const { storage, store, kinds, recentAttempts, cooldowns, continuity, now } = services;
  const placed = new Map<string, number>();

  /** Returns the warning about the user's latest unresolved operation that may have the same intention. */
  async function warningOfDuplicate({
    user,
    account,
    request,
  }: Pick<DraftRequest, 'user' | 'account' | 'request'>) {
    const kind = kinds.of(request);
    const key = kind.duplicateKey(request);
    const unresolved = await recentAttempts.unresolvedOf(account);
    const isLike = (other: Operation) =>
      other.user === user && other.request.kind === kind.name && kind.duplicateKey(other.request) === key;
    const found = unresolved.findLast(isLike);
    return found && { like: found.id, ...(isLikely(found) && { isLikeLikely: true as const }) };
  }

  /** Adds warnings in a separate write, so that creating the draft doesn't wait for the search. */
  async function warn(
    draft: StoredOperation,
    found: Pick<Operation['warnings'], 'like' | 'isLikeLikely' | 'earlier' | 'isSupplied'>,
  ): Promise<Operation | undefined> {
    const warned = await store.change(draft, (present) => {
      const warnings = { ...present.warnings, ...found };
      const isNew = present.state === 'draft' && !isDeepStrictEqual(warnings, present.warnings);
      return isNew ? { ...present, warnings } : undefined;
    });
    return warned?.operation;
  }

  /** Returns whether a draft can still be confirmed. */
  async function isOpen(operation: Operation): Promise<boolean> {
    const present = await continuity.last();
    return operation.state === 'draft' && !isVoid(operation, present) && now() < operation.expiresAt;
  }

  /** Ends a draft, as void if it is of an earlier epoch. `current`: the operation before the change. */
  async function endDraft(known: Known, state: 'cancelled' | 'replaced') {
    const present = await continuity.last();
    let current: Operation | undefined;
    const changed = await store.change(known, (operation) => {
      current = operation;
      if (operation.state !== 'draft') return undefined;
      return { ...operation, state: isVoid(operation, present) ? 'void' : state };
    });
    return { ended: changed?.operation, current };
  }

  return {
    warningOfDuplicate,

    /**
     * Returns the draft of an update, however often the update is processed. The draft has a warning if the user has a
     * similar unresolved operation.
     */
    async draft({
      update,
      lookalike,
      voided,
      wantedHours,
      earlier,
      isSupplied,
      ...intent
    }: DraftRequest): Promise<Operation> {
      const id = idOf(intent.user, update);
      const createdAt = now();
      const [{ epoch }, cooldownMs] = await Promise.all([continuity.last(), cooldowns.remainingMs(intent)]);
      const created = store.create({
        ...intent,
        market: services.market(intent.account),
        warnings: { lookalike, voided, wantedHours },
        id,
        epoch,
        state: 'draft',
        createdAt,
        expiresAt: createdAt + kinds.of(intent.request).lifetimeMs,
        confirmableFrom: cooldownMs > 0 ? createdAt + cooldownMs : undefined,
        receipt: { late: false, revision: 0, notified: 0 },
      });
      const warning = warningOfDuplicate(intent);
      const [draft, duplicate, purchase, supplied] = await Promise.all([
        created,
        warning,
        earlier,
        isSupplied,
      ]);
      const found = {
        ...duplicate,
        ...(purchase && { earlier: purchase }),
        ...(supplied && { isSupplied: true as const }),
      };
      const warned = Object.keys(found).length > 0 && (await warn(draft, found));
      const present = warned || draft.operation;
      return { ...present, receipt: { ...present.receipt, card: present.receipt.card ?? placed.get(id) } };
    },
    /** Remembers the draft's message for a repetition of this update. The session holds the permanent reference. */
    placeCard({ id }: Operation, message: number): void {
      if (placed.size >= MAX_PLACED) placed.clear();
      placed.set(id, message);
    },
    /** Cancels a draft whose user started another flow. Returns it unless it was confirmed or cancelled before. */
    cancelAbandoned: async (ref: OperationRef) => (await endDraft(ref, 'cancelled')).ended,
    /**
     * Cancels an operation whose code is no longer expected. Returns it unless it was claimed, cancelled, expired or void
     * before.
     */
    async cancelAwaiting(ref: OperationRef): Promise<StoredOperation | undefined> {
      const [stored, present] = await Promise.all([store.read(ref), continuity.last()]);
      if (stored === undefined) return undefined;
      return store.change(stored, (operation) =>
        operation.state === 'awaiting' && !isVoid(operation, present) && now() < operation.expiresAt
          ? { ...operation, state: 'cancelled', receipt: revised(operation) }
          : undefined,
      );
    },
    /** Marks a draft as replaced by a newer card. Returns it unless it was confirmed or cancelled before. */
    async supersede(former: StoredOperation): Promise<Operation | undefined> {
      const { ended, current } = await endDraft(former, 'replaced');
      // Replaced by an earlier try of the same update, which may not have shown the change.
      const isSuperseded = current?.state === 'replaced' || current?.state === 'void';
      return ended ?? (isSuperseded ? current : undefined);
    },
    /** Records that the chat shows the cancellation, so that the notifier doesn't edit the card again. */
    async markNotified(cancelled: StoredOperation): Promise<void> {
      const { revision } = cancelled.operation.receipt;
      await store.change(cancelled, (present) =>
        present.receipt.revision === revision
          ? { ...present, receipt: { ...present.receipt, notified: revision } }
          : undefined,
      );
    },
    /** Stores the earlier purchase that a draft's card, sent again, points out. */
    async updateEarlier(ref: OperationRef, earlier: EarlierPurchase | undefined): Promise<void> {
      await store.change(ref, (present) => {
        const { earlier: former, ...others } = present.warnings;
        if (present.state !== 'draft' || isDeepStrictEqual(earlier, former)) return undefined;
        return { ...present, warnings: { ...others, ...(earlier && { earlier }) } };
      });
    },
    isOpen,
    /** Returns the draft if it can still be confirmed. */
    async open(ref: OperationRef): Promise<Operation | undefined> {
      const operation = (await store.read(ref))?.operation;
      return operation && (await isOpen(operation)) ? operation : undefined;
    },
    /** Returns an operation as it is stored, with the record that a change needs. */
    read: store.read,
    /** Returns an operation of this user, in any state. A card of an earlier epoch is void. */
    async find(ref: OperationRef): Promise<Operation | undefined> {
      const [stored, present] = await Promise.all([store.read(ref), continuity.last()]);
      return stored && asVoid(stored.operation, present);
    },
    /**
     * Erases a user's unconfirmed operations under the given keys that were created no later than `at` (epoch
     * milliseconds). Keeps an operation that is confirmed at the same time, because the deletion compares the record. Also
     * keeps expired and void ones until the user was notified.
     */
    async eraseUnconfirmed(user: number, keys: readonly string[], at: number): Promise<void> {
      const prefix = keyOf(OPERATION.keys, { user, id: '' });
      for (const key of keys.filter((name) => name.startsWith(prefix))) {
        const found = await store.readable({ user, id: key.slice(prefix.length) });
        if (typeof found !== 'object') continue;
        const { state, createdAt } = found.operation;
        if (!ERASABLE.includes(state) || createdAt > at) continue;
        if ((state === 'expired' || state === 'void') && !isUpToDate(found.operation)) continue;
        await storage.delete(key, found.record.text);
      }
    },
  };
}

/** Returns the operation, as void if its card could still be confirmed but is of an earlier epoch. */
function asVoid(operation: Operation, present: Continuity): Operation {
  const isOpen = operation.state === 'draft' || operation.state === 'awaiting';
  return isOpen && isVoid(operation, present) ? { ...operation, state: 'void' } : operation;
}

/** Derives the operation's id from the update, so that a repeated update finds its own draft. */
function idOf(user: number, update: number): string {
  const digest = createHash('sha256').update(`${user}/${update}`).digest();
  return Array.from(digest.subarray(0, ID_LENGTH), (byte) => DIGITS[byte % DIGITS.length]).join('');
}

/** Delay until the reconciler checks a tapped card, in milliseconds: this process may end before its claim runs. */
const CLAIM_RECHECK_MS = 3_000;

/** Card in the chat: its operation and its message. */
export interface PlacedCard {
  operation: string;
  message: number;
}

/**
 * Result of a tap on *Confirm* or *Cancel*.
 *
 * - `claim`: the commit of the tap's update carries `claim`. It stores `claimed`.
 * - `expired`, `in-progress`, `decided`: the tap is too late.
 * - `void`: the storage may have been rolled back since the card was made, so it may have been confirmed before.
 * - `elsewhere`: the card is now on another message.
 * - `replaced`: a newer card has replaced this one.
 * - `unplaced`: the card doesn't count yet, because the update that showed it was never committed.
 * - `none`: the operation doesn't exist or belongs to another user. The user doesn't see which.
 */
export type Decision<Claimed extends Operation = Operation> =
  | {
      kind: 'claim';
      claim: NonNullable<ChatChanges['claim']>;
      claimed: StoredOperation<Claimed>;
      operation: Claimed;
    }
  | {
      kind: 'expired' | 'void' | 'in-progress' | 'decided' | 'elsewhere' | 'replaced' | 'unplaced';
      operation: Operation;
    }
  | { kind: 'none' };

/**
 * Decision on a one-time code. `code-old`: its message arrived too late. `too-early`: the account's cooldown lasts longer
 * than the code. `from`: when it ends, in epoch milliseconds. `until`: when the card expires. `expires-first`: too little time
 * is left between them for another code.
 */
export type CodeDecision =
  | Decision<ClaimedOperation>
  | { kind: 'code-old' | 'expires-first' }
  | { kind: 'too-early'; from: number; until: number };

/** Validity of a one-time code from the start of its step (RFC 6238), in milliseconds. */
export const CODE_STEP_MS = 30_000;
/** Maximum age of a one-time code, in milliseconds. Codes change twice a minute. */
export const CODE_TTL_MS = 60_000;
/** Time from the end of a cooldown until the request, in milliseconds. A code must still be valid then. */
const CHECKS_MS = 3_000;

/** Decides taps on the buttons of a card. */
export interface Decisions {
  /** Reads an operation before its confirmation, and schedules a check by the reconciler. */
  read(ref: OperationRef): Promise<{ stored: StoredOperation | undefined }>;
  /**
   * Decides a tap on *Confirm*. `open` is the card that the chat's session had when the update began. Only this card
   * can be confirmed.
   *
   * Only commits write a session. Each commit holds the chat's lease since it read the session, and the claim is part
   * of the commit. So a user has one open draft, whatever runs concurrently.
   *
   * `readAhead`: the result of {@link read}.
   */
  confirm(
    ref: OperationRef,
    message: number,
    open: PlacedCard | undefined,
    readAhead?: { stored: StoredOperation | undefined },
  ): Promise<Decision>;
  /**
   * Claims a draft that the same update has made, because the tapped button confirms it (`isConfirmedByItsButton`). No
   * other update can confirm that draft. `message` becomes its receipt.
   */
  confirmAtOnce(draft: OperationRef, message: number): Promise<Decision<ClaimedOperation>>;
  /**
   * Claims an operation whose one-time code has arrived, if it awaits a code and hasn't expired. During a cooldown, it is
   * claimed only if the code is still valid afterwards, and sent when the cooldown ends. `sentAt`: when its message was
   * sent, in epoch milliseconds. The update may be handled much later.
   */
  withCode(ref: OperationRef, sentAt: number): Promise<CodeDecision>;
  /** Decides a tap on *Cancel*. `open` as in {@link confirm}. */
  cancel(ref: OperationRef, message: number, open: PlacedCard | undefined): Promise<Decision>;
}

export function createDecisions(services: OperationServices): Decisions {
  const { store, kinds, recheckSchedule, cooldowns, continuity, now } = services;

  async function decide(
    stored: StoredOperation | undefined,
    message: number,
    open: PlacedCard | undefined,
    present: Continuity,
  ): Promise<Exclude<Decision, { kind: 'claim' }> | StoredOperation<UnconfirmedOperation>> {
    if (stored === undefined) return { kind: 'none' };
    const operation = asVoid(stored.operation, present);
    const { id, user, expiresAt } = operation;
    if (isInProgress(operation)) return { kind: 'in-progress', operation };
    if (operation.state === 'void') return { kind: 'void', operation };
    if (operation.state !== 'draft') return { kind: 'decided', operation };
    if (now() >= expiresAt) return { kind: 'expired', operation: { ...operation, state: 'expired' } };
    if (open?.operation === id)
      return open.message === message ? { ...stored, operation } : { kind: 'elsewhere', operation };
    const newer = open && (await store.read({ user, id: open.operation }))?.operation;
    return { kind: newer && newer.createdAt >= operation.createdAt ? 'replaced' : 'unplaced', operation };
  }

  function claim<Changed extends Operation>(stored: StoredOperation, operation: Changed): Decision<Changed> {
    const { write, claimed } = store.claim(stored, operation);
    // The commit checks the epoch again: the storage may be rolled back right before it.
    const epoch = operation.state === 'claimed' && { epoch: operation.epoch };
    return { kind: 'claim', claim: { ...write, ...epoch }, claimed, operation };
  }

  /** Returns the confirmed operation. `card`: the message of the tapped card. */
  function confirmed(operation: UnconfirmedOperation, card = operation.receipt.card): ClaimedOperation {
    return { ...operation, state: 'claimed', claimedAt: now(), receipt: revised(operation, { card }) };
  }

  async function read(ref: OperationRef) {
    // Scheduled before the claim, so that the reconciler finds the claim even if this process ends.
    // Never postpones an earlier check: repeated taps could postpone it forever.
    const [stored] = await Promise.all([
      store.read(ref),
      recheckSchedule.scheduleNoLaterThan(ref, CLAIM_RECHECK_MS),
    ]);
    return { stored };
  }

  return {
    read,
    async confirm(ref, message, open, readAhead) {
      const { stored } = readAhead ?? (await read(ref));
      const present = await continuity.last();
      const decided = await decide(stored, message, open, present);
      if ('kind' in decided) return decided;
      const { confirmableFrom, ...operation } = decided.operation;
      const { request } = operation;
      if (!kinds.of(request).needsCode?.(request)) return claim(decided, confirmed(operation, message));
      const receipt = revised(operation, { card: message });
      const from = confirmableFrom !== undefined && confirmableFrom > now() ? { confirmableFrom } : {};
      return claim(decided, { ...operation, ...from, state: 'awaiting', receipt });
    },
    async confirmAtOnce({ user, id }, message) {
      const { stored } = await read({ user, id });
      const decided = await decide(stored, message, { operation: id, message }, await continuity.last());
      if ('kind' in decided) return decided;
      const { request } = decided.operation;
      if (!kinds.of(request).isConfirmedByItsButton?.(request))
        throw new RangeError(`a card must confirm this operation: ${request.kind}`);
      return claim(decided, confirmed(decided.operation, message));
    },
    async withCode(ref, sentAt) {
      const { stored } = await read(ref);
      if (stored === undefined) return { kind: 'none' };
      const operation = asVoid(stored.operation, await continuity.last());
      if (operation.state === 'void') return { kind: 'void', operation };
      if (operation.state !== 'awaiting') return { kind: 'decided', operation };
      if (now() >= operation.expiresAt) return { kind: 'expired', operation };
      if (now() - sentAt >= CODE_TTL_MS) return { kind: 'code-old' };
      const cooldownMs = await cooldowns.remainingMs(operation);
      if (cooldownMs === 0) return claim(stored, confirmed({ ...operation, confirmableFrom: undefined }));
      const from = now() + cooldownMs;
      // Telegram's clock may be ahead of this one.
      const stepEnd = (Math.floor(Math.min(sentAt, now()) / CODE_STEP_MS) + 1) * CODE_STEP_MS;
      if (from + CHECKS_MS > stepEnd)
        return from + CODE_STEP_MS <= operation.expiresAt
          ? { kind: 'too-early', from, until: operation.expiresAt }
          : { kind: 'expires-first' };
      return claim(stored, confirmed({ ...operation, confirmableFrom: from }));
    },
    async cancel(ref, message, open) {
      const stored = await store.read(ref);
      const present = await continuity.last();
      const cancelled = (operation: UnconfirmedOperation): UnconfirmedOperation => ({
        ...operation,
        state: 'cancelled',
        receipt: revised(operation, { card: message }),
      });
      const operation = stored && asVoid(stored.operation, present);
      if (stored && operation?.state === 'awaiting' && operation.receipt.card === message)
        return claim(stored, cancelled(operation));
      const decided = await decide(stored, message, open, present);
      return 'kind' in decided ? decided : claim(decided, cancelled(decided.operation));
    },
  };
}
