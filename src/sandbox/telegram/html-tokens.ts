import { decodeReferences } from './character-references.ts';
import { badRequest, type Refusal } from './refusal.ts';

export type Token =
  | { kind: 'text'; text: string }
  | { kind: 'start'; name: string; attributes: ReadonlyMap<string, string>; at: number }
  | { kind: 'end'; name: string; closed: boolean; at: number };

const TAGS = new Set(
  'b strong i em u ins s strike del code pre a span tg-spoiler tg-time tg-emoji blockquote'.split(' '),
);

export const cannotParse = (problem: string): Refusal => badRequest(`can't parse entities: ${problem}`);

/**
 * Yields the texts and tags of Telegram's HTML. `at` is a tag's byte offset, as in Telegram's error texts.
 * @throws Refusal for unknown or malformed start tags and attributes
 */
export function* readTokens(html: string): Generator<Token> {
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
