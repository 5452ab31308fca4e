import { badRequest } from '../refusal.ts';
import { flag, text } from './fields.ts';
import { method } from './method.ts';

/** Bot API method `answerCallbackQuery`. Refuses a second answer to the same tap. */
export const answerCallbackQuery = method(
  'answerCallbackQuery',
  { callback_query_id: text.default(''), text: text.default(''), show_alert: flag.default(false) },
  ({ callback_query_id, text, show_alert }, { callbacks, feed }) => {
    if (text.length > 200) throw badRequest('MESSAGE_TOO_LONG');
    const chatId = callbacks.answer(callback_query_id);
    feed.tell(chatId, 'toast', {
      callback_id: callback_query_id,
      ...(text !== '' && { text }),
      alert: show_alert,
    });
    return true;
  },
);
