import type { Words } from '../i18n/texts.ts';

/** Renders links to an address and a transaction in the blockchain explorer, as far as they are known. */
export function explorerLinks(
  words: Words,
  { address, transaction }: { address?: string; transaction?: string | undefined },
): string | undefined {
  const links = [
    [address && words.explorerUrl('address', address), 'explorer-address'],
    [transaction && words.explorerUrl('transaction', transaction), 'explorer-transaction'],
  ] as const;
  const shown = links.flatMap(([url, key]) => (url ? words.html(key, { url }) : []));
  return shown.length > 0 ? `🔎 ${shown.join(' · ')}` : undefined;
}
