import { expect, test } from 'vitest';
import { z } from 'zod';
import { type NotificationKind, singleView } from '../../../src/notifications/kinds.ts';
import { compose, type Group } from '../../../src/notifications/outbox-message.ts';
import { TEXTS } from '../../support/texts.ts';

const data = z.object({ html: z.string(), receipt: z.number().optional() });
const BUTTON = { text: 'Open', callback_data: 'menu:open' };
const KIND = {
  ...{ name: 'made-up', data, isMoney: false },
  view: singleView((_: unknown, { html }: z.infer<typeof data>) => ({ html, keyboard: [[BUTTON]] })),
};

const kindWith = (more: Partial<NotificationKind<string, z.infer<typeof data>>> = {}) =>
  ({ ...KIND, ...more }) as NotificationKind;

const groupOf = (kind: NotificationKind, ...all: z.infer<typeof data>[]): Group => ({
  kind,
  pending: all.map((each, at) => ({
    name: String(at),
    notification: {
      kind: kind.name,
      id: String(at),
      isMoney: false,
      data: each,
      queuedAt: 0,
      failedAttempts: 0,
    },
  })),
});

const composed = (group: Group, unclear: Group[] = []) =>
  compose(TEXTS, group, { chat: 501, language: 'en', unclear });

test('replies to the message that its only notification names', () => {
  const kind = kindWith({ replyTo: ({ receipt }) => receipt });
  expect(composed(groupOf(kind, { html: 'x', receipt: 7 })).replyTo).toBe(7);
  expect(
    composed(groupOf(kind, { html: 'x', receipt: 7 }, { html: 'y', receipt: 8 })).replyTo,
  ).toBeUndefined();
});

test('a tap may edit a question, but no message with other notifications', () => {
  const question = groupOf(kindWith({ isQuestion: true }), { html: 'x' });
  expect(composed(question).view.keyboard).toEqual([[BUTTON]]);
  for (const { view } of [composed(question, [question]), composed(groupOf(kindWith(), { html: 'x' }))])
    expect(view.keyboard).not.toEqual([[BUTTON]]);
});

test('repeats only as many unclear notifications as fit', () => {
  const group = groupOf(kindWith(), { html: 'x'.repeat(1_000) });
  expect(composed(group, [group, group, group]).repeated).toHaveLength(2);
});
