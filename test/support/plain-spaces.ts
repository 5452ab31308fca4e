/** Replaces no-break spaces, so that assertions contain ordinary ones. */
export const withPlainSpaces = (text: string): string => text.replaceAll('\u00a0', ' ');
