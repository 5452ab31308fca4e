import { z } from 'zod';
import { type BotApiError, badRequest } from './bot-api-error.ts';
import { decodeReferences } from './character-references.ts';
import { dateTimeFormat } from './date-time.ts';
import { readLink } from './links.ts';

type Token =
  | { kind: 'text'; text: string }
  | { kind: 'start'; name: string; attributes: ReadonlyMap<string, string>; at: number }
  | { kind: 'end'; name: string; closed: boolean; at: number };

const TAGS = new Set(
  'b strong i em u ins s strike del code pre a span tg-spoiler tg-time tg-emoji blockquote'.split(' '),
);

const cannotParse = (problem: string): BotApiError => badRequest(`can't parse entities: ${problem}`);

/**
 * Yields the texts and tags of Telegram's HTML. `at` is a tag's byte offset, as in Telegram's error texts.
 * @throws BotApiError for unknown or malformed start tags and attributes
 */
function* readTokens(html: string): Generator<Token> {
  let at = 0;
  let counted = { index: 0, bytes: 0 };
  const bytes = (index: number) => {
    const from = index < counted.index ? { index: 0, bytes: 0 } : counted;
    counted = { index, bytes: from.bytes + Buffer.byteLength(html.slice(from.index, index)) };
    return counted.bytes;
  };
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const taken = pattern.exec(html)?.[0] ?? '';
    at += taken.length;
    return taken;
  };

  const attributeValue = (begin: number): string => {
    const start = at;
    const quote = html.charAt(at);
    if (quote === '"' || quote === "'") {
      const end = html.indexOf(quote, at + 1);
      if (end < 0) throw cannotParse(`Unclosed start tag at byte offset ${bytes(begin)}`);
      at = end + 1;
      return decodeReferences(html.slice(start + 1, end));
    }
    const token = take(/[A-Za-z0-9.-]*/y).toLowerCase();
    if (!/^[\s>]?$/.test(html.charAt(at))) {
      throw cannotParse(`Unexpected end of name token at byte offset ${bytes(start)}`);
    }
    return token;
  };

  const startTag = (begin: number): Token => {
    const name = take(/[^\s>]*/y).toLowerCase();
    const here = `at byte offset ${bytes(begin)}`;
    if (at === html.length) throw cannotParse(`Unclosed start tag ${here}`);
    if (!TAGS.has(name)) throw cannotParse(`Unsupported start tag "${name}" ${here}`);
    const attributes = new Map<string, string>();
    take(/\s*/y);
    while (html.charAt(at) !== '>') {
      const attribute = take(/[^\s=>]*/y).toLowerCase();
      take(/\s*/y);
      if (at === html.length) throw cannotParse(`Unclosed start tag "${name}" ${here}`);
      if (attribute === '') throw cannotParse(`Empty attribute name in the tag "${name}" ${here}`);
      if (html.charAt(at) === '=') {
        at += 1;
        take(/\s*/y);
        attributes.set(attribute, attributeValue(begin));
      } else if (name === 'blockquote' && attribute === 'expandable') {
        attributes.set(attribute, '');
      } else {
        throw cannotParse(`Expected equal sign in declaration of an attribute of the tag "${name}" ${here}`);
      }
      take(/\s*/y);
    }
    at += 1;
    return { kind: 'start', name, attributes, at: bytes(begin) };
  };

  while (at < html.length) {
    const begin = at;
    if (html.charAt(at) !== '<') {
      yield { kind: 'text', text: decodeReferences(take(/[^<]*/y)) };
    } else if (html.charAt(at + 1) === '/') {
      at += 2;
      const name = take(/[^\s>]*/y).toLowerCase();
      take(/\s*/y);
      const closed = take(/>?/y) !== '';
      yield { kind: 'end', name, closed, at: bytes(begin) };
    } else {
      at += 1;
      yield startTag(begin);
    }
  }
}

/** Text parameters of a request. `entities` is unchecked. */
interface GivenText {
  text: string;
  parse_mode?: string | undefined;
  entities?: unknown;
}

/** Maximum length including tags. Longer texts are rejected without being parsed. */
const MAX_RAW = 65_536;

interface Limit {
  maxLength: number;
  /** Error text for longer texts. */
  problem: string;
}

/**
 * Returns a text as Telegram stores it: parsed, trimmed, with detected entities. Lengths are in UTF-16 units.
 * HTML is the only supported parse mode.
 */
function formatText({ text, parse_mode, entities }: GivenText, limit: Limit): FormattedText {
  if (text.length > MAX_RAW) throw badRequest(limit.problem);
  if (parse_mode !== undefined && parse_mode !== '') {
    if (parse_mode.toLowerCase() !== 'html') throw badRequest('unsupported parse_mode');
    return finish(parseHtml(text), limit);
  }
  return finish({ text, entities: entities === undefined ? [] : checkEntities(entities, text) }, limit);
}

