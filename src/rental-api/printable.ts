/** Maximum length of the processed text. The rest is ignored. */
const LOOKED_AT = 10_000;

/**
 * Makes a text of the service safe to display: one line, without invisible characters and direction marks. Cuts it to `most`
 * characters, with an ellipsis.
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
