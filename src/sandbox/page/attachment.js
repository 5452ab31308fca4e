import { element, icon } from './element.js';

/** Renders the photo, video or document of a message. Returns undefined if it has none. */
export function attachment({ photo, video, document }) {
  if (photo) return element('img', { class: 'photo', src: photo.url, alt: 'Photo' });
  if (video) {
    return element('video', {
      ...{ class: 'photo', src: video.url, 'aria-label': 'Video', controls: true, preload: 'metadata' },
      ...(video.width > 0 && { width: video.width, height: video.height }),
    });
  }
  if (!document) return undefined;
  return element(
    'a',
    { class: 'document', href: document.url, download: document.name },
    element('span', { class: 'document-sign' }, icon('file')),
    element(
      'span',
      { class: 'document-words' },
      element('span', { class: 'document-name', text: document.name }),
      ' ',
      element('span', { class: 'document-size', text: `${sizeOf(document.size)} · Download` }),
    ),
  );
}

/** Formats a size like Telegram's clients: `512 B`, `1.5 KB`, `2 MB`. */
export function sizeOf(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  const [size, unit] = bytes < 1024 ** 2 ? [bytes / 1024, 'KB'] : [bytes / 1024 ** 2, 'MB'];
  return `${Number(size.toFixed(1))} ${unit}`;
}
