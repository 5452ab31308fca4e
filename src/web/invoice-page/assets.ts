import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Inline style and script of every page, and the content security policy that allows only them. */
export interface PageAssets {
  style: string;
  script: string;
  /** Value of `Content-Security-Policy`. */
  policy: string;
}

/** Reads the style sheets and the script from this folder. */
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
    // For the tab icon, which is a data URL.
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { style, script, policy };
}
