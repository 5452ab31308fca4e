import { describe, expect, test } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import type { Content, Sent } from '../../src/telegram/sender.ts';
import { NUMBER } from '../operations/cards.ts';
import { CARD, SHOWN, setUpOperations, USER } from '../operations/operations-setup.ts';
import { DONE, LATE, NEWS, newsdesk, operationIn } from './operation-messages-setup.ts';

const REFUSED: Sent = { kind: 'refused', reason: 'Bad Request: NEW_RULE_OF_TOMORROW' };
const isPlain = ({ html, keyboard }: Content) => !/[<>]/.test(html) && keyboard?.length === 0;

/** Opens a chat in which Telegram refuses formatting and, without `edits`, also every edit. */
function plainChat({ edits = true }: { edits?: boolean } = {}) {
  const desk = newsdesk();
  const shown = new Map<number, string>();
  const take = (message: number, content: Content): Sent => {
    if (!isPlain(content)) return REFUSED;
    if (shown.get(message) === content.html) return { kind: 'unchanged' };
    shown.set(message, content.html);
    return { kind: 'sent', messageId: message };
  };
  desk.sender.edit.mockImplementation(async (_chat, message, content) =>
    edits ? take(message, content) : REFUSED,
  );
  desk.sender.send.mockImplementation(async (_chat, content) => take(NEWS + shown.size, content));
  return { ...desk, shown };
}

test('sends a new message if Telegram refuses the edit', async () => {
  const { show, sender } = newsdesk();
  sender.edit.mockResolvedValue(REFUSED);
  expect(await show(DONE)).toEqual({ kind: 'shown', card: NEWS });
  expect(sender.edit).toHaveBeenCalledOnce();
  expect(sender.send).toHaveBeenCalledWith(
    USER,
    expect.objectContaining({ html: expect.stringContaining('Order <b>7</b>') }),
  );
});

describe('if the new message is refused too, a plain receipt', () => {
  test.each<[Operation['state'], string[]]>([
    ['done', ['Bought']],
    ['refused', ['Not bought', 'Nothing was charged']],
    ['unknown', ["Don't repeat", 'https://support.example/']],
    ['likely', ['Most likely bought', "Don't repeat", 'https://support.example/']],
    ['closed', ['Closed by you']],
  ])('shows an operation that is %s', async (state, words) => {
    const { show, shown } = plainChat();
    expect(await show(operationIn(state, { result: { status: 'x'.repeat(5_000) } }))).toEqual(SHOWN);
    expect([...shown.keys()]).toEqual([CARD]);
    for (const word of [...words, NUMBER]) expect(shown.get(CARD)).toContain(word);
    expect(shown.get(CARD)?.length).toBeLessThan(500);
  });
});

test('sends a plain message if Telegram refuses every edit', async () => {
  const { show, shown } = plainChat({ edits: false });
  expect(await show(DONE)).toEqual({ kind: 'shown', card: NEWS });
  expect(shown.get(NEWS)).toContain(NUMBER);
});

test('sends a plain reply for a late outcome', async () => {
  const { show, shown } = plainChat();
  const first = await show(LATE);
  expect(first).toEqual({ ...SHOWN, followUp: expect.any(Number) });
  expect(shown.size).toBe(2);
});

test('gives up and logs a message that Telegram always refuses', async () => {
  const { show, sender, lines } = newsdesk();
  sender.edit.mockResolvedValue(REFUSED);
  sender.send.mockResolvedValue(REFUSED);
  expect(await show(DONE)).toEqual({ kind: 'impossible' });
  expect(sender.send).toHaveBeenCalledTimes(2);
  expect(lines().at(-1)).toMatchObject({
    level: 'warn',
    operation: NUMBER,
    state: 'done',
    reason: 'refused',
    msg: 'the user of an operation could not be notified',
  });
});

test('sends a plain receipt once during the search', async () => {
  const { show, sender, shown } = plainChat();
  const setup = setUpOperations();
  setup.show.mockImplementation(show);
  await setup.lost();
  await setup.pass(60_000);
  expect(setup.shown().filter((state) => state === 'unknown').length).toBeGreaterThan(3);
  expect([...shown.keys()]).toEqual([CARD]);
  expect(sender.send.mock.calls.filter(([, content]) => isPlain(content))).toEqual([]);
});
