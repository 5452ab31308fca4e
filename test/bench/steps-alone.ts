import type { Person } from './person.ts';
import { type RecordedReply, recordReply } from './recorded-replies.ts';
import type { Call } from './stand-in-server.ts';
import type { Walk } from './walks.ts';

interface Update {
  message?: { message_id: number; text: string };
  callback_query?: { id: string; data: string; message: { message_id: number } };
}

/** A step that one user made alone. */
export interface StepTaken {
  step: string;
  ms: number;
}

/** Executes a walk step by step, each on request, so that its cost can be measured separately. */
export function createSteps({ listen }: { listen: () => Call[] }) {
  let proceed: (() => void) | undefined;
  let arrived: ((taken: StepTaken | undefined) => void) | undefined;
  let failed: ((error: Error) => void) | undefined;
  let calls: Call[] = [];
  let last: { update: Update; person: number } | undefined;
  let walker = 0;

  return {
    begin(person: Person, walk: Walk): void {
      walker = person.chat.id;
      const gate = () =>
        new Promise<void>((resolve) => {
          proceed = resolve;
        });
      const opened = gate();
      void opened
        .then(() =>
          walk(person, ({ step, ms }) => {
            const next = gate();
            arrived?.({ step, ms });
            return next;
          }),
        )
        .then(
          () => arrived?.(undefined),
          (error: Error) => failed?.(error),
        );
    },
    next(): Promise<StepTaken | undefined> {
      calls = listen();
      return new Promise((resolve, reject) => {
        arrived = resolve;
        failed = reject;
        proceed?.();
      });
    },
    pushed(update: Update): void {
      last = { update, person: walker };
    },
    replied(): { asked: string; reply: RecordedReply } | undefined {
      if (last === undefined) return undefined;
      const { message, callback_query: tap } = last.update;
      const id = message?.message_id ?? tap?.message.message_id ?? 0;
      const asked = { chat: last.person, tap: tap?.id ?? '', message: id };
      return { asked: message?.text ?? tap?.data ?? '', reply: recordReply(calls, asked) };
    },
  };
}
