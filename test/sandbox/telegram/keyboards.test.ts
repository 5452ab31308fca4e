import { describe, expect, it } from 'vitest';
import { startTelegram } from './telegram-server.ts';

const sendWith = async (reply_markup: unknown) => {
  const { call, write, messages } = await startTelegram();
  await write('/start');
  const answer = await call('sendMessage', { chat_id: 501, text: 'x', reply_markup });
  return { ...answer, view: (await messages())[1] };
};
const sendButton = (button: unknown) => sendWith({ inline_keyboard: [[button]] });

describe('an inline keyboard', () => {
  it('is shown with the action of each button', async () => {
    const { view } = await sendWith({
      inline_keyboard: [
        [
          { text: 'Confirm', callback_data: 'x'.repeat(64), style: 'success' },
          { text: 'Cancel', callback_data: 'я'.repeat(32), style: 'danger' },
        ],
        [{ text: 'Site', url: 'example.com' }],
        [{ text: 'Copy', copy_text: { text: 'c'.repeat(256) }, style: 'primary' }],
        [{ text: 'Other', switch_inline_query_current_chat: 'q' }],
      ],
    });
    expect(view?.keyboard).toEqual([
      [
        { text: 'Confirm', kind: 'callback', data: 'x'.repeat(64), style: 'success' },
        { text: 'Cancel', kind: 'callback', data: 'я'.repeat(32), style: 'danger' },
      ],
      [{ text: 'Site', kind: 'url', url: 'http://example.com/' }],
      [{ text: 'Copy', kind: 'copy', copy: 'c'.repeat(256), style: 'primary' }],
      [{ text: 'Other', kind: 'other' }],
    ]);
  });

  it.each([
    [{ text: 'a', callback_data: 'x'.repeat(65) }, 'BUTTON_DATA_INVALID'],
    [{ text: 'a', callback_data: 'я'.repeat(33) }, 'BUTTON_DATA_INVALID'],
    [
      { text: 'a', callback_data: '' },
      "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
    ],
    [{ text: 'a' }, "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"],
    [
      { text: 'a', callback_data: 'a', url: 'https://example.com' },
      "can't parse inline keyboard button: exactly one action is needed, not url and callback_data",
    ],
    [{ callback_data: 'a' }, 'can\'t parse inline keyboard button: Can\'t find field "text"'],
    [{ text: 1, callback_data: 'a' }, 'can\'t parse inline keyboard button: Field "text" has a wrong type'],
    ['button', "can't parse inline keyboard button: InlineKeyboardButton must be an Object"],
    [{ text: ' ', callback_data: 'a' }, 'inline keyboard button text must be non-empty'],
    [{ text: 'a', url: 'not-a-url' }, "inline keyboard button URL 'not-a-url' is invalid: Wrong HTTP URL"],
    [
      { text: 'a', url: 'http://localhost:8080/' },
      "inline keyboard button URL 'http://localhost:8080/' is invalid: Wrong HTTP URL",
    ],
    [
      { text: 'a', url: 'ftp://example.com' },
      "inline keyboard button URL 'ftp://example.com' is invalid: Unsupported URL protocol",
    ],
    [{ text: 'a', copy_text: { text: '' } }, 'BUTTON_COPY_TEXT_INVALID'],
    [{ text: 'a', copy_text: { text: 'c'.repeat(257) } }, 'BUTTON_COPY_TEXT_INVALID'],
    [{ text: 'a', callback_data: 'a', style: 'warning' }, 'BUTTON_STYLE_INVALID'],
    [
      { text: 'a', web_app: { url: 'http://example.com' } },
      "inline keyboard button Web App URL 'http://example.com' is invalid: Only HTTPS links are allowed",
    ],
    [{ text: 'a', pay: true }, 'BUTTON_TYPE_INVALID'],
  ])('is rejected with the button %j', async (button, problem) => {
    expect(await sendButton(button)).toMatchObject({
      status: 400,
      description: `Bad Request: ${problem}`,
    });
  });

  it.each([
    [{ inline_keyboard: 'rows' }, 'field "inline_keyboard" must be of type Array'],
    [{ buttons: [] }, 'object expected as reply markup'],
    ['keyboard', 'object expected as reply markup'],
    [
      { inline_keyboard: Array.from({ length: 101 }, () => [{ text: 'a', callback_data: 'a' }]) },
      'REPLY_MARKUP_TOO_LONG',
    ],
  ])('is rejected as the markup %j', async (markup, problem) => {
    expect(await sendWith(markup)).toMatchObject({
      status: 400,
      description: `Bad Request: ${problem}`,
    });
  });

  it('may have 100 buttons, and links to this machine’s IP address', async () => {
    const rows = Array.from({ length: 100 }, () => [{ text: 'a', url: 'http://127.0.0.1:8080/pay' }]);
    expect((await sendWith({ inline_keyboard: rows })).status).toBe(200);
  });

  it.each([{ keyboard: [[{ text: 'a' }]] }, { remove_keyboard: true }, { force_reply: true }])(
    'may be another markup, %j, that is accepted but not shown',
    async (markup) => {
      const { status, result } = await sendWith(markup);
      expect(status).toBe(200);
      expect(result).not.toHaveProperty('reply_markup');
    },
  );
});
