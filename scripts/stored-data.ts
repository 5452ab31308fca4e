import { fileURLToPath } from 'node:url';
import type { StoredData } from '../src/platform/records.ts';
import { storedDataSections } from '../src/stored-data.ts';
import { writeGenerated } from './generated.ts';

const FILE = new URL('../docs/stored-data.md', import.meta.url);

/** Returns the Markdown tables of `docs/stored-data.md`, from the definitions of stored data. */
export function storedDataTables(): string {
  const sections = storedDataSections().map(({ title, data }) => `## ${title}\n\n${tableOf(data)}`);
  return sections.join('\n\n');
}

function tableOf(data: readonly StoredData[]): string {
  const rows = data.map(({ keys, content, expiry }) => `| \`${keys}\` | ${content} | ${expiry} |`);
  return ['| Key | Content | Expiry |', '|---|---|---|', ...rows].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeGenerated(FILE, 'stored-data', storedDataTables());
