/** More than this of a text isn't even looked at. */
const LOOKED_AT = 10_000;

/**
 * What the service says, made fit to be shown: in one line, without characters that nobody sees or that turn the
 * direction of writing, and of at most `most` characters, an ellipsis for what is left out.
 */
export function printable(text: string, most: number): string {
  const characters = [
    ...text
      .slice(0, LOOKED_AT)
      .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
      .trim(),
  ];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : characters.join('');
}
