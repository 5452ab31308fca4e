import { expect, test } from 'vitest';
import type { AdminAction } from '../../src/accounts/admin-log.ts';
import type { Broadcast } from '../../src/broadcasts/store.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { type Storage, StorageUnavailable } from '../../src/platform/storage.ts';
import { answerData } from '../../src/views/callback-data.ts';
import { START, USER } from '../operations/operations-setup.ts';
import { ACCOUNT, API_KEY, accepted, profileOf } from '../operations/rental-stand-in.ts';
import { type Chat, OPERATOR_ACCOUNT, openChat } from './chat.ts';
import { BROADCAST, broadcast } from './mocked-broadcasts.ts';

const OTHER = USER + 1;
const MAX_ATTEMPTS = 4;

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

interface Decision {
  action: AdminAction;
  /** Brings the admin's chat to the point before the decision. */
  prepare?(chat: Chat): Promise<unknown>;
  /** Callback data of the button that decides, or a function that prepares and returns it. */
  button: string | ((chat: Chat) => Promise<string>);
  /** Returns whether the decision took effect. */
  isDone(chat: Chat): Promise<boolean>;
}

const writeOther = (chat: Chat) => chat.users.recordActivity(OTHER, 'en', undefined);
const reportsAreOn = (chat: Chat) => chat.webhookSubscriptions.isActive(OPERATOR_ACCOUNT);

const broadcastDecision = (action: AdminAction, state: Broadcast['state'], button: string): Decision => ({
  action,
  prepare: async (chat) => chat.casting.put(broadcast({ state })),
  button: `broadcast:${button}:${BROADCAST}`,
  isDone: async (chat) => chat.casting.all().every((one) => one.state !== state),
});

const DECISIONS: Decision[] = [
  {
    action: 'person-banned',
    prepare: writeOther,
    button: `people:ban-yes:${OTHER}`,
    isDone: async (chat) => (await chat.users.find(OTHER))?.isBanned === true,
  },
  {
    action: 'person-unbanned',
    async prepare(chat) {
      await writeOther(chat);
      await chat.users.setBanned(OTHER, true);
    },
    button: `people:unban:${OTHER}`,
    isDone: async (chat) => !(await chat.users.find(OTHER))?.isBanned,
  },
  {
    action: 'maintenance-on',
    button: 'state:turn-on',
    isDone: async (chat) => (await chat.deps.maintenance.find()) !== undefined,
  },
  {
    action: 'maintenance-off',
    prepare: (chat) => chat.deps.maintenance.turnOn(OTHER),
    button: 'state:turn-off',
    isDone: async (chat) => (await chat.deps.maintenance.find()) === undefined,
  },
  {
    action: 'person-export-asked',
    prepare: writeOther,
    button: `people:copy:${OTHER}`,
    isDone: async (chat) => chat.calls.some(({ method }) => method === 'sendDocument'),
  },
  {
    action: 'person-erased',
    prepare: writeOther,
    button: `people:erase-yes:${OTHER}_${START.toString(36)}`,
    isDone: (chat) => chat.deps.userErasure.wasConfirmedSince(OTHER, 0),
  },
  {
    action: 'operator-linked',
    prepare: (chat) => chat.links.unlink(USER),
    button: 'operator:link',
    isDone: async (chat) => (await chat.links.find(USER))?.usesOperatorAccount === true,
  },
  {
    action: 'operator-unlinked',
    prepare: (chat) => chat.links.linkOperatorAccount(USER, OPERATOR_ACCOUNT, 'en'),
    button: 'account:unlink-yes',
    isDone: async (chat) => (await chat.links.find(USER)) === undefined,
  },
  {
    action: 'operator-cap',
    prepare: (chat) => chat.tap('operator:cap'),
    button: answerData('500'),
    isDone: async (chat) => (await chat.deps.operatorLimits.get()).dailyCap === '500.00',
  },
  {
    action: 'operator-alert',
    prepare: (chat) => chat.tap('operator:alert'),
    button: answerData('50'),
    isDone: async (chat) => (await chat.deps.operatorLimits.get()).alertBelow === '50.00',
  },
  { action: 'operator-reports', button: 'reports:operator-on', isDone: reportsAreOn },
  {
    action: 'operator-reports',
    prepare: (chat) => chat.webhookSubscriptions.activate('a-hook', OPERATOR_ACCOUNT, 'a-secret'),
    button: 'reports:operator-off-yes',
    isDone: async (chat) => !(await reportsAreOn(chat)),
  },
  broadcastDecision('broadcast-paused', 'sending', 'pause'),
  broadcastDecision('broadcast-resumed', 'paused', 'resume'),
  broadcastDecision('broadcast-stopped', 'sending', 'stop-yes'),
  {
    action: 'operation-asked',
    async button(chat) {
      const lost = await chat.setup.lost({ user: OTHER });
      await chat.links.link(OTHER, ACCOUNT, API_KEY, 'en');
      await chat.setup.pass(9_000);
      chat.setup.rental.webhookLogs.mockClear();
      return `unresolved:ask:${OTHER}_${lost.id}`;
    },
    isDone: async (chat) => chat.setup.rental.webhookLogs.mock.calls.length > 0,
  },
];

/** Lets an admin decide with this fault, and repeats the update until it is handled. */
async function decideWith({ prepare, button, isDone }: Decision, fault?: Fault) {
  const { storage, arm, calls } = failingStorage(() => START);
  const chat = await openChat('en', { linked: false, storage, admins: new Set([USER]) });
  chat.setup.rental.configureWebhook.mockImplementation(async (_, { url }) =>
    accepted({ url, secret: 'whsec_0123456789abcdef', active: url !== '' }),
  );
  await prepare?.(chat);
  const data = typeof button === 'string' ? button : await button(chat);
  chat.setup.rental.profile.mockResolvedValue(profileOf('500.00', OPERATOR_ACCOUNT));
  arm(fault);
  const isHandled = (handling: Promise<unknown>) =>
    handling.then(
      () => true,
      () => false,
    );
  let isOver = await isHandled(chat.tapShown(data));
  for (let attempt = 2; !isOver && attempt <= MAX_ATTEMPTS; attempt += 1) {
    chat.setup.clock.now += 1_000;
    isOver = await isHandled(chat.again());
  }
  const made = calls();
  arm();
  const log = (await chat.deps.adminLog.latest(9)).map((entry) => entry.action);
  return { isOver, calls: made, isDone: await isDone(chat), log };
}

test.each(DECISIONS)(
  'the decision $action is logged once if it takes effect, whichever call of the storage fails',
  async (decision) => {
    const logged = [decision.action];
    const { calls, ...clean } = await decideWith(decision);
    expect(clean).toEqual({ isOver: true, isDone: true, log: logged });
    for (const at of calls.keys()) {
      for (const when of ['before', 'after'] as const) {
        const { isOver, isDone, log } = await decideWith(decision, { at, when });
        const fault = `${when} call ${at}, ${calls[at]}`;
        // If the failed attempt still holds a lease, nothing happens and the bot asks the admin to try again.
        expect({ fault, isOver, log }).toEqual({ fault, isOver: true, log: isDone ? logged : [] });
      }
    }
  },
);
