const WEB = ['t.me', 'telegram.me'];
/** https://core.telegram.org/bots/features#deep-linking */
const PAYLOAD = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Classifies a URL like Telegram's clients: `start` starts this bot with a payload, `bot` opens its chat, `share` shares a link
 * (https://core.telegram.org/api/links#share-links). All other URLs are `elsewhere`.
 * @returns {{ kind: 'start', payload: string } | { kind: 'bot' } | { kind: 'share', url: string, text: string } | { kind: 'elsewhere' }}
 */
export function linkTarget(address, username) {
  const { name, query } = telegramLink(address);
  if (['share', 'share/url', 'msg_url'].includes(name) && query.get('url')) {
    return { kind: 'share', url: query.get('url'), text: query.get('text') ?? '' };
  }
  if (name?.toLowerCase() !== username.toLowerCase()) return { kind: 'elsewhere' };
  const payload = query.get('start') ?? '';
  return PAYLOAD.test(payload) ? { kind: 'start', payload } : { kind: 'bot' };
}

/** Returns the name (such as a username) and the query of a Telegram link, or an empty object for other URLs. */
function telegramLink(address) {
  if (!URL.canParse(address)) return {};
  const { protocol, hostname, pathname, searchParams: query } = new URL(address);
  if (/^https?:$/.test(protocol) && WEB.includes(hostname)) {
    return { name: pathname.replace(/^\/|\/$/g, ''), query };
  }
  if (protocol !== 'tg:') return {};
  return { name: hostname === 'resolve' ? query.get('domain') : hostname, query };
}
