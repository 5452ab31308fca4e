import type { Message } from 'grammy/types';
import { expect, test } from 'vitest';
import { ADDRESS, API_KEY } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';

const MEDIA = { photo: [], document: { file_id: '1', file_unique_id: '1' }, video: {} as never };

/** Sends a text as the caption of each kind of media. */
function withCaption(kind: keyof typeof MEDIA, caption: string): Partial<Message> {
  const [command] = /^\/[\w@]+/.exec(caption) ?? [];
  const entity = { type: 'bot_command' as const, offset: 0, length: command?.length ?? 0 };
  return { [kind]: MEDIA[kind], caption, ...(command && { caption_entities: [entity] }) };
}

const MESSAGES: [string[], string][] = [
  [[], `/buy ${ADDRESS} 65000 1`],
  [[], '/BUY@Rental_Demo_Bot'],
  [[], '/buy@another_bot'],
  [[], `/addresses ${ADDRESS}`],
  [[], ADDRESS],
  [['/buy'], ADDRESS],
  [['/buy'], '/cancel'],
  [['/buy'], 'cancel'],
  [['/buy', ADDRESS], '65,000'],
  [['/buy', ADDRESS], '/start'],
  [[`/buy ${ADDRESS} 65000 1`], 'back'],
  [['link:open'], API_KEY],
];

// All kinds of media share the fields of their caption.
test.each([
  ...MESSAGES.map((row) => ['photo', ...row] as const),
  ...(['document', 'video'] as const).map((kind) => [kind, [], `/buy ${ADDRESS} 65000 1`] as const),
])('the caption of a %s after %j leads to the same as the text %j', async (kind, inputs, text) => {
  const [written, captioned] = [await openChat('en'), await openChat('en')];
  for (const chat of [written, captioned]) await chat.input(...inputs);
  const { caption_entities: entities } = withCaption(kind, text);
  await written.bring({ text, ...(entities && { entities }) });
  await captioned.bring(withCaption(kind, text));
  expect(captioned.views()).toEqual(written.views());
});

test('an edited caption gets the same reply as an edited text, and runs no command', async () => {
  const [written, captioned] = [await openChat('en'), await openChat('en')];
  for (const chat of [written, captioned]) await chat.write('/buy');
  const text = `/buy ${ADDRESS} 65000 1`;
  await written.edit({ text });
  await captioned.edit({ ...withCaption('photo', text), text: undefined });
  expect(captioned.views()).toEqual(written.views());
});

test('the other pictures of an album are no answers to the question that its caption opened', async () => {
  const chat = await openChat('en');
  await chat.bring({ ...withCaption('photo', '/buy'), media_group_id: '1' });
  const { length } = chat.views();
  await chat.bring({ photo: [], media_group_id: '1' });
  expect(chat.views()).toHaveLength(length);
});
