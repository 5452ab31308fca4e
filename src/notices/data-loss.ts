import type { Jobs } from '../jobs/jobs.ts';
import type { Sender } from '../telegram/sender.ts';
import { LANGUAGES, type Texts } from '../texts/texts.ts';

const JOB = 'data-loss';

/** Tells admins that data is gone: in every language, since which one is theirs went with it. Call before jobs start. */
export function createDataLossNews(deps: {
  jobs: Jobs;
  sender: Pick<Sender, 'send'>;
  texts: Texts;
  admins: ReadonlySet<number>;
}): () => Promise<unknown> {
  const { jobs, sender, texts, admins } = deps;
  jobs.define(JOB, async (admin) => {
    const html = LANGUAGES.map((language) => texts.in(language).html('data-lost')).join('\n\n');
    const sent = await sender.send(Number(admin), { html });
    if (sent.kind === 'later' || sent.kind === 'failed') throw new Error('an admin could not be told yet');
  });
  return () => Promise.all([...admins].map((admin) => jobs.add(JOB, String(admin))));
}
