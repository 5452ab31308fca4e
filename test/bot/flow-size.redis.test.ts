import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Feature } from '../../src/bot/feature.ts';
import type { TextKey } from '../../src/i18n/keys.ts';
import { LANGUAGES, type Language } from '../../src/i18n/texts.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import { KNOWN, type Storage } from '../../src/platform/storage.ts';
import { answerData, callbackData } from '../../src/views/callback-data.ts';
import { openChat } from '../features/chat.ts';
import { USER } from '../operations/operations-setup.ts';
import { OFFLINE, profileOf } from '../operations/rental-stand-in.ts';
import { silentLog } from '../support/log-lines.ts';
import { redisUrl } from '../support/redis.ts';

const MAX_BYTES = 1_024;
/** Bytes that the reference to a card takes. */
const CARD_BYTES = 64;

type Answer = string | { tap: string };

/** Chat and update ids with as many digits as current Telegram ids. */
const CHAT = 7_600_000_000 + USER;
const UPDATES = 980_000_000;
/** Known addresses, as many as an address book holds. */
const ADDRESSES = [
  'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL',
  'TJCLNmsxAudk8BnFmKvSQdyc18Fc5dxAwk',
  'TJCLNmsxAvBBZX4hQqBqAqhq5M5iLCxAwk',
  'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7',
];
const [ADDRESS = ''] = ADDRESSES;
const tap = (value: string) => ({ tap: value });
const NAME = '語'.repeat(32);
const LONG = '語'.repeat(4_096);

/** Answers by feature, with errors, Back and changed choices. The last answer leads to the card or the saved setting. */
const DIALOGUES: Record<string, Answer[]> = {
  energy: [
    ...['no address', LONG, 'T', `${ADDRESS}a`, ADDRESS.slice(1), `${ADDRESS} 20000 24h`, 'a friend', '0'],
    ...[LONG, '12abc', `${ADDRESSES[1]} 31999`, '77', LONG, tap('10')],
  ],
  bandwidth: [
    ...['no address', LONG, tap(ADDRESS), 'much', LONG, '5000000', '350', 'ever', 'back', tap('back')],
    ...[ADDRESS, tap('10000'), LONG, 'three days', tap('72')],
  ],
  activation: [
    ...['no address', LONG, 'T', `${ADDRESS}a`, ADDRESS.slice(1), 'this one', 'that one', LONG],
    ...[`${ADDRESS} ${ADDRESSES[1]}`, 'why?', 'TTT', LONG, tap(ADDRESS)],
  ],
  withdraw: [
    ...['much', LONG, '0', tap('all'), 'no address', LONG, tap('back'), '1,000', '5 TRX', LONG, 'T', 'back'],
    ...['12.5', ADDRESS],
  ],
  invoice: [
    ...['no address', LONG, 'T', `${ADDRESS}a`, ADDRESS.slice(1), `${ADDRESS} 150 24h`, LONG, 'many', '101'],
    ...[`${ADDRESSES[1]} 31999`, '0', LONG, '76'],
  ],
  'smart-mode': [
    ...['no address', LONG, ADDRESS, LONG, NAME, tap('back'), tap('back'), tap(ADDRESS), tap('none')],
    ...['maybe', tap('back'), LONG, NAME, tap('on')],
  ],
  notifications: [
    ...['much', LONG, '-5', '1,000', 'TTT', LONG, ADDRESS, '5.1234567', 'ever', LONG, 'why?', tap('50')],
  ],
  broadcast: [
    ...['News', LONG, 'a line', 'Site - http://x', tap('none'), LONG, tap('put-ru'), LONG],
    ...['Сайт - https://a.b', tap('next'), LONG, 'soon', tap('everybody'), LONG, '2020-01-01 00:00'],
    ...[tap('1h'), LONG, tap('send')],
  ],
  packages: [...['many', LONG, '0', ADDRESS, '10001', 'who?', LONG, '1.5', 'ever', LONG, '-3', '25']],
  addresses: [
    ...['no address', LONG, ADDRESS, LONG, ADDRESS, 'x'.repeat(25), tap('back'), LONG, '?', ADDRESS.slice(1)],
    ...[LONG, ADDRESS, ' ', '…'.repeat(30), NAME.slice(0, 20)],
  ],
  people: [...['some one', LONG, '0', 'T', '-5', 'who?', LONG, '<b>', 'ever', LONG, '-7', String(USER)]],
  // Any other text ends this one.
  invoices: [...Array<string>(11).fill(LONG), NAME],
  unresolved: [
    ...['no', LONG, 'a\nb c', '..', 'x', NAME.repeat(8), LONG, 'ab', '語', 'no', LONG, NAME.repeat(6)],
  ],
  operator: [
    ...['much', LONG, '-5', '1,000', 'TTT', LONG, ADDRESS, '5.1234567', 'ever', LONG, 'why?', tap('50')],
  ],
};

/** Buttons to tap after the command, for features whose command doesn't start the flow. */
const START_BUTTONS: Record<string, string> = {
  'smart-mode': 'start',
  notifications: 'low-balance',
  addresses: 'add',
  packages: 'custom',
  people: 'find',
  invoices: 'find',
  unresolved: 'went',
  operator: 'cap',
  broadcast: 'new',
};

/** Final texts of the flows that don't end at the card of an operation. */
const FINAL_TEXTS: Record<string, TextKey> = {
  notifications: 'notifications-title',
  addresses: 'address-managed',
  packages: 'packages-not-said',
  people: 'person-no-operations',
  invoices: 'invoices-found-none',
  unresolved: 'unresolved-truth',
  operator: 'operator-title',
  broadcast: 'making-scheduled',
};

