import { describe, expect, test } from 'vitest';
import type { AdminAction } from '../../src/accounts/admin-log.ts';
import type { Operator } from '../../src/accounts/operator.ts';
import type { Broadcast } from '../../src/broadcasts/store.ts';
import { answerData } from '../../src/i18n/view.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { type Storage, StorageUnavailable } from '../../src/platform/storage.ts';
import { START, USER } from '../operations/operations-setup.ts';
import { ACCOUNT, API_KEY, accepted, profileOf } from '../operations/rental-stand-in.ts';
import { OPERATOR_KEY, openChat } from './chat.ts';

const OTHER = USER + 1;
const OPERATOR = 1000;
const BROADCAST = '0b8cf6a15b0e4b11';
const MAX_ATTEMPTS = 4;

type Chat = Awaited<ReturnType<typeof openChat>>;

const operator: Operator = {
  account: async () => OPERATOR,
  knownAccount: () => OPERATOR,
  owns: async (account) => account === OPERATOR,
  isKey: (key) => key === OPERATOR_KEY,
};

/** A storage call that fails: before it takes effect, or after it. */
interface Fault {
  at: number;
  when: 'before' | 'after';
}

/** Returns a storage whose calls are counted, and of which one fails, once `arm` was called. */
function failingStorage(now: () => number) {
  const storage = createMemoryStorage({ now });
  let calls: string[] | undefined;
  let fault: Fault | undefined;
  const failing = <Part extends object>(part: Part): Part =>
    Object.fromEntries(
      Object.entries(part).map(([name, member]) => {
        if (typeof member !== 'function' || name === 'now') return [name, member];
        const call = async (...given: unknown[]) => {
          const isHit = calls !== undefined && calls.push(name) - 1 === fault?.at;
          if (isHit && fault?.when === 'before') throw new StorageUnavailable('the connection was lost');
          const result = await member.apply(part, given);
          if (isHit) throw new StorageUnavailable('the connection was lost');
          return result;
        };
        return [name, call];
      }),
    ) as Part;
  const { commit } = failing(storage.chats);
  const wrapped: Storage = {
    ...failing(storage),
    index: failing(storage.index),
    // Nothing was done with an update whose transaction did not begin.
    chats: { ...storage.chats, commit },
  };
  return {
    storage: wrapped,
    arm(next?: Fault) {
      [calls, fault] = [[], next];
    },
    calls: () => calls ?? [],
  };
}

/** Brings an admin's chat to the point before the decision. */
type Prepare = (chat: Chat) => Promise<Decision>;

interface Decision {
  decide(): Promise<unknown>;
  /** Returns whether the decision took effect. */
  isDone(): Promise<boolean>;
}

const broadcastIn =
  (state: Broadcast['state'], button: string): Prepare =>
  async (chat) => {
    chat.casting.put({
      ...{ id: BROADCAST, admin: 7, audience: { who: 'everybody' }, state, createdAt: START, startAt: START },
      contents: { default: { chat: 7, message: 9, buttons: [], hash: 'a' } },
      ...{ total: 3, settled: 0, sent: 0, blocked: 0, deactivated: 0, unreachable: 0, failed: 0 },
      ...{
        unknown: 0,
        skipped: 0,
        deferred: [],
        openAttempts: [],
        rateLimitHits: 0,
        takeovers: 0,
        sendingMs: 0,
      },
      ...{ activeAt: START, revision: 0 },
    });
    return {
      decide: () => chat.tap(`broadcast:${button}:${BROADCAST}`, { carried: true }),
      isDone: async () => chat.casting.all().every((one) => one.state !== state),
    };
  };

