/** Maximum length of a link, in UTF-16 units. */
const MAX_LINK_LENGTH = 4096;

type Link = { ok: true; url: string } | { ok: false; problem: string };

/**
 * Parses a link of a button or a text as Telegram does. Allows http, https, tg and ton; the default protocol is http.
 * A host needs a dot, as with Telegram: `localhost` is invalid, `127.0.0.1` is valid.
 */
export function readLink(text: string): Link {
  if (text.length > MAX_LINK_LENGTH) return { ok: false, problem: 'URL is too long' };
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, problem: 'URL host is empty' };
  const protocol = /^([a-z][a-z0-9+.-]*):/i.exec(trimmed)?.[1]?.toLowerCase();
  const isHostAndPort = /^[a-z0-9.-]+:\d+(?:[/?#]|$)/i.test(trimmed);
  const whole = protocol === undefined || isHostAndPort ? `http://${trimmed}` : trimmed;
  if (!URL.canParse(whole)) return { ok: false, problem: 'Wrong HTTP URL' };
  const url = new URL(whole);
  if (url.protocol === 'tg:' || url.protocol === 'ton:') return { ok: true, url: url.href };
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { ok: false, problem: 'Unsupported URL protocol' };
  }
  return url.hostname.includes('.') || url.hostname.startsWith('[')
    ? { ok: true, url: url.href }
    : { ok: false, problem: 'Wrong HTTP URL' };
}