const VARIABLES: Partial<Record<TextKey, Record<string, string>>> = {
  'address-managed': { default: 'no' },
  'invoices-found-none': { sought: NAME },
};

/** Opens a chat on Redis and measures its memory. */
async function openMeasured(language: Language) {
  const url = await redisUrl();
  const [redis, storage] = [new Redis(url), createRedisStorage({ url, log: silentLog() })];
  onTestFinished(async () => {
    await Promise.all([redis.quit(), storage.close()]);
  });
  // The flood guard resets its counters by an interval.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const chat = await openChat(language, { storage: withLongNumbers(storage), admins: new Set([USER]) });
  const profile = profileOf('1000.00');
  const value = { ...profile.value, totp_enabled: true };
  chat.setup.rental.profile.mockResolvedValue({ ...profile, value });
  // No deposit address, so none of the withdrawal addresses equals it.
  chat.setup.rental.depositInfo.mockResolvedValue(OFFLINE);
  for (const address of ADDRESSES) await chat.deps.addressBook.remember(USER, address);
  const write = async (text: string) => {
    vi.advanceTimersByTime(5_000);
    await chat.write(text);
  };
  const bytesOf = async (name: string) => (await redis.memory('USAGE', `${name}:{${CHAT}}`)) ?? 0;
  return {
    ...chat,
    write,
    /** Returns the bytes of the chat in Redis: its hash and its open flow. */
    bytes: async () => (await bytesOf('chat')) + (await bytesOf('conversation')),
    isInFlow: async () => (await bytesOf('conversation')) > 0,
    /** Fails if the chat takes too much memory, and says what takes it. */
    async expectWithinSize(at: string) {
      const [session, flow] = [await bytesOf('chat'), await bytesOf('conversation')];
      if (session + flow <= MAX_BYTES) return;
      const { state = {} } = JSON.parse((await redis.get(`conversation:{${CHAT}}`)) ?? '{}');
      const fields = Object.entries(state).map(([name, value]) => `${name} ${JSON.stringify(value).length}`);
      const sizes = `session ${session} bytes, flow ${flow}, of it in characters: ${fields.join(', ')}`;
      expect.fail(`${at}: more than ${MAX_BYTES} bytes (${sizes})`);
    },
  };
}

function withLongNumbers(storage: Storage): Storage {
  const { begin, commit, release, isLatest, readConversation } = storage.chats;
  const long = <T extends { chat: number; update: number }>(request: T) => ({
    ...request,
    chat: CHAT,
    update: UPDATES + request.update,
  });
  return {
    ...storage,
    chats: {
      begin: (request) => begin(long(request)),
      commit: (request) => commit(long(request)),
      release: (request) => release({ ...request, chat: CHAT }),
      isLatest: (request) => isLatest(long(request)),
      readConversation,
    },
  };
}

test.each(LANGUAGES)(
  'a chat takes at most 1 kB during a flow, and returns to its size before (%s)',
  async (language) => {
    const chat = await openMeasured(language);
    const lost = await chat.setup.lost({ user: USER + 1 });
    await chat.tap(callbackData('settings', 'language', language));
    // Fills the list of handled updates to its maximum size.
    for (let update = 0; update < KNOWN.handled; update++) await chat.write('hello');
    const all = chat.features.filter(({ flow }) => flow !== undefined);
    const declared = all.filter(({ flow }) => flow?.examples !== undefined);
    const flows = all.filter((feature) => !declared.includes(feature));
    expect(flows.map(({ name }) => name).toSorted()).toEqual(Object.keys(DIALOGUES).toSorted());

    async function answerAll({ name, command }: Feature, answers: Answer[]): Promise<void> {
      await chat.write(`/${command?.name}`);
      const button = START_BUTTONS[name];
      const of = name === 'unresolved' ? `${lost.user}_${lost.id}` : undefined;
      if (button) await chat.tap(callbackData(name, button, of));
      for (const given of answers) {
        const at = `${name}, before ${JSON.stringify(given)}`;
        expect(await chat.isInFlow(), at).toBe(true);
        await chat.expectWithinSize(at);
        await (typeof given === 'string' ? chat.write(given) : chat.tap(answerData(given.tap)));
      }
    }

    const idle = await chat.bytes();
    for (const flow of flows) {
      await answerAll(flow, [LONG, LONG, tap('cancel')]);
      expect(await chat.bytes()).toBe(idle);
    }
    for (const example of declared.flatMap(({ flow }) => flow?.examples ?? [])) {
      for (const input of example.inputs)
        await (/^[a-z-]+:/.test(input) ? chat.tap(input) : chat.write(input));
      await chat.write(LONG);
      expect(await chat.isInFlow(), example.inputs.join(', ')).toBe(true);
      await chat.expectWithinSize(example.inputs.join(', '));
      await chat.write('cancel');
      expect(await chat.bytes()).toBe(idle);
    }
    // The session keeps the reference to the last card until a newer question.
    const afterCards: number[] = [];
    for (const flow of [...flows, ...flows]) {
      const answers = DIALOGUES[flow.name] ?? [];
      expect(answers.length).toBeGreaterThanOrEqual(12);
      await answerAll(flow, answers);
      const final = FINAL_TEXTS[flow.name] ?? 'operation-check';
      expect(chat.last().html).toContain(chat.words.html(final, VARIABLES[final]));
      await chat.write('cancel');
      expect(await chat.isInFlow()).toBe(false);
      // For half an hour after a card with 2FA, a number counts as a code.
      chat.setup.clock.now += 31 * 60_000;
      await chat.write('hello');
      afterCards.push(await chat.bytes());
    }
    expect(afterCards.slice(flows.length)).toEqual(afterCards.slice(0, flows.length));
    expect(Math.max(...afterCards)).toBeLessThanOrEqual(idle + CARD_BYTES);
  },
);
