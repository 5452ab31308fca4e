import { z } from 'zod';
import { dateTimeFormat } from './date-time.ts';
import { readLink } from './links.ts';
import { badRequest } from './refusal.ts';

/** Message entity of the Bot API. Offsets and lengths are in UTF-16 code units. */
export interface Entity {
  type: string;
  offset: number;
  length: number;
  url?: string;
  language?: string;
  unix_time?: number;
  date_time_format?: string;
}

const PLAIN_TYPES = [
  'mention',
  'hashtag',
  'cashtag',
  'bot_command',
  'url',
  'email',
  'phone_number',
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'blockquote',
  'expandable_blockquote',
  'code',
  'pre',
  'text_link',
  'text_mention',
  'custom_emoji',
  'date_time',
];

const given = z.array(
  z.object({
    type: z.string(),
    offset: z.number().int(),
    length: z.number().int(),
    url: z.string().optional(),
    language: z.string().optional(),
    unix_time: z.number().int().optional(),
    date_time_format: z.string().optional(),
  }),
);

/**
 * Validates the entities of a request against its text.
 * @throws Refusal for unknown types, bounds outside of the text, invalid links and invalid dates
 */
export function checkEntities(value: unknown, text: string): Entity[] {
  const parsed = given.safeParse(value);
  if (!parsed.success) throw badRequest("can't parse MessageEntity: expected an Array of MessageEntity");
  const checked = parsed.data.flatMap((entity): Entity[] => {
    const { type, offset, length } = entity;
    if (!PLAIN_TYPES.includes(type))
      throw badRequest("can't parse MessageEntity: Unsupported type specified");
    if (offset < 0) throw badRequest(`receive an entity with incorrect offset ${offset}`);
    if (length < 0) throw badRequest(`receive an entity with incorrect length ${length}`);
    if (offset > text.length) {
      throw badRequest(`entity begins after the end of the text at UTF-16 offset ${offset}`);
    }
    if (offset + length > text.length) {
      throw badRequest(
        `entity beginning at UTF-16 offset ${offset} ends after the end of the text at UTF-16 offset ${offset + length}`,
      );
    }
    if (splitsPair(text, offset))
      throw badRequest(`entity begins in a middle of a UTF-16 symbol at ${offset}`);
    if (splitsPair(text, offset + length)) {
      throw badRequest(`entity ends in a middle of a UTF-16 symbol at ${offset + length}`);
    }
    return length === 0 ? [] : [checkContent(entity)];
  });
  return firstOf(checked);
}

/** Returns the first 100 entities, because Telegram drops the rest. */
export const firstOf = (entities: readonly Entity[]): Entity[] => sort(entities).slice(0, 100);

/** Returns whether a cut at `at` would split a surrogate pair. */
function splitsPair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff && at > 0 && at < text.length;
}

function checkContent(entity: Entity): Entity {
  if (entity.type === 'text_link') return { ...entity, url: checkLink(entity.url) };
  if (entity.type !== 'date_time') return entity;
  const { unix_time = missing('unix_time'), date_time_format: given = '' } = entity;
  const date_time_format = dateTimeFormat(given);
  if (date_time_format === undefined) {
    throw badRequest("can't parse MessageEntity: Invalid date-time format specified");
  }
  if (unix_time <= 0) throw badRequest('invalid date specified');
  return { ...entity, date_time_format };
}

function missing(field: string): never {
  throw badRequest(`can't parse MessageEntity: Can't find field "${field}"`);
}

function checkLink(url: string | undefined): string {
  const link = readLink(url ?? missing('url'));
  if (!link.ok) throw badRequest(`entity URL '${url}' is invalid: ${link.problem}`);
  return link.url;
}

const FOUND: readonly { type: string; pattern: RegExp }[] = [
  { type: 'url', pattern: /(?<![\w@/])https?:\/\/[^\s<>"]+[^\s<>".,:;!?)\]]/g },
  { type: 'mention', pattern: /(?<![\w@/])@[A-Za-z]\w{3,31}\b/g },
  { type: 'bot_command', pattern: /(?<![\w@/<>])\/[A-Za-z0-9_]{1,64}(?:@\w{3,32})?(?![\w/@])/g },
];

/** Adds the entities that Telegram detects in a text: links, mentions and commands. */
export function withFoundEntities(text: string, entities: readonly Entity[]): Entity[] {
  const opaque = entities.filter(({ type }) =>
    ['code', 'pre', 'text_link', 'date_time', ...FOUND.map((found) => found.type)].includes(type),
  );
  const found: Entity[] = [];
  for (const { type, pattern } of FOUND) {
    for (const match of text.matchAll(pattern)) {
      const entity = { type, offset: match.index, length: match[0].length };
      if (![...opaque, ...found].some((other) => overlap(entity, other))) found.push(entity);
    }
  }
  return inOrder([...entities, ...found]);
}

/** Sorts entities by offset, longer ones first. Removes other entities from code, and overlapping quotations. */
export function inOrder(entities: readonly Entity[]): Entity[] {
  const isQuote = ({ type }: Entity) => type.endsWith('blockquote');
  const isCode = ({ type }: Entity) => type === 'code' || type === 'pre';
  const sorted = sort(entities);
  const codes = withoutOverlaps(sorted.filter(isCode));
  const quotes = withoutOverlaps(sorted.filter(isQuote));
  const others = sorted
    .filter((entity) => !isCode(entity) && !isQuote(entity))
    .flatMap((entity) =>
      codes.reduce((parts, code) => parts.flatMap((part) => cutOut(part, code)), [entity]),
    );
  return sort([...quotes, ...codes, ...others]);
}

const sort = (entities: readonly Entity[]): Entity[] =>
  [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length);

function withoutOverlaps(sorted: readonly Entity[]): Entity[] {
  const kept: Entity[] = [];
  for (const entity of sorted) if (!kept.some((other) => overlap(entity, other))) kept.push(entity);
  return kept;
}

/** Returns the parts of an entity outside of another. */
function cutOut(entity: Entity, hole: Entity): Entity[] {
  if (!overlap(entity, hole)) return [entity];
  const end = entity.offset + entity.length;
  const holeEnd = hole.offset + hole.length;
  return [
    { ...entity, length: hole.offset - entity.offset },
    { ...entity, offset: holeEnd, length: end - holeEnd },
  ].filter(({ length }) => length > 0);
}

const overlap = (a: Entity, b: Entity): boolean =>
  a.offset < b.offset + b.length && b.offset < a.offset + a.length;
