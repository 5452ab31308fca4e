import { describe, expect, it, test } from 'vitest';
import { parseHtml, renderHtml } from '../../../src/sandbox/telegram/html.ts';
import { badRequest, useTelegram } from './telegram-server.ts';

const { call, messages, send, write } = useTelegram();

const sendHtml = async (text: string) => {
  await write('/start');
  const answer = await call('sendMessage', { chat_id: 501, text, parse_mode: 'HTML' });
  return { ...answer, view: (await messages())[1] };
};

describe('a text in HTML', () => {
  it.each([
    ['a < b', 'Unsupported start tag "" at byte offset 2'],
    ['1 <2', 'Unclosed start tag at byte offset 2'],
    ['🏟 🏟&lt;<abac aba>', 'Unsupported start tag "abac" at byte offset 13'],
    ['<script>alert(1)</script>', 'Unsupported start tag "script" at byte offset 0'],
    ['line<br>line', 'Unsupported start tag "br" at byte offset 4'],
    ['<b>unclosed', 'Can\'t find end tag corresponding to start tag "b"'],
    ['<b><i>test</b></i>', 'Unmatched end tag at byte offset 10, expected "</i>", found "</b>"'],
    ['x</b>', 'Unexpected end tag at byte offset 1'],
    ['<b>x</b', 'Unclosed end tag at byte offset 4'],
    ['<i =aba>x</i>', 'Empty attribute name in the tag "i" at byte offset 0'],
    ['<i aba>x</i>', 'Expected equal sign in declaration of an attribute of the tag "i" at byte offset 0'],
    ['<a href', 'Unclosed start tag "a" at byte offset 0'],
    ['<a href="x', 'Unclosed start tag at byte offset 0'],
    ['<a href=x/>y</a>', 'Unexpected end of name token at byte offset 8'],
    ['<span>x</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
    ['<tg-emoji emoji-id="x">y</tg-emoji>', 'Invalid custom emoji identifier specified'],
    [
      '&#57311;',
      'Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units',
    ],
  ])('is rejected when it is %j', async (text, problem) => {
    expect(await sendHtml(text)).toMatchObject({
      status: 400,
      description: `Bad Request: can't parse entities: ${problem}`,
    });
  });

  it.each([
    ['<strong>a</strong><EM>b</EM>', 'ab', 'bold 0 1, italic 1 1'],
    ['🏟<u>🏟</u><ins>b</ins>', '🏟🏟b', 'underline 2 2, underline 4 1'],
    [
      '<s>a</s><strike>b</strike><del>c</del>',
      'abc',
      'strikethrough 0 1, strikethrough 1 1, strikethrough 2 1',
    ],
    ['<span class="tg-spoiler">a</span><tg-spoiler>b</tg-spoiler>', 'ab', 'spoiler 0 1, spoiler 1 1'],
    ['<b>a <i>b</i></b>', 'a b', 'bold 0 3, italic 2 1'],
    ['<b>to <code>T1</code> now</b>', 'to T1 now', 'bold 0 3, code 3 2, bold 5 4'],
    [
      '<blockquote>a</blockquote><blockquote expandable>b</blockquote>',
      'ab',
      'blockquote 0 1, expandable_blockquote 1 1',
    ],
    ['<i>a</ >', 'a', 'italic 0 1'],
    ['<b></b>a', 'a', ''],
    ['<a>no link</a>', 'no link', ''],
    ['&lt;&gt;&amp;&quot;&laquo;&#65;&#x42;&lt', '<>&"&laquo;AB<', ''],
    ['  <b>a</b> b \n', 'a b', 'bold 0 1'],
  ])('is parsed like by Telegram: %j', async (html, text, entities) => {
    const { result } = await sendHtml(html);
    expect(result?.text).toBe(text);
    const found = (result?.entities ?? []) as { type: string; offset: number; length: number }[];
    expect(found.map(({ type, offset, length }) => `${type} ${offset} ${length}`).join(', ')).toBe(entities);
  });

  it('keeps links, languages and dates', async () => {
    const { result } = await sendHtml(
      '<a href="https://example.com/?a=1&amp;b=2">a</a><pre><code class="language-ts">b</code></pre><tg-time unix="1647531900" format="wDT">c</tg-time>',
    );
    expect(result?.entities).toEqual([
      { type: 'text_link', offset: 0, length: 1, url: 'https://example.com/?a=1&b=2' },
      { type: 'pre', offset: 1, length: 1, language: 'ts' },
      { type: 'date_time', offset: 2, length: 1, unix_time: 1647531900, date_time_format: 'wDT' },
    ]);
  });

  it.each([
    ['wDT', 'wDT'],
    ['TDW', 'wDT'],
    ['dDtT', 'dt'],
    ['R', 'r'],
    ['', ''],
  ])('keeps the date format %j as %j', async (given, kept) => {
    const { result } = await sendHtml(`<tg-time unix="1647531900" format="${given}">soon</tg-time>`);
    expect(result?.entities).toMatchObject([{ type: 'date_time', date_time_format: kept }]);
  });

  it.each(['', 'unix="0"', 'unix="-5"', 'unix="soon"'])('ignores the invalid date %j', async (unix) => {
    const { result } = await sendHtml(`until <tg-time ${unix} format="t">noon</tg-time>`);
    expect(result?.text).toBe('until noon');
    expect(result).not.toHaveProperty('entities');
  });

  it.each(['rt', 'x', 'w d'])('is rejected with the date format %j', async (format) => {
    const { description } = await sendHtml(`<tg-time unix="1647531900" format="${format}">noon</tg-time>`);
    expect(description).toBe("Bad Request: can't parse entities: Invalid date format used");
  });

  it('is shown with its formats, escaped, and with line breaks', async () => {
    const { view } = await sendHtml(
      '<b>5 &lt; 6</b>\n<code>"T1"</code> <a href="https://example.com/?a=1&amp;b=2">link</a> /help',
    );
    expect(view?.html).toBe(
      '<b>5 &lt; 6</b>\n<code>&quot;T1&quot;</code> ' +
        '<a href="https://example.com/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">link</a> ' +
        '<span class="command" data-command="/help">/help</span>',
    );
  });
});

describe('a text with given entities', () => {
  const given = async (entities: unknown, text = 'hello') => {
    await write('/start');
    const answer = await call('sendMessage', { chat_id: 501, text, entities });
    return { ...answer, view: (await messages())[1] };
  };

  const at = { offset: 0, length: 1 };
  const link = { ...at, type: 'text_link' };
  const date = { ...at, type: 'date_time' };
  it.each([
    [{ ...at, type: 'bold', offset: 100 }, /^entity begins after the end of the text at UTF-16 offset 100$/],
    [
      { ...at, type: 'bold', length: 100 },
      /^entity beginning at UTF-16 offset 0 ends after the end .* offset 100$/,
    ],
    [{ ...at, type: 'bold', offset: -1 }, /^receive an entity with incorrect offset -1$/],
    [{ ...at, type: 'shout' }, /^can't parse MessageEntity: Unsupported type specified$/],
    [link, /^can't parse MessageEntity: Can't find field "url"$/],
    [
      { ...link, url: 'javascript:alert(1)' },
      /^entity URL 'javascript:.*' is invalid: Unsupported URL protocol$/,
    ],
    [{ ...link, url: 'not-a-url' }, /^entity URL 'not-a-url' is invalid: Wrong HTTP URL$/],
    [date, /^can't parse MessageEntity: Can't find field "unix_time"$/],
    [
      { ...date, unix_time: 1, date_time_format: 'rt' },
      /^can't parse .*: Invalid date-time format specified$/,
    ],
    [{ ...date, unix_time: 0 }, /^invalid date specified$/],
  ])('is rejected with %j', async (entity, problem) => {
    const answer = await given([entity]);
    expect(answer).toMatchObject({ status: 400, description: expect.stringMatching(/^Bad Request: /) });
    expect(answer.description?.replace('Bad Request: ', '')).toMatch(problem);
  });

  it('is rejected unless they are a list', async () => {
    const problem = "can't parse MessageEntity: expected an Array of MessageEntity";
    expect(await given('bold')).toMatchObject(badRequest(problem));
  });

  it('is rejected if an entity splits a character', async () => {
    expect(await given([{ type: 'bold', offset: 1, length: 1 }], '🏟')).toMatchObject(
      badRequest('entity begins in a middle of a UTF-16 symbol at 1'),
    );
  });

  it('is shown well-formed if entities overlap', async () => {
    const { view } = await given([
      { type: 'bold', offset: 0, length: 3 },
      { type: 'italic', offset: 2, length: 3 },
    ]);
    expect(view?.html).toBe('<b>he<i>l</i></b><i>lo</i>');
  });

  it('shows no dangerous link', async () => {
    const text = 'javascript:alert(1)';
    const { view } = await given([{ type: 'url', offset: 0, length: text.length }], text);
    expect(view?.html).toBe(text);
  });
});

describe('the limits of a text', () => {
  it.each([
    ['sendMessage', {}, 'message text is empty'],
    ['sendMessage', { text: '' }, 'message text is empty'],
    ['sendMessage', { text: ' \n ' }, 'text must be non-empty'],
    ['sendMessage', { text: '<b> </b>', parse_mode: 'HTML' }, 'text must be non-empty'],
    ['sendMessage', { text: 'x'.repeat(4097) }, 'message is too long'],
    ['editMessageText', { text: 'x'.repeat(4097) }, 'MESSAGE_TOO_LONG'],
    ['editMessageText', { text: '' }, 'message text is empty'],
    ['sendMessage', { text: 'x', parse_mode: 'BBCode' }, 'unsupported parse_mode'],
    ['sendPhoto', { caption: 'x'.repeat(1025) }, 'message caption is too long'],
    ['editMessageCaption', { caption: 'x'.repeat(1025) }, 'MEDIA_CAPTION_TOO_LONG'],
    ['answerCallbackQuery', { callback_query_id: '1', text: 'x'.repeat(201) }, 'MESSAGE_TOO_LONG'],
  ])('%s is rejected if too long or empty (case %#)', async (method, params, problem) => {
    const message_id = await send();
    expect(await call(method, { chat_id: 501, message_id, ...params })).toMatchObject(badRequest(problem));
  });

  it('are at most 64 kilobytes including tags', async () => {
    const text = '<b></b>'.repeat(10_000);
    expect(await sendHtml(`${text}x`)).toMatchObject(badRequest('message is too long'));
    expect(await sendHtml(`${text.slice(0, 63_000)}x`)).toMatchObject({ status: 200 });
  });

  it('keep the first hundred formats', async () => {
    const { view } = await sendHtml('<b>a</b>b'.repeat(150));
    expect(String(view?.html).match(/<b>/g)).toHaveLength(100);
  });

  it('are 4096 characters without formats', async () => {
    const { status } = await sendHtml(`<b>${'x'.repeat(4090)}</b>${'&amp;'.repeat(6)}`);
    expect(status).toBe(200);
  });
});

/** Length in characters. Parsing in quadratic time would take minutes. */
const LONG = 100_000;
const nested = (tag: string) => {
  const times = LONG / (2 * tag.length + 5);
  return `${`<${tag}>`.repeat(times)}x${`</${tag}>`.repeat(times)}`;
};

test.each([
  ['formats', '<b>x</b>'.repeat(LONG / 8)],
  ['formats in formats', nested('b')],
  ['code in code', nested('code')],
  ['links in links', nested('a')],
  ['code with a language', '<pre><code class="language-x">x</code></pre>'.repeat(LONG / 44)],
  ['quotations', '<blockquote>x</blockquote>'.repeat(LONG / 26)],
  ['references', '&amp;'.repeat(LONG / 5)],
  ['incomplete references', '&'.repeat(LONG)],
  ['attributes', `<b ${'a="" '.repeat(LONG / 5)}>x</b>`],
])('parses and shows 100 kB of %s', (_what, html) => {
  expect(renderHtml(parseHtml(html))).not.toBe('');
});

test.each([
  ['incomplete tags', '<'.repeat(LONG)],
  ['spaces in a tag', `<b${' '.repeat(LONG)}`],
  ['an unterminated value', `<b a="${"'".repeat(LONG)}`],
  ['unclosed tags', '<b>'.repeat(LONG / 3)],
  ['ends', `${'<b>x</b>'.repeat(LONG / 8)}</b>`],
])('rejects 100 kB of %s', (_what, html) => {
  expect(() => parseHtml(html)).toThrow("can't parse entities");
});

const sendWith = async (reply_markup: unknown) => {
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

  const UNREADABLE = "can't parse inline keyboard button: ";
  const NO_ACTION = `${UNREADABLE}Text buttons are unallowed in the inline keyboard`;
  const TWO_ACTIONS = `${UNREADABLE}exactly one action is needed, not url and callback_data`;
  const PROTOCOL = "inline keyboard button URL 'ftp://example.com' is invalid: Unsupported URL protocol";
  const APP = 'inline keyboard button Web App URL';
  const wrong = (url: string) => `inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`;
  it.each([
    [{ text: 'a', callback_data: 'x'.repeat(65) }, 'BUTTON_DATA_INVALID'],
    [{ text: 'a', callback_data: 'я'.repeat(33) }, 'BUTTON_DATA_INVALID'],
    [{ text: 'a', callback_data: '' }, NO_ACTION],
    [{ text: 'a' }, NO_ACTION],
    [{ text: 'a', callback_data: 'a', url: 'https://example.com' }, TWO_ACTIONS],
    [{ callback_data: 'a' }, `${UNREADABLE}Can't find field "text"`],
    [{ text: 1, callback_data: 'a' }, `${UNREADABLE}Field "text" has a wrong type`],
    ['button', `${UNREADABLE}InlineKeyboardButton must be an Object`],
    [{ text: ' ', callback_data: 'a' }, 'inline keyboard button text must be non-empty'],
    [{ text: 'a', url: 'not-a-url' }, wrong('not-a-url')],
    [{ text: 'a', url: 'http://localhost:8080/' }, wrong('http://localhost:8080/')],
    [{ text: 'a', url: 'ftp://example.com' }, PROTOCOL],
    [{ text: 'a', copy_text: { text: '' } }, 'BUTTON_COPY_TEXT_INVALID'],
    [{ text: 'a', copy_text: { text: 'c'.repeat(257) } }, 'BUTTON_COPY_TEXT_INVALID'],
    [{ text: 'a', callback_data: 'a', style: 'warning' }, 'BUTTON_STYLE_INVALID'],
    [
      { text: 'a', web_app: { url: 'http://a.b' } },
      `${APP} 'http://a.b' is invalid: Only HTTPS links are allowed`,
    ],
    [{ text: 'a', pay: true }, 'BUTTON_TYPE_INVALID'],
  ])('is rejected with the button %j', async (button, problem) => {
    expect(await sendButton(button)).toMatchObject(badRequest(problem));
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
    expect(await sendWith(markup)).toMatchObject(badRequest(problem));
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
