import { z } from 'zod';
import type { BotContext } from '../../../src/bot/context.ts';
import {
  type DialogueState,
  dialogue,
  dialogueStateSchema,
  showFlowEnded,
} from '../../../src/bot/dialogue.ts';
import { defineFeature } from '../../../src/bot/feature.ts';
import { send } from '../../../src/bot/reply.ts';
import { defineFeatureNotification, singleView } from '../../../src/notifications/kinds.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/platform/clock.ts';
import { createDueQueue, defineDueQueue } from '../../../src/platform/due-queue.ts';
import { defineRecord } from '../../../src/platform/records.ts';
import { withMenuButton } from '../../../src/views/view.ts';

declare module '../../../src/i18n/keys.ts' {
  interface TextKeys {
    'command-reminder': string;
    'reminder-question': string;
    'reminder-problem': string;
    'reminder-stored': string;
    'reminder-due': string;
    'reminder-privacy': string;
    'reminder-help-question': string;
    'reminder-help-answer': string;
  }
}

const DELAY_MS = HOUR_MS;
const MAX_LENGTH = 50;

const REMINDER = defineRecord({
  keys: 'reminder:{user}:id',
  content: 'Text of a reminder',
  schema: z.object({ text: z.string() }),
  ttlMs: 2 * DAY_MS,
  signed: true,
});

const DUE_REMINDERS = defineDueQueue({
  keys: 'reminders',
  ref: { user: 'number', id: 'string' },
  longestMs: DELAY_MS,
  content: 'When each user is reminded',
  expiry: 'none: a single key; sent reminders are removed',
});

const REMINDED = defineFeatureNotification({
  name: 'reminder-due',
  data: z.object({ text: z.string() }),
  isMoney: false,
  view: singleView((words, { text }) => withMenuButton(words, words.html('reminder-due', { text }))),
  samples: [{ text: 'Rent energy' }],
});

type State = DialogueState & { text?: string };

/** Feature that uses all that a feature can declare: it reminds a user of something an hour later. */
export const reminderFeature = defineFeature(
  {
    stores: {
      data: [REMINDER, DUE_REMINDERS],
      text: 'reminder-privacy',
      example: ['/reminder', 'Rent energy'],
    },
    notifications: [REMINDED],
  },
  ({ records, storage, notify }) => {
    const reminders = records.store(REMINDER);
    const due = createDueQueue(DUE_REMINDERS, { storage });

    async function finish(ctx: BotContext, { step, text }: State): Promise<void> {
      const user = ctx.from?.id;
      if (text === undefined || user === undefined) return showFlowEnded(ctx, step);
      // The same if the update is handled again because the process died before it was committed.
      const ref = { user, id: String(ctx.update.update_id) };
      ctx.tx.signal.throwIfAborted();
      // Scheduled first: a reference without a record is dropped when it comes due, but a record alone never comes due.
      await due.scheduleIn(ref, DELAY_MS);
      await reminders.set(ref, { text });
      await send(ctx, withMenuButton(ctx.words, ctx.words.html('reminder-stored', { text })));
    }

    async function remind(ref: { user: number; id: string }): Promise<void> {
      const reminder = await reminders.get(ref);
      if (reminder) await notify(REMINDED, { ...ref, data: reminder });
      // Removed from the queue last: until then, the reference comes due again if the process dies.
      await reminders.delete(ref);
      await due.remove(ref);
    }

    return {
      name: 'reminder',
      command: { name: 'reminder', text: 'command-reminder' },
      open: async (ctx) => {
        ctx.flowToEnter = { feature: 'reminder', start: { step: 'text' } satisfies State };
      },
      flow: {
        version: 1,
        ...dialogue<State>({
          stateSchema: dialogueStateSchema,
          steps: {
            text: {
              ask: ({ words }) => words.html('reminder-question'),
              onText: ({ words }, state, text) =>
                text !== '' && text.length <= MAX_LENGTH
                  ? { ...state, text, step: 'stored' }
                  : { ...state, problem: words.html('reminder-problem') },
            },
          },
          finish,
        }),
        examples: [{ inputs: ['/reminder'], expected: 'reminder-problem' }],
      },
      watchers: [
        { name: 'due', everyMs: MINUTE_MS, run: () => due.takeDue({ leaseMs: 10_000, limit: 100 }, remind) },
      ],
      async eraseUser(user) {
        // References without a record name the user too, so the whole queue is searched.
        const scheduled = await due.scheduled(Number.MAX_SAFE_INTEGER);
        for (const ref of scheduled.filter((one) => one.user === user)) {
          // The record first, so that a concurrent watcher that reads it later sends nothing.
          await reminders.delete(ref);
          await due.remove(ref);
        }
      },
      help: [{ topic: 'reminder', question: 'reminder-help-question', answer: 'reminder-help-answer' }],
    };
  },
);
