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
    const refused = new Set<string>();
    let last: Said = { told: first.waiting, err: undefined };
    for (const make of [() => compose(texts, of, about), alone, plain]) {
      const made = attempt(make);
      if ('err' in made) last = { told: first.waiting, err: made.err };
      else if (!refused.has(made.view.html)) {
        const sent = await sender.send(about.chat, made.view);
        last = { ...made, sent };
        if (sent.kind !== 'refused') return last;
        refused.add(made.view.html);
      }
    }
    return last;
  };
}

function attempt(make: () => Composed): Composed | { err: unknown } {
  try {
    return make();
  } catch (err) {
    return { err };
  }
}
