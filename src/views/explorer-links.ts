import { escapeHtml, type Words } from '../i18n/texts.ts';

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

/** Renders links to the transactions of a list, labelled with the names of its entries, as far as they are known. */
export function transactionLinks(
  words: Words,
  entries: readonly { name: string; transaction?: string | undefined }[],
): string | undefined {
  const links = entries.flatMap(({ name, transaction }) => {
    const url = transaction === undefined ? undefined : words.explorerUrl('transaction', transaction);
    return url === undefined ? [] : [`<a href="${escapeHtml(url)}">${name}</a>`];
  });
  return links.length > 0 ? `${words.html('explorer-transactions')} ${links.join(' · ')}` : undefined;
}
