import { attachment } from './attachment.js';
import { element, icon } from './element.js';
import { keyboard } from './keyboard.js';
import { richText } from './rich-text.js';
import { timeOfDay } from './time.js';

/* Labels of kinds without simulated content. */
const KINDS = {
  sticker: 'Sticker',
  voice: 'Voice message',
  animation: 'GIF',
  location: 'Location',
  poll: 'Poll',
};

/**
 * Renders a message like Telegram.
 * @param {object} message as sent by the sandbox
 * @param {{ mine: boolean, name: string, language: string, now: () => number, quote?: { line: string, show: () => void }, press: Function, remove: (id: number) => void }} reader
 *   whether the user wrote it, its author's name, the user's language and time, the quote of the message it replies to, and
 *   the user's actions
 */
export function renderMessage(message, { mine, name, language, now, quote, press, remove }) {
  const sent = message.date * 1000;
  const time = timeOfDay(sent);
  return element(
    'article',
    { class: mine ? 'message mine' : 'message theirs', 'aria-label': `${name}, ${time}`, tabindex: '-1' },
    element(
      'div',
      { class: message.photo || message.video ? 'bubble with-photo' : 'bubble' },
      message.forwarded_from &&
        element('p', { class: 'forwarded', text: `Forwarded from ${message.forwarded_from}` }),
      quote && replied(quote),
      attachment(message),
      message.html
        ? element('div', { class: 'text', dir: 'auto' }, richText(message.html, { language, now }))
        : undefined,
      message.kind && element('em', { class: 'kind', text: KINDS[message.kind] }),
      ' ',
      element('time', { class: 'sent', datetime: new Date(sent).toISOString(), text: time }),
      mine ? removal(() => remove(message.message_id)) : undefined,
    ),
    message.keyboard?.length
      ? keyboard(message.keyboard, (button, pressed) => press(message, button, pressed))
      : undefined,
  );
}

function replied({ line, show }) {
  return element('button', { type: 'button', class: 'quote', title: 'Show it', onclick: show, text: line });
}

function removal(remove) {
  const attributes = {
    type: 'button',
    class: 'remove',
    'aria-label': 'Delete',
    title: 'Delete',
    onclick: remove,
  };
  return element('button', attributes, icon('bin'));
}