/** Formats the text of a message: 1 to 4096 units. `isEdit` selects Telegram's error text for edits that are too long. */
export function formatMessageText(given: Partial<GivenText>, isEdit = false): FormattedText {
  if (given.text === undefined || given.text === '') throw badRequest('message text is empty');
  const formatted = formatText(
    { ...given, text: given.text },
    { maxLength: 4096, problem: isEdit ? 'MESSAGE_TOO_LONG' : 'message is too long' },
  );
  if (formatted.text === '') throw badRequest('text must be non-empty');
  return formatted;
}

/** Formats the caption of a file: 0 to 1024 units. */
export function formatCaption(given: Partial<GivenText>, isEdit = false): FormattedText {
  return formatText(
    { ...given, text: given.text ?? '' },
    { maxLength: 1024, problem: isEdit ? 'MEDIA_CAPTION_TOO_LONG' : 'message caption is too long' },
  );
}

function finish({ text, entities }: FormattedText, { maxLength, problem }: Limit): FormattedText {
  const firstEntity = entities[0]?.offset ?? text.length;
  const start = Math.min(text.length - text.trimStart().length, firstEntity);
  const trimmed = text.slice(start).trimEnd();
  if (trimmed.length > maxLength) throw badRequest(problem);
  const remaining = entities.flatMap((entity): Entity[] => {
    const offset = entity.offset - start;
    const length = Math.min(entity.length, trimmed.length - offset);
    return length > 0 ? [{ ...entity, offset, length }] : [];
  });
  return { text: trimmed, entities: withFoundEntities(trimmed, remaining) };
}

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
 * @throws BotApiError for unknown types, bounds outside of the text, invalid links and invalid dates
 */
