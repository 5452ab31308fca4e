import type { Entity } from './entities.ts';
import type { FormattedText } from './html.ts';
import { readLink } from './links.ts';

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
