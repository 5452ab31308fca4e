import type { Content } from '../broadcasts/broadcast.ts';
import { printable } from '../rental-api/printable.ts';

export const MOST_BUTTONS = 8;
export const LABEL_LENGTH = 64;
/** Matches a label, a dash or a vertical bar, and a URL of any scheme. */
const LINE = /^(.*?)\s*[-–—|]\s*([a-z]+:\/\/\S*)$/iu;

type Buttons = Content['buttons'];
/** Problem of the entered buttons, with the line that contains it. */
export type ButtonsProblem = { why: 'form' | 'label' | 'address'; line: string } | { why: 'many' | 'none' };

/** Parses link buttons, one per line: `Label - https://address`. */
export function readButtons(text: string): { buttons: Buttons } | { problem: ButtonsProblem } {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) return { problem: { why: 'none' } };
  if (lines.length > MOST_BUTTONS) return { problem: { why: 'many' } };
  const buttons: Buttons = [];
  for (const line of lines) {
    const read = readLine(line);
    if (typeof read === 'string') return { problem: { why: read, line } };
    buttons.push(read);
  }
  return { buttons };
}

function readLine(line: string): Buttons[number] | 'form' | 'label' | 'address' {
  const [, label, address] = LINE.exec(line) ?? [];
  if (label === undefined || address === undefined) return 'form';
  const text = printable(label, LABEL_LENGTH + 1);
  if (text === '' || [...text].length > LABEL_LENGTH) return 'label';
  if (!URL.canParse(address)) return 'address';
  const { protocol, username, password, href } = new URL(address);
  // Uses the parsed form: other parsers could read a different address in the original text.
  return protocol === 'https:' && username === '' && password === '' ? { text, url: href } : 'address';
}
