import { inFours, keyTail } from '../formats.ts';
import { TAP } from '../taps.ts';
import type { Words } from '../texts.ts';
import { paragraphs, type View } from '../view.ts';
import { menuButton } from './menu.ts';

/** Whether the service's events of the account come to the bot; `none` where the bot has no public address. */
export type EventsState = 'on' | 'off' | 'none';

export interface AccountFacts {
  id: number;
  email: string;
  address: string;
  /** TRX, decimal. */
  balance: string;
  totp: boolean;
  tail: string;
  events: EventsState;
}

export function accountCard(words: Words, account: AccountFacts): View {
  const html = words.html('account-card', {
    account: String(account.id),
    email: account.email,
    balance: account.balance,
    tail: keyTail(account.tail),
    totp: account.totp ? 'on' : 'off',
    events: account.events,
    address: inFours(account.address),
  });
  const events = {
    on: [{ text: words.plain('button-events-off'), callback_data: TAP.eventsOff }],
    off: [{ text: words.plain('button-events-on'), callback_data: TAP.eventsOn }],
    none: [],
  }[account.events];
  const rows = [
    [{ text: words.plain('button-deposit'), callback_data: TAP.deposit }],
    events,
    [{ text: words.plain('button-unlink'), callback_data: TAP.unlink }],
    [menuButton(words)],
  ];
  return { html, keyboard: rows.filter((row) => row.length > 0) };
}

/** Without an account: what one is, and how to link it. */
export function linkInvitation(words: Words): View {
  const link = { text: words.plain('button-link'), callback_data: TAP.link, style: 'primary' as const };
  return { html: words.html('link-about'), keyboard: [[link], [menuButton(words)]] };
}

/** Asks for the key, under what was wrong with the last one. */
export function linkQuestion(words: Words, problem?: string): View {
  const cancel = { text: words.plain('button-cancel'), callback_data: TAP.linkCancel };
  return { html: problem ?? words.html('link-ask'), keyboard: [[cancel]] };
}

export function linkedNote(words: Words, account: { id: number; balance: string; tail: string }): string {
  return words.html('link-done', {
    tail: keyTail(account.tail),
    account: String(account.id),
    balance: account.balance,
  });
}

export function unlinkQuestion(words: Words, tail: string, events: boolean): View {
  const yes = {
    text: words.plain('button-unlink-yes'),
    callback_data: TAP.unlinkYes,
    style: 'danger' as const,
  };
  const back = { text: words.plain('button-back'), callback_data: TAP.account };
  const html = paragraphs(
    words.html('unlink-ask', { tail: keyTail(tail) }),
    events && words.html('unlink-events'),
  );
  return { html, keyboard: [[yes], [back]] };
}

export function eventsQuestion(words: Words): View {
  const later = words.plain('button-events-later');
  return {
    html: words.html('events-ask', { later }),
    keyboard: [
      [{ text: words.plain('button-events-allow'), callback_data: TAP.eventsOn }],
      [{ text: later, callback_data: TAP.eventsLater }],
    ],
  };
}

export function depositCard(words: Words, deposit: { address: string; rate: string }): View {
  return {
    html: words.html('deposit-card', { rate: deposit.rate, address: inFours(deposit.address) }),
    keyboard: [
      [{ text: words.plain('button-copy-deposit'), copy_text: { text: deposit.address } }],
      [menuButton(words)],
    ],
  };
}
