import { z } from 'zod';
import type { Links } from '../accounts/links.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Log } from '../log.ts';
import type { Kinds } from '../operations/kinds/kinds.ts';
import type { Operation } from '../operations/operation.ts';
import type { Sender } from '../telegram/sender.ts';
import type { Texts } from '../texts/texts.ts';
import { lines, notice, paragraphs } from '../texts/view.ts';
import { isUntold } from './untold.ts';

const JOB = 'withdrawal-told';

/** Tells those who hold an account that another of them has taken money out of it. Call before jobs start. */
export function createWithdrawalNews(deps: {
  jobs: Jobs;
  links: Pick<Links, 'holders' | 'find'>;
  kinds: Kinds;
  sender: Pick<Sender, 'send'>;
  texts: Texts;
  log: Log;
}): (operation: Operation) => Promise<unknown> {
  const { jobs, links, kinds, sender, texts, log } = deps;
  const jobSchema = z.object({ holder: z.number(), account: z.number(), request: kinds.request });

  jobs.define(JOB, async (data) => {
    const { holder, account, request } = jobSchema.parse(JSON.parse(data));
    const link = await links.find(holder);
    if (link?.account !== account) return;
    const words = texts.in(link.language);
    const kind = kinds.of(request);
    const html = paragraphs(
      words.html('withdrawal-told', { account: String(account) }),
      lines(kind.title(words, request), words.html('operation-address', { address: kind.target(request) })),
      words.html('withdrawal-told-note'),
    );
    const sent = await sender.send(holder, notice(words, html));
    if (isUntold(sent, { user: holder, log })) throw new Error('a withdrawal could not be told yet');
  });

  return async ({ user, id, account, request }) => {
    const others = (await links.holders(account)).filter((holder) => holder !== user);
    await Promise.all(
      others.map((holder) =>
        jobs.add(JOB, JSON.stringify({ holder, account, request }), { id: `${id}/${holder}` }),
      ),
    );
  };
}
