/** Returns an invoice's token from a link (https://core.telegram.org/bots/features#deep-linking). */
export function startPayload(text: string): string | undefined {
  return /^\/start(?:@\w+)? invoice-(\S*)$/.exec(text)?.[1];
}

/**
 * Parses the `start` parameter of a link to the bot: `buy-65000-1h` has the name `buy` and the text `65000 1h`. The text
 * never contains an address, which the author of the link would have chosen.
 */
export function readStartLink(payload: string): { name: string; text: string } | undefined {
  const [, name, text = ''] = /^([a-z]+)((?:-\d[0-9a-z]{0,8}){0,4})$/i.exec(payload) ?? [];
  return name === undefined
    ? undefined
    : { name: name.toLowerCase(), text: text.replaceAll('-', ' ').trim() };
}
