import { z } from 'zod';
import { callbackData } from '../../texts/callback-data.ts';
import type { Words } from '../../texts/texts.ts';
import { button, lines, notice, paragraphs, type View } from '../../texts/view.ts';
import { fieldsSchema } from '../events/fields.ts';
import { noticeKind } from './kind.ts';

const data = z.object({ type: z.string(), fields: fieldsSchema });

type Told = z.infer<typeof data>;

/** What the service says that nobody here knows of, as it says it: nothing in it can be tapped. */
export const serviceEventNotice = noticeKind({
  name: 'event',
  data,
  isMoney: false,
  mutable: 'other',
  view: (words, told) => notice(words, unknownEvents(words, told), unknownRow(words)),
});

/**
 * Events without words here: that they are such, each by its fields, and what helps. All that the service wrote stands as
 * code, so that no address or link in it leads anywhere.
 */
export function unknownEvents(words: Words, told: readonly Told[]): string {
  return paragraphs(
    words.html('notice-event', { count: told.length }),
    ...told.map(({ type, fields }) =>
      lines(
        words.html('event-type', { type }),
        ...Object.entries(fields).map(([name, value]) => words.html('event-field', { name, value })),
      ),
    ),
    words.html('event-unknown', {
      log: words.plain('button-webhook-log'),
      muting: words.plain('button-notifications'),
    }),
  );
}

/** Where to read all that the service sent, and where to be told less of it. */
export function unknownRow(words: Words): View['keyboard'][number] {
  return [button(words, 'button-webhook-log', callbackData('webhook-log', 'open')), ...mutingRow(words)];
}

/** Where to be told less: below whatever isn't about one's money. */
export function mutingRow(words: Words): View['keyboard'][number] {
  return [button(words, 'button-notifications', callbackData('notifications', 'open'))];
}