function checkEntities(value: unknown, text: string): Entity[] {
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
const firstOf = (entities: readonly Entity[]): Entity[] => sort(entities).slice(0, 100);

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
function withFoundEntities(text: string, entities: readonly Entity[]): Entity[] {
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
function inOrder(entities: readonly Entity[]): Entity[] {
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
  const remaining: Entity[] = [];
  for (const entity of sorted) if (!remaining.some((other) => overlap(entity, other))) remaining.push(entity);
  return remaining;
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

export interface FormattedText {
  text: string;
  entities: Entity[];
}

type StartTag = Extract<Token, { kind: 'start' }>;

const TYPES: Readonly<Record<string, string>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  span: 'spoiler',
  'tg-spoiler': 'spoiler',
};

/**
 * Parses Telegram's HTML as strictly as Telegram does, with its error texts.
 * https://core.telegram.org/bots/api#html-style
 * @throws BotApiError "can't parse entities: …"
 */
export function parseHtml(html: string): FormattedText {
  const entities: Entity[] = [];
  const open: { tag: StartTag; offset: number }[] = [];
  let text = '';
  for (const token of readTokens(html)) {
    if (token.kind === 'text') {
      text += token.text;
    } else if (token.kind === 'start') {
      if (token.name === 'span' && token.attributes.get('class') !== 'tg-spoiler') {
        throw cannotParse(`Tag "span" must have class "tg-spoiler" at byte offset ${token.at}`);
      }
      open.push({ tag: token, offset: text.length });
    } else {
      const opened = open.pop();
      if (opened === undefined) throw cannotParse(`Unexpected end tag at byte offset ${token.at}`);
      if (!token.closed) throw cannotParse(`Unclosed end tag at byte offset ${token.at}`);
      if (token.name !== '' && token.name !== opened.tag.name) {
        throw cannotParse(
          `Unmatched end tag at byte offset ${token.at}, expected "</${opened.tag.name}>", found "</${token.name}>"`,
        );
      }
      if (text.length > opened.offset) entities.push(...entitiesOf(opened.tag, opened.offset, text));
    }
  }
  const unclosed = open.at(-1);
  if (unclosed) throw cannotParse(`Can't find end tag corresponding to start tag "${unclosed.tag.name}"`);
  if (/\p{Surrogate}/u.test(text)) {
    throw cannotParse(
      'Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units',
    );
  }
  return { text, entities: inOrder(withLanguages(firstOf(entities))) };
}

function entitiesOf({ name, attributes }: StartTag, offset: number, text: string): Entity[] {
  const range = { offset, length: text.length - offset };
  switch (name) {
    case 'a': {
      const link = readLink(attributes.get('href') ?? text.slice(offset));
      return link.ok ? [{ type: 'text_link', ...range, url: link.url }] : [];
    }
    case 'blockquote':
      return [{ type: attributes.has('expandable') ? 'expandable_blockquote' : 'blockquote', ...range }];
    case 'code':
    case 'pre': {
      const language = /^language-(.+)$/.exec(attributes.get('class') ?? '')?.[1];
      return [{ type: name, ...range, ...(language !== undefined && { language }) }];
    }
    case 'tg-time': {
      const format = dateTimeFormat(attributes.get('format') ?? '');
      if (format === undefined) throw cannotParse('Invalid date format used');
      const unixTime = Number.parseInt(/^\d*/.exec(attributes.get('unix') ?? '')?.[0] || '0', 10) | 0;
      // Telegram ignores a time without a date.
      return unixTime > 0
        ? [{ type: 'date_time', ...range, unix_time: unixTime, date_time_format: format }]
        : [];
    }
    case 'tg-emoji':
      if (!/^\d{1,19}$/.test(attributes.get('emoji-id') ?? '')) {
        throw cannotParse('Invalid custom emoji identifier specified');
      }
      return [];
    default:
      return [{ type: TYPES[name] ?? name, ...range }];
  }
}

/** Merges `<pre><code class="language-…">` into one block with a language. Removes the language from other code. */
function withLanguages(entities: readonly Entity[]): Entity[] {
  const twinOf = (entity: Entity, type: string) =>
    entities.find(
      (other) => other.type === type && other.offset === entity.offset && other.length === entity.length,
    );
  return entities.flatMap((entity) => {
    if (entity.type === 'pre') {
      const language = twinOf(entity, 'code')?.language ?? entity.language;
      return [language === undefined ? entity : { ...entity, language }];
    }
    if (entity.type !== 'code') return [entity];
    const { language: _, ...code } = entity;
    return twinOf(entity, 'pre') ? [] : [code];
  });
}

/**
 * Renders a formatted text as HTML that is safe to insert: texts and attributes are escaped, line breaks stay `\n`.
 * Commands become `<span class="command" data-command="/…">`, spoilers `<span class="spoiler">`.
 */
export function renderHtml({ text, entities }: FormattedText): string {
  const cuts = [...new Set([0, text.length, ...entities.flatMap((e) => [e.offset, e.offset + e.length])])];
  cuts.sort((a, b) => a - b);
  let html = '';
  let open: Entity[] = [];
  const close = (from: number) => {
    for (const entity of open.slice(from).reverse()) html += tagOf(entity, text).end;
    open = open.slice(0, from);
  };
  for (const [index, cut] of cuts.entries()) {
    const firstToEnd = open.findIndex((entity) => entity.offset + entity.length <= cut);
    const reopened =
      firstToEnd < 0 ? [] : open.slice(firstToEnd).filter((entity) => entity.offset + entity.length > cut);
    if (firstToEnd >= 0) close(firstToEnd);
    for (const entity of [...reopened, ...entities.filter(({ offset }) => offset === cut)]) {
      html += tagOf(entity, text).start;
      open.push(entity);
    }
    html += escapeHtml(text.slice(cut, cuts[index + 1] ?? cut));
  }
  return html;
}

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPED[character] ?? '');

const SIMPLE: Readonly<Record<string, string>> = {
  bold: 'b',
  italic: 'i',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
  blockquote: 'blockquote',
};

function tagOf(entity: Entity, text: string): { start: string; end: string } {
  const content = text.slice(entity.offset, entity.offset + entity.length);
  const simple = SIMPLE[entity.type];
  if (simple !== undefined) return { start: `<${simple}>`, end: `</${simple}>` };
  switch (entity.type) {
    case 'text_link':
      return link(entity.url ?? '');
    case 'url':
      return link(content);
    case 'spoiler':
      return { start: '<span class="spoiler">', end: '</span>' };
    case 'expandable_blockquote':
      return { start: '<blockquote class="expandable">', end: '</blockquote>' };
    case 'bot_command':
      return { start: `<span class="command" data-command="${escapeHtml(content)}">`, end: '</span>' };
    case 'pre':
      return entity.language === undefined
        ? { start: '<pre>', end: '</pre>' }
        : { start: `<pre><code class="language-${escapeHtml(entity.language)}">`, end: '</code></pre>' };
    case 'date_time':
      return {
        start: `<time data-unix="${entity.unix_time ?? 0}" data-format="${escapeHtml(entity.date_time_format ?? '')}">`,
        end: '</time>',
      };
    default:
      return { start: '', end: '' };
  }
}

function link(text: string): { start: string; end: string } {
  const read = readLink(text);
  if (!read.ok) return { start: '', end: '' };
  return {
    start: `<a href="${escapeHtml(read.url)}" target="_blank" rel="noopener noreferrer">`,
    end: '</a>',
  };
}
