import type { InlineKeyboardButton } from 'grammy/types';
import { expect } from 'vitest';
import { htmlToPlainText } from '../../src/i18n/texts.ts';
import { displayWidth } from '../../src/views/tables.ts';
import type { View } from '../../src/views/view.ts';

/**
 * Expects the view to meet the limits of the Bot API (https://core.telegram.org/bots/api#sendmessage, #sendphoto,
 * #inlinekeyboardbutton).
 */
export function expectWithinLimits({ html, keyboard, photo }: View): void {
  const text = html.replace(/<[^>]+>/g, '').replace(/&#?\w+;/g, '.');
  expect(text.trim()).not.toBe('');
  expect(text.length).toBeLessThanOrEqual(photo ? 1024 : 4096);
  for (const row of keyboard) {
    expect(row.length).toBeGreaterThan(0);
    expect(row.length).toBeLessThanOrEqual(8);
  }
  for (const button of keyboard.flat()) {
    expect(button.text.trim()).not.toBe('');
    expect([...button.text].length).toBeLessThanOrEqual(64);
    const kinds = ['callback_data', 'url', 'copy_text'].filter((kind) => kind in button);
    expect(kinds).toHaveLength(1);
    if ('callback_data' in button) {
      expect(button.callback_data).not.toBe('');
      expect(Buffer.byteLength(button.callback_data)).toBeLessThanOrEqual(64);
    }
    if ('copy_text' in button) {
      expect(button.copy_text.text).not.toBe('');
      expect(button.copy_text.text.length).toBeLessThanOrEqual(256);
    }
  }
}

/** Returns the lines of a view's only table as they are shown, with common blanks. Expects at most 34 characters a line. */
export function tableOf({ html }: View): string[] {
  const tables = html.match(/<pre>[^<>]*<\/pre>/g) ?? [];
  expect(tables).toHaveLength(1);
  const lines = htmlToPlainText(tables.join()).replaceAll('\u00a0', ' ').split('\n');
  for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(34);
  return lines;
}

/** Returns the rows of *Movements* as they are shown, each in one line, with common blanks. */
export function movementsOf({ html }: View): string[] {
  const [, ...blocks] = htmlToPlainText(html).replaceAll('\u00a0', ' ').split('\n\n');
  const end = blocks.findIndex((block) => /^(Balance|Баланс): /.test(block));
  return blocks.slice(0, end).map((row) => row.replace('\n', ' / '));
}

/** Returns the data of a view's buttons by label. */
export function buttonsOf({ keyboard }: View): Record<string, string> {
  return Object.fromEntries(
    keyboard.flat().map((button) => {
      if ('callback_data' in button) return [button.text, button.callback_data];
      return [button.text, 'copy_text' in button ? button.copy_text.text : ''];
    }),
  );
}

/** Returns the button of a view with this callback data, or `undefined`. */
export function buttonWith({ keyboard }: View, data: string): InlineKeyboardButton | undefined {
  return keyboard.flat().find((one) => 'callback_data' in one && one.callback_data === data);
}
