import type { Storage } from '../../src/platform/storage.ts';
import { storedKeys } from '../support/stored-keys.ts';
import type { FaultKind } from './faults.ts';

/** Disables one protection by what the storage does. */
export interface Sabotage {
  /** Name of the scenario that is tried first. */
  scenario: string;
  /** Fault that finds it, with the name of the crossing. Tried first. */
  fault: [FaultKind, at: RegExp];
  /** Changes the storage that all instances share. */
  alter?(storage: Storage): Storage;
  /** Called when an instance has crashed. */
  crashed?(storage: Storage): Promise<void>;
}

/** Records of events and notifications that are over. A signed record ends with its content. */
const OVER = /^(event:|notification:)/;
const isOver = (key: string, text: string | undefined) =>
  OVER.test(key) && /"(handled|delivered)"$/.test(text ?? '');

/** Marks that were written before a request, by the key of the operation. */
const marks = new Map<string, { before: string; after: string; beside: string }>();

export const SABOTAGES: Record<string, Sabotage> = {
  /** A claim is written even if its card was decided on, or another replica has the chat. */
  claim: {
    scenario: 'buy-energy',
    fault: ['stop', /^chats\.commit /],
    alter: (storage) =>
      withChats(storage, {
        async commit(request) {
          const outcome = await storage.chats.commit(request);
          const { claim } = request.changes;
          if (outcome === 'committed' || claim === undefined) return outcome;
          await storage.set(claim.key, claim.value, claim);
          return 'committed';
        },
      }),
  },
  /** A replica that lost the chat's lease still writes. */
  'fencing-token': {
    scenario: 'answer-questions',
    fault: ['stop', /^chats\.commit /],
    alter(storage) {
      let madeUpUpdate = 0;
      return withChats(storage, {
        async commit(request) {
          const outcome = await storage.chats.commit(request);
          if (outcome !== 'lost') return outcome;
          const { chat, token } = request;
          madeUpUpdate -= 1;
          await storage.chats.begin({ chat, token, update: madeUpUpdate, leaseMs: 1_000 });
          return storage.chats.commit(request);
        },
      });
    },
  },
  /** An update that was handled is handled again. */
  'deduplication-of-updates': {
    scenario: 'answer-questions',
    fault: ['lose-result', /^updates$/],
    alter(storage) {
      let madeUpUpdate = 0;
      return withChats(storage, {
        async begin(request) {
          const begun = await storage.chats.begin(request);
          if (begun.kind !== 'handled') return begun;
          madeUpUpdate -= 1;
          return storage.chats.begin({ ...request, update: madeUpUpdate });
        },
      });
    },
  },
  /** The bot forgets which events it handled, saw in the service's lists, and notified users of. */
  'deduplication-of-events': {
    scenario: 'event-unknown-type',
    fault: ['repeat', /^events$/],
    alter: (storage) => ({
      ...storage,
      async get(key) {
        const text = await storage.get(key);
        if (isOver(key, text)) return undefined;
        if (!key.startsWith('poll-state:')) return text;
        return text?.replace(/"knownItems":\[[^\]]*\]/, '"knownItems":[]');
      },
      async add(key, value, lifetime) {
        if (isOver(key, await storage.get(key))) await storage.delete(key);
        return storage.add(key, value, lifetime);
      },
    }),
  },
  /** No process seems to be alive. */
  'heartbeat-check': {
    scenario: 'guest-invoice',
    fault: ['delay', /^replace operation:/],
    alter: (storage) => ({
      ...storage,
      get: async (key) => (key.startsWith('heartbeat:') ? undefined : storage.get(key)),
    }),
  },
  /** The record that a request is about to be sent is lost with the process. */
  'mark-before-request': {
    scenario: 'buy-energy',
    fault: ['crash-after', /^POST /],
    alter(storage) {
      marks.clear();
      return {
        ...storage,
        async replaceAndAdd(key, expected, written, beside) {
          marks.set(key, { before: expected, after: written.value, beside: beside.key });
          return storage.replaceAndAdd(key, expected, written, beside);
        },
      };
    },
    async crashed(storage) {
      for (const [key, { before, after, beside }] of marks)
        if (await storage.replace(key, after, before)) await storage.delete(beside);
    },
  },
  /** Sends of a message aren't counted before they begin. */
  'count-of-attempts': {
    scenario: 'erase-user',
    fault: ['crash-each', /^sendMessage$/],
    alter: (storage) => ({
      ...storage,
      add: async (key, ...given) => key.startsWith('message-attempt:') || storage.add(key, ...given),
    }),
  },
  /** Notifications that weren't sent yet are lost with the process. */
  'outbox-record': {
    scenario: 'event-deposit',
    fault: ['crash-after', /^set poll-state:/],
    async crashed(storage) {
      for (const key of await storedKeys(storage, 'notification:'))
        if (!isOver(key, await storage.get(key))) await storage.delete(key);
    },
  },
};

function withChats(storage: Storage, changed: Partial<Storage['chats']>): Storage {
  return { ...storage, chats: { ...storage.chats, ...changed } };
}
