import type { Sender, Sent } from '../../telegram/sender.ts';
import type { Texts } from '../../texts/texts.ts';
import { type Composed, compose, type OfKind, plainly } from './compose.ts';
import type { Waiting } from './outbox-store.ts';

/** What was asked of Telegram, and what became of it; or why there are no words for the first of them. */
export type Said = (Composed & { sent: Sent }) | { told: readonly Waiting[]; err: unknown };

export type Say = (of: OfKind, about: Parameters<typeof compose>[2]) => Promise<Said>;

/** Of several, one may be what Telegram, or its own words, don't take: then the first is said by itself, in the end plainly. */
export function createSay({ sender, texts }: { sender: Pick<Sender, 'send'>; texts: Texts }): Say {
  return async (of, about) => {
    const first = { ...of, waiting: of.waiting.slice(0, 1) };
    const alone = () => compose(texts, first, { ...about, unclear: [] });
    const plain = () => ({ ...alone(), view: plainly(alone().view) });

    async function attempt(make: () => Composed, before?: Said): Promise<Said> {
      let made: Composed;
      try {
        made = make();
      } catch (err) {
        return { told: first.waiting, err };
      }
      // The very same would be refused again.
      if (before && 'view' in before && before.view.html === made.view.html) return before;
      return { ...made, sent: await sender.send(about.chat, made.view) };
    }

    let said = await attempt(() => compose(texts, of, about));
    for (const make of [alone, plain]) {
      if ('sent' in said && said.sent.kind !== 'refused') return said;
      said = await attempt(make, said);
    }
    return said;
  };
}
