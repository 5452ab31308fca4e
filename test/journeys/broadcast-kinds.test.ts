import { expect, test } from 'vitest';
import { sendFile, toEverybody } from '../support/broadcasting.ts';
import type { ShownMessage } from '../support/person.ts';
import { ADMIN, GUEST, inWorld, type World } from '../support/world.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const CAPTION = '<b>Cheaper</b> from <i>Monday</i>, see <a href="https://example.com/">here</a>';

type Made = (world: World) => Promise<unknown>;
const KINDS: [string, Made, (shown: ShownMessage & Record<string, unknown>) => unknown][] = [
  [
    'a text',
    ({ control }) => control('POST', `/telegram/chats/${ADMIN}/messages`, { html: CAPTION }),
    (shown) => shown.text,
  ],
  ['a photo', (world) => sendFile(world, ADMIN, 'photo', PIXEL, CAPTION), (shown) => shown.photo?.url],
  [
    'a video',
    (world) => sendFile(world, ADMIN, 'video', Buffer.from('a video'), CAPTION),
    (shown) => (shown.video as { url: string } | undefined)?.url,
  ],
  [
    'a document',
    (world) => sendFile(world, ADMIN, 'document', Buffer.from('a document'), CAPTION),
    (shown) => shown.document?.url,
  ],
];

test.concurrent.each(KINDS)('delivers %s with its formatting, its file and its buttons', (_, made, fileOf) =>
  inWorld({}, async (world) => {
    const [admin, guest] = [world.person(ADMIN), world.person(GUEST)];
    await guest.say('/start');
    await guest.reads('Link it to begin');
    await admin.say('/broadcast');
    await admin.tap('New broadcast');
    await admin.reads('Send me the message that people are to get');
    await made(world);
    await admin.reads('Which buttons');
    await admin.say('Prices - https://example.com/prices\nMore - https://example.com/more');
    await admin.reads('The message above is what people get');
    await toEverybody(admin);
    await admin.tap('Send to');
    const got = await guest.until('the message', (shown) =>
      shown.find(({ from, html }) => from === 'bot' && html.includes('Monday')),
    );
    expect(got.html).toContain('<b>Cheaper</b> from <i>Monday</i>');
    expect(got.html).toContain('href="https://example.com/"');
    expect(got.keyboard?.flat().map(({ url, data }) => url ?? data)).toEqual([
      'https://example.com/prices',
      'https://example.com/more',
      expect.stringMatching(/^\+announcements:off~/),
    ]);
    const mine = (await admin.messages()).find(
      ({ from, html }) => from === 'person' && html.includes('Monday'),
    );
    expect(fileOf(got as never)).toBe(fileOf((mine ?? {}) as never));
    expect(fileOf(got as never)).toBeTruthy();
  }),
);
