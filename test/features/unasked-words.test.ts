import type { Message } from 'grammy/types';
import { describe, expect, test } from 'vitest';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { KEYS, NO_KEYS, OTHER_CHAINS } from '../support/other-words.ts';
import { type Chat, openChat } from './chat.ts';

const MESSAGE = 77;
const [[, KEY]] = KEYS as [[string, string]];
const [[chain, TON]] = OTHER_CHAINS as [[string, string]];

/** Inputs that open a question or a card, and a part of its text. */
const OPEN: [what: string, inputs: string[], shown: string][] = [
  ['an address question', ['/buy'], 'Which address'],
  ['an amount question', [`/bandwidth ${ADDRESS}`], 'How much'],
  ['a name question', [`addresses:save:${ADDRESS}`], 'Name this address'],
];
const LINK_QUESTION = ['a request for a key', ['link:open'], 'Send your API key'] as const;

const SENDING: [how: string, send: (chat: Chat, text: string) => Promise<void>][] = [
  ['in a text', (chat, text) => chat.bring({ text, message_id: MESSAGE })],
  ['in a caption', (chat, caption) => chat.bring({ caption, photo: [], message_id: MESSAGE })],
  ['in an edited text', (chat, text) => edit(chat, { text })],
  ['in an edited caption', (chat, caption) => edit(chat, { caption, photo: [] })],
];

async function edit(chat: Chat, content: Pick<Message, 'text' | 'caption' | 'photo'>): Promise<void> {
  const from = { id: USER, is_bot: false, first_name: 'Guest', language_code: chat.words.language };
  const about = { message_id: MESSAGE, date: 0, edit_date: 1, from };
  await chat.receive({
    edited_message: { ...about, chat: { id: USER, type: 'private', first_name: 'Guest' }, ...content },
  });
}

/** Returns the texts that the bot sends from now on, and whether the message was deleted. */
function watch(chat: Chat) {
  const before = chat.calls.length;
  return {
    sent: () =>
      chat.calls
        .slice(before)
        .flatMap(({ method, payload }) => (method === 'sendMessage' ? [String(payload.text)] : [])),
    isDeleted: () => chat.payloads('deleteMessage').some(({ message_id }) => message_id === MESSAGE),
  };
}

describe.each(SENDING)('a word of a key’s shape %s', (_how, send) => {
  test.each([...OPEN, LINK_QUESTION])('is deleted, and %s is repeated', async (what, inputs, shown) => {
    const chat = await openChat('en');
    await chat.input(...inputs);
    const { sent, isDeleted } = watch(chat);
    // While the bot waits for a key, a new message is that key.
    const isAnswer = what === LINK_QUESTION[0];
    await send(chat, isAnswer ? `/start ${KEY}` : KEY);
    expect(isDeleted()).toBe(true);
    const notice = expect.stringMatching(/I deleted what looks like an API key. Nothing else was done./);
    expect(sent()).toEqual([notice, expect.stringContaining(shown)]);
  });

  test('is deleted beside an open card, which stays open', async () => {
    const chat = await openChat('en');
    await chat.write(`/buy ${ADDRESS} 65000 1`);
    const { sent, isDeleted } = watch(chat);
    await send(chat, KEY);
    expect(isDeleted()).toBe(true);
    expect(sent()).toEqual([expect.stringContaining('Nothing else was done')]);
    expect(chat.payloads('editMessageText')).toEqual([]);
    await chat.write('yes');
    expect(sent().at(-1)).toContain(chat.words.html('operation-only-tap'));
  });

  test('is deleted without an open question', async () => {
    const chat = await openChat('ru');
    const { sent, isDeleted } = watch(chat);
    await send(chat, KEY);
    expect(isDeleted()).toBe(true);
    expect(sent()).toEqual([expect.stringContaining('Больше ничего не изменилось')]);
  });
});

describe('a new message with a word that isn’t a key', () => {
  test.each(
    OPEN.slice(0, 2).flatMap(([what, inputs, shown]) =>
      SENDING.slice(0, 2).map(([how, send]) => ({ what, how, inputs, shown, send })),
    ),
  )('names the other chain of an address $how and repeats $what', async ({ inputs, shown, send }) => {
    const chat = await openChat('en');
    await chat.input(...inputs);
    const { sent, isDeleted } = watch(chat);
    await send(chat, `my wallet is ${TON}.`);
    expect(isDeleted()).toBe(false);
    expect(sent()).toHaveLength(1);
    chat.shows(`That's a ${chain} address`, 'which begin with T', shown);
    await (shown === 'Which address'
      ? chat.expectReply(ADDRESS, 'Review and confirm')
      : chat.expectReply('350', 'For how long?'));
  });

  test.each(OTHER_CHAINS)('names %s without an open question', async (name, address) => {
    for (const language of ['en', 'ru'] as const) {
      const chat = await openChat(language);
      await chat.write(`pay ${address}, please`);
      expect(chat.payloads('deleteMessage')).toEqual([]);
      const about = { chain: name === 'bank account' ? 'bank' : name };
      chat.shows(chat.words.html('problem-address-other-chain', about));
    }
  });

  test.each(NO_KEYS)('keeps %s', async (_, text) => {
    for (const inputs of [[], ['/buy'], [`/buy ${ADDRESS} 65000 1`]]) {
      const chat = await openChat('en');
      await chat.input(...inputs);
      const { isDeleted, sent } = watch(chat);
      await chat.bring({ text, message_id: MESSAGE });
      expect(isDeleted()).toBe(false);
      expect(sent().join()).not.toContain('API key');
    }
  });
});
