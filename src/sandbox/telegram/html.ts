import { dateTimeFormat } from './date-time.ts';
import { type Entity, firstOf, inOrder } from './entities.ts';
import { cannotParse, readTokens, type Token } from './html-tokens.ts';
import { readLink } from './links.ts';

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
 * @throws Refusal "can't parse entities: …"
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
