import { LANGUAGES, type Words } from '../../texts/texts.ts';
import type { PageAssets } from './assets.ts';
import { TAB_ICON } from './icons.ts';

export interface PageParts {
  words: Words;
  /** HTML. */
  main: string;
  /** Data of the script, as HTML attributes of `main`. If omitted, the page has no script. */
  data?: string;
  /** Reload interval for browsers without scripts. */
  renewSeconds?: number;
}

/** Renders a whole page. Link previews are the same for all invoices and for invalid links. */
export function pageDocument(
  { style, script }: PageAssets,
  { words, main, data, renewSeconds }: PageParts,
): string {
  const [title, description] = [words.html('page-title'), words.html('page-description')];
  const renewal =
    renewSeconds === undefined
      ? ''
      : `<noscript><meta http-equiv="refresh" content="${renewSeconds}"></noscript>`;
  return `<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${title}</title>
<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<link rel="icon" href="${TAB_ICON}">
${renewal}
<style>${style}</style>
</head>
<body>
<header><p class="name">${title}</p>${languageSwitch(words)}</header>
<main${data === undefined ? '' : ` ${data}`}>
${main}
</main>
<footer><p>${words.html('page-safety')}</p>${renewal && `<noscript><p>${words.html('page-renews')}</p></noscript>`}</footer>
${data === undefined ? '' : scriptOf(words, script)}
</body>
</html>
`;
}

function languageSwitch(words: Words): string {
  const links = LANGUAGES.map((language) => {
    const current = language === words.language ? ' aria-current="true"' : '';
    const name = words.html(`language-${language}`);
    return `<a href="?lang=${language}" lang="${language}" hreflang="${language}"${current}>${name}</a>`;
  });
  return `<nav aria-label="${words.html('page-language')}">${links.join('')}</nav>`;
}

function scriptOf(words: Words, script: string): string {
  return `<p id="offline" role="status" hidden>${words.html('page-offline')}</p>
<p id="said" class="unseen" role="status"></p>
<script type="module">${script}</script>`;
}
