import type { Jobs } from '../jobs/jobs.ts';
import type { Turns } from '../storage/turns.ts';
import type { Sender } from '../telegram/sender.ts';
import { LANGUAGES, type Texts } from '../texts/texts.ts';

const JOB = 'guests-full';
/** Told again after this. */
const TOLD_MS = 10 * 60_000;

/** Tells admins that guests have used up what they may make together. Call before jobs start. */
export function createGuestsFullNews(deps: {
  jobs: Jobs;
  turns: Turns;
  sender: Pick<Sender, 'send'>;
  texts: Texts;
  admins: ReadonlySet<number>;
}): () => Promise<unknown> {
  const { jobs, turns, sender, texts, admins } = deps;
  jobs.define(JOB, async (admin) => {
    const html = LANGUAGES.map((language) => texts.in(language).html('guests-full')).join('\n\n');
    const sent = await sender.send(Number(admin), { html });
    if (sent.kind === 'later' || sent.kind === 'failed') throw new Error('an admin could not be told yet');
  });
  const tell = () => Promise.all([...admins].map((admin) => jobs.add(JOB, String(admin))));
  return () => turns.take('guests-full-told', tell, { keptMs: TOLD_MS });
}
