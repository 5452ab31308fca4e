/*
 * Ends the process with one line if this Node is older than package.json asks for. Each program begins with this module
 * (bundle.ts), because older versions can't load its bundle. Plain JavaScript without packages, as in start.js.
 */
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const [, needed = ''] = /^>=(\d+\.\d+)/.exec(engines.node) ?? [];
const present = process.versions.node;
if (needed.localeCompare(present, 'en', { numeric: true }) > 0) {
  process.stderr.write(`The bot needs Node ${needed} or later. This is Node ${present}.\n`);
  process.exit(1);
}
