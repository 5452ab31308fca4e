const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

/** Decodes a character reference at the beginning of `text`. Telegram supports four named and all numeric references. */
function readCharacterReference(text: string): { character: string; length: number } | undefined {
  const [whole, hex, decimal, name] =
    /^&(?:#[xX]([0-9a-fA-F]{1,8})|#([0-9]{1,10})|(lt|gt|amp|quot));?/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  if (name !== undefined) return { character: NAMED[name] ?? '', length: whole.length };
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  if (code === 0 || code > 0x10ffff) return undefined;
  return { character: String.fromCodePoint(code), length: whole.length };
}

/** Replaces every character reference in a text. */
export function decodeReferences(text: string): string {
  let decoded = '';
  for (let at = 0; at < text.length; ) {
    const reference = text.charAt(at) === '&' ? readCharacterReference(text.slice(at, at + 16)) : undefined;
    decoded += reference?.character ?? text.charAt(at);
    at += reference?.length ?? 1;
  }
  return decoded;
}
