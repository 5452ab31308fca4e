import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { formatVersion, readVersion } from '../../src/platform/version.ts';
import { temporaryFile } from '../support/temporary-file.ts';

const ID = '85f32eed0123456789abcdef0123456789abcdef';
const BRANCH = 'ref: refs/heads/main\n';

test.each<[state: string, files: Record<string, string>, shown: string]>([
  ['a branch', { HEAD: BRANCH, 'refs/heads/main': `${ID}\n` }, '1.2.3 (85f32eed)'],
  [
    'a packed branch',
    { HEAD: BRANCH, 'packed-refs': `# pack-refs\n${ID} refs/heads/main\n` },
    '1.2.3 (85f32eed)',
  ],
  ['a commit', { HEAD: `${ID}\n` }, '1.2.3 (85f32eed)'],
  ['no repository', {}, '1.2.3'],
])('the version names the commit of %s', (_, files, shown) => {
  const root = temporaryFile('bot');
  const all = { 'package.json': '{"version":"1.2.3"}', ...files };
  for (const [name, content] of Object.entries(all)) {
    const path = name === 'package.json' ? join(root, name) : join(root, '.git', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  expect(formatVersion(readVersion(pathToFileURL(`${root}/`)))).toBe(shown);
});

test.each([undefined, '', '{"name":"bot"}'])('the version needs package.json, and not as %j', (content) => {
  const root = temporaryFile('bot');
  mkdirSync(root, { recursive: true });
  if (content !== undefined) writeFileSync(join(root, 'package.json'), content);
  expect(() => readVersion(pathToFileURL(`${root}/`))).toThrow(
    `package.json is missing or damaged in ${root}`,
  );
});
