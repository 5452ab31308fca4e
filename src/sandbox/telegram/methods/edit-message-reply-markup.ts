import { readKeyboard } from '../keyboard.ts';
import { editedMessage } from './fields.ts';
import { method } from './method.ts';
import { edit } from './sending.ts';

export const editMessageReplyMarkup = method('editMessageReplyMarkup', editedMessage, (params, world) => {
  const keyboard = readKeyboard(params.reply_markup, true);
  return edit(world, params, ({ text, entities, media, kind }) => ({
    text,
    entities,
    media,
    kind,
    keyboard,
  }));
});
