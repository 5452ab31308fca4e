import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { USER_CONTENT } from '../../src/telegram/message-content.ts';
import { groupUpdate } from '../bot/stand-in-bot.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { recordWrites } from '../support/recorded-writes.ts';
import { openChat } from './chat.ts';

/** grammY's types, which name every field of a message. */
const TYPES = readFileSync('node_modules/@grammyjs/types/message.d.ts', 'utf8');
const namesIn = (pattern: RegExp) => [...TYPES.matchAll(pattern)].map(([, name = '']) => name);

/** Fields of the messages that a user writes or sends, all of which are based on `CommonMessage`. */
const CONTENT = namesIn(
  /type \w+ = (?:Common|Captionable|Media|Document|Location)Message & MsgWith<"(\w+)">/g,
);
const [, MESSAGE = ''] = /export interface Message extends [\w.]+ \{([^}]*)\}/.exec(TYPES) ?? [];
/** All other fields, also those without a type of their own. */
const SERVICE = [...MESSAGE.matchAll(/^ {4}(\w+)\?:/gm)]
  .map(([, name = '']) => name)
  .filter((name) => name !== 'entities' && !CONTENT.includes(name));

test('the fields of user content are those of grammY’s types', () => {
  expect(USER_CONTENT.toSorted()).toEqual([...CONTENT, 'caption'].toSorted());
  expect(SERVICE).toEqual(expect.arrayContaining(namesIn(/type \w+ = ServiceMessage & MsgWith<"(\w+)">/g)));
  expect(SERVICE.length).toBeGreaterThan(50);
});

/** Content whose text must not be read: a key and a command. */
const VALUE = { message_id: 1, date: 0, text: `/buy ${ADDRESS} rk_live_4f9aK2mQ7xT1bV8nZ3cD6wE0` };

describe.each([
  ['nothing', []],
  ['a question', ['/buy']],
  ['a request for a key', ['link:open']],
  ['a card', [`/buy ${ADDRESS} 65000 1`]],
])('with %s open', (_, inputs) => {
  test('no service message causes a call or is stored', async () => {
    const { storage, take } = recordWrites(createMemoryStorage());
    const chat = await openChat('en', { storage });
    await chat.input(...inputs);
    const before = chat.calls.length;
    take();
    for (const field of SERVICE) {
      const content = { [field]: VALUE };
      await chat.bring(content);
      const group = groupUpdate(1, '');
      Object.assign(group.message ?? {}, { text: undefined, ...content });
      await chat.receive(group);
    }
    expect(chat.calls.slice(before)).toEqual([]);
    expect(take()).toEqual([]);
  });
});

test('a flood of service messages gets no reply', async () => {
  const chat = await openChat('en');
  for (let count = 0; count < 100; count++) await chat.bring({ pinned_message: VALUE } as never);
  expect(chat.calls).toEqual([]);
});

test.each(['sticker', 'voice', 'location', 'poll', 'story', 'contact', 'dice', 'photo'])(
  'a message with a %s still gets a reply',
  async (field) => {
    const chat = await openChat('en');
    await chat.bring({ [field]: {} });
    expect(chat.html()).toContain(chat.words.html('talk-next'));
  },
);
