import fc from 'fast-check';
import { API_CONSTANTS } from 'grammy';
import { ALLOWED_UPDATES } from '../../src/telegram/update-schema.ts';

const user = { id: 501, is_bot: false, first_name: 'Guest', username: 'guest', language_code: 'en' };
const chat = { id: 501, type: 'private', first_name: 'Guest' };
const file = { file_id: 'f', file_unique_id: 'u', width: 9, height: 9, duration: 1, file_size: 1 };
const entities = [
  { type: 'bot_command', offset: 0, length: 4 },
  { type: 'text_link', offset: 5, length: 3, url: 'https://example.com/' },
];
const message = {
  message_id: 7,
  date: 1_700_000_000,
  chat,
  from: user,
  sender_chat: chat,
  text: '/buy TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t 65000 1',
  entities,
  caption: '/start',
  caption_entities: entities,
  media_group_id: '1',
  photo: [file],
  video: file,
  document: file,
  reply_to_message: { message_id: 6, date: 1_700_000_000, chat, from: user, text: 'earlier' },
  reply_markup: { inline_keyboard: [[{ text: 'Menu', callback_data: 'menu:open' }]] },
};
const member = { user, status: 'member' };
/** An object with the fields of every kind of update, so that each kind finds its own. */
const payload = {
  ...message,
  id: '1',
  message,
  data: 'menu:open',
  chat_instance: '1',
  query: 'x',
  old_chat_member: member,
  new_chat_member: member,
};

type Path = (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, child]) => pathsOf(child, [...path, key]));
  return path.length === 0 ? inner : [path, ...inner];
}

/** Every type of update, and more often those that the bot handles. */
const kinds = fc.oneof(
  fc.constantFrom(...API_CONSTANTS.ALL_UPDATE_TYPES, 'unknown_kind'),
  fc.constantFrom(...ALLOWED_UPDATES),
);
const junk = fc.oneof(fc.jsonValue(), fc.constantFrom(undefined, null, '', -1, 1e300, [], {}, [null], [{}]));

/** Returns a copy of `value` with another value at `path`. */
function replaced(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined) return other;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = replaced(copy[key], rest, other);
  return copy;
}

/** Generates updates of every type without an id: correct ones, some with wrong values at any depth, and any JSON. */
export const oddUpdates: fc.Arbitrary<Record<string, unknown>> = fc
  .record({
    kind: kinds,
    changes: fc.array(fc.tuple(fc.constantFrom(...pathsOf(payload)), junk), { maxLength: 3 }),
    whole: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, junk),
  })
  .map(({ kind, changes, whole }) => {
    const changed = changes.reduce<unknown>((before, [path, other]) => {
      const parent = path.slice(0, -1).reduce<unknown>((at, key) => (at as never)?.[key], before);
      return typeof parent === 'object' && parent !== null ? replaced(before, path, other) : before;
    }, payload);
    return JSON.parse(JSON.stringify({ [kind]: whole ?? changed }));
  });
