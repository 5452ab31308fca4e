import { z } from 'zod';
import type { Words } from '../../texts/texts.ts';
import { lines } from '../../texts/view.ts';
import { fieldsSchema } from '../events/fields.ts';
import { listed, noticeKind } from './kind.ts';

const data = z.object({ type: z.string(), fields: fieldsSchema });

/** What the service says that nobody here knows of, as it says it: nothing in it can be tapped. */
export const serviceEventNotice = noticeKind({
  name: 'event',
  data,
  isMoney: false,
  mutable: 'other',
  view: listed({
    head: (words, count) => words.html('notice-event', { count }),
    text: eventText,
  }),
});

/** An event by its fields. All that the service wrote stands as code, so that no address or link in it leads anywhere. */
export function eventText(words: Words, { type, fields }: z.infer<typeof data>): string {
  return lines(
    words.html('event-type', { type }),
    ...Object.entries(fields).map(([name, value]) => words.html('event-field', { name, value })),
  );
}
