import type { InlineKeyboardButton } from 'grammy/types';
import { keyTail } from '../formats.ts';
import { TAP } from '../taps.ts';
import { LANGUAGES, type Words } from '../texts.ts';
import { inRows, paragraphs, type View } from '../view.ts';

/** The main menu. It shows only what works: an account's things to who has linked one. */
export function menu(words: Words, about: { tail?: string | undefined; lead?: string }): View {
  const buy: InlineKeyboardButton = {
    text: words.plain('button-buy'),
    callback_data: TAP.buy,
    style: 'primary',
  };
  const rest = [
    { text: words.plain('button-settings'), callback_data: TAP.settings },
    { text: words.plain('button-help'), callback_data: TAP.help },
  ];
  if (about.tail === undefined) {
    const link = { text: words.plain('button-link'), callback_data: TAP.link };
    return { html: about.lead ?? words.html('menu-guest'), keyboard: [[buy], [link], rest] };
  }
  const account = [
    { text: words.plain('button-account'), callback_data: TAP.account },
    { text: words.plain('button-deposit'), callback_data: TAP.deposit },
  ];
  const html = about.lead ?? words.html('menu-linked', { tail: keyTail(about.tail) });
  return { html, keyboard: [[buy], account, rest] };
}

export function help(words: Words, supportUrl: string | undefined): View {
  return {
    html: paragraphs(words.html('help'), supportUrl && words.html('help-support', { url: supportUrl })),
    keyboard: [[menuButton(words)]],
  };
}

export function settings(words: Words): View {
  const others = LANGUAGES.filter((language) => language !== words.language);
  const choices = others.map((language) => ({
    text: words.plain(`language-${language}`),
    callback_data: TAP.language(language),
  }));
  return { html: words.html('settings-card'), keyboard: [...inRows(choices), [menuButton(words)]] };
}

/** A message alone, with the way back to the menu. */
export function notice(words: Words, html: string): View {
  return { html, keyboard: [[menuButton(words)]] };
}

export function menuButton(words: Words): InlineKeyboardButton {
  return { text: words.plain('button-menu'), callback_data: TAP.menu };
}
