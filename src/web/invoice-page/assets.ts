import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What stands within every page, and the policy by which a browser takes that and nothing else. */
export interface PageAssets {
  style: string;
  script: string;
  /** For `Content-Security-Policy`. */
  policy: string;
}

/** Reads the style sheets and the script, which lie beside this file. */
export function readPageAssets(): PageAssets {
  const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8').trim();
  const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const style = ['page.css', 'state.css', 'payment.css'].map(read).join('\n');
  const script = read('page.js');
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "connect-src 'self'",
    // The icon of its tab, which stands in the page too.
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { style, script, policy };
}
