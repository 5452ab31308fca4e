import { dateTime } from './date-time.js';
import { element } from './element.js';

const TAGS = new Set(['B', 'BLOCKQUOTE', 'CODE', 'I', 'PRE', 'S', 'U']);
const BLOCKS = new Set(['BLOCKQUOTE', 'PRE']);
const LINKS = /^(?:https?|tg|ton):/i;

/**
 * Converts a message's HTML to nodes. Keeps known tags and the URL of links. Replaces unknown tags by their content.
 * @param {string} html
 * @param {{ language: string, now: () => number }} reader language and time for rendering times
 */
export function richText(html, reader) {
  const template = document.createElement('template');
  template.innerHTML = html;
  return cleaned(template.content, reader);
}

function cleaned(parent, reader) {
  const clean = document.createDocumentFragment();
  for (const node of parent.childNodes) {
    if (node.nodeType === Node.TEXT_NODE)
      clean.append(afterBlock(node) ? node.data.replace(/^\n/, '') : node.data);
    else if (node.nodeType === Node.ELEMENT_NODE) clean.append(cleanedElement(node, reader));
  }
  return clean;
}

/** Returns whether a block precedes the node. A line break after a block would be an empty line. */
const afterBlock = (node) => BLOCKS.has(node.previousSibling?.nodeName);

function cleanedElement(node, reader) {
  const inside = cleaned(node, reader);
  if (TAGS.has(node.tagName)) return element(node.tagName, {}, inside);
  if (node.tagName === 'A') return link(node.getAttribute('href') ?? '', inside);
  if (node.tagName === 'TIME') return dateTime(node.dataset, node.textContent, reader);
  if (node.classList.contains('command')) return element('a', { href: '#', class: 'said' }, inside);
  if (node.classList.contains('spoiler')) return element('span', { class: 'spoiler', tabindex: '0' }, inside);
  return inside;
}

function link(href, inside) {
  if (!LINKS.test(href)) return inside;
  return element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, inside);
}