const DECISIONS: [AdminAction, Prepare][] = [
  [
    'person-barred',
    async (chat) => {
      await chat.users.recordActivity(OTHER, 'en', undefined);
      return {
        decide: () => chat.tap(`people:bar-yes:${OTHER}`),
        isDone: async () => (await chat.users.find(OTHER))?.isBanned === true,
      };
    },
  ],
  [
    'person-let-in',
    async (chat) => {
      await chat.users.recordActivity(OTHER, 'en', undefined);
      await chat.users.setBanned(OTHER, true);
      return {
        decide: () => chat.tap(`people:let-in:${OTHER}`),
        isDone: async () => !(await chat.users.find(OTHER))?.isBanned,
      };
    },
  ],
  [
    'maintenance-on',
    async (chat) => ({
      decide: () => chat.tap('state:turn-on'),
      isDone: async () => (await chat.deps.maintenance.find()) !== undefined,
    }),
  ],
  [
    'maintenance-off',
    async (chat) => {
      await chat.deps.maintenance.turnOn(OTHER);
      return {
        decide: () => chat.tap('state:turn-off'),
        isDone: async () => (await chat.deps.maintenance.find()) === undefined,
      };
    },
  ],
  [
    'operator-linked',
    async (chat) => ({
      decide: () => chat.tap('operator:link'),
      isDone: async () => (await chat.links.find(USER))?.operators === true,
    }),
  ],
  [
    'operator-unlinked',
    async (chat) => {
      await chat.links.linkOperatorAccount(USER, OPERATOR, 'en');
      return {
        decide: () => chat.tap('account:unlink-yes'),
        isDone: async () => (await chat.links.find(USER)) === undefined,
      };
    },
  ],
  [
    'operator-cap',
    async (chat) => {
      await chat.tap('operator:cap');
      return {
        decide: () => chat.tap(answerData('500'), { carried: true }),
        isDone: async () => (await chat.deps.operatorLimits.get()).dailyCap === '500.00',
      };
    },
  ],
  [
    'operator-alert',
    async (chat) => {
      await chat.tap('operator:alert');
      return {
        decide: () => chat.tap(answerData('50'), { carried: true }),
        isDone: async () => (await chat.deps.operatorLimits.get()).alertBelow === '50.00',
      };
    },
  ],
  [
    'operator-reports',
    async (chat) => ({
      decide: () => chat.tap('reports:operator-on'),
      isDone: () => chat.webhookSubscriptions.isActive(OPERATOR),
    }),
  ],
  [
    'operator-reports',
    async (chat) => {
      await chat.webhookSubscriptions.activate('a-hook', OPERATOR, 'a-secret');
      return {
        decide: () => chat.tap('reports:operator-off-yes'),
        isDone: async () => !(await chat.webhookSubscriptions.isActive(OPERATOR)),
      };
    },
  ],
  ['broadcast-paused', broadcastIn('sending', 'pause')],
  ['broadcast-resumed', broadcastIn('paused', 'resume')],
  ['broadcast-stopped', broadcastIn('sending', 'stop-yes')],
  [
    'operation-asked',
    async (chat) => {
      const lost = await chat.setup.lost({ user: OTHER });
      await chat.links.link(OTHER, ACCOUNT, API_KEY, 'en');
      await chat.setup.pass(9_000);
      const { calls } = chat.setup.rental.webhookLogs.mock;
      const before = calls.length;
      return {
        decide: () => chat.tap(`unresolved:ask:${OTHER}_${lost.id}`),
        isDone: async () => calls.length > before,
      };
    },
  ],
];

/** Lets an admin decide with this fault, and repeats the update until it is handled. */
async function decideWith(prepare: Prepare, fault?: Fault) {
  const { storage, arm, calls } = failingStorage(() => START);
  const chat = await openChat('en', { linked: false, storage, operator, isAdmin: (user) => user === USER });
  chat.setup.rental.configureWebhook.mockImplementation(async (_, url) =>
    accepted({ url, secret: 'whsec_0123456789abcdef', active: url !== '' }),
  );
  const decision = await prepare(chat);
  chat.setup.rental.profile.mockResolvedValue(profileOf('500.00', OPERATOR));
  arm(fault);
  const isHandled = (handling: Promise<unknown>) =>
    handling.then(
      () => true,
      () => false,
    );
  let isOver = await isHandled(decision.decide());
  for (let attempt = 2; !isOver && attempt <= MAX_ATTEMPTS; attempt += 1) {
    chat.setup.clock.now += 1_000;
    isOver = await isHandled(chat.again());
  }
  const made = calls();
  arm();
  const log = (await chat.deps.adminLog.latest(9)).map((entry) => entry.action);
  return { isOver, calls: made, isDone: await decision.isDone(), log };
}

describe.each(DECISIONS)('the decision %s', (act, prepare) => {
  test('is logged exactly once if it takes effect, whichever call of the storage fails', async () => {
    const { calls, ...clean } = await decideWith(prepare);
    expect(clean).toEqual({ isOver: true, isDone: true, log: [act] });
    for (const at of calls.keys()) {
      for (const when of ['before', 'after'] as const) {
        const { isOver, isDone, log } = await decideWith(prepare, { at, when });
        const fault = `${when} call ${at}, ${calls[at]}`;
        // If the failed attempt still holds a lease, nothing happens and the bot asks the admin to try again.
        expect({ fault, isOver, log }).toEqual({ fault, isOver: true, log: isDone ? [act] : [] });
      }
    }
  });
});
