import { z } from 'zod';
import type { Jobs } from '../jobs/jobs.ts';
import type { Log } from '../log.ts';
import type { Turns } from '../storage/turns.ts';
import type { Sender } from '../telegram/sender.ts';
import { LANGUAGES, type Texts } from '../texts/texts.ts';
import { isUntold } from './untold.ts';

const JOB = 'admin-told';
/** What goes on being so is said again after this. */
const AGAIN_MS = 10 * 60_000;

const newsSchema = z.object({ admin: z.number(), key: z.enum(['data-lost', 'guests-full']) });
type AdminNews = z.infer<typeof newsSchema>['key'];

/**
 * Tells every admin something of the house: in every language, since which one is theirs isn't always known. Call before
 * jobs start.
 */
export function createAdminNews(deps: {
  jobs: Jobs;
  turns: Turns;
  sender: Pick<Sender, 'send'>;
  texts: Texts;
  admins: ReadonlySet<number>;
  log: Log;
}) {
  const { jobs, turns, sender, texts, admins, log } = deps;
  jobs.define(JOB, async (data) => {
    const { admin, key } = newsSchema.parse(JSON.parse(data));
    const html = LANGUAGES.map((language) => texts.in(language).html(key)).join('\n\n');
    const sent = await sender.send(admin, { html });
    if (isUntold(sent, { user: admin, log })) throw new Error('an admin could not be told yet');
  });
  const tell = (key: AdminNews): Promise<unknown> =>
    Promise.all([...admins].map((admin) => jobs.add(JOB, JSON.stringify({ admin, key }))));
  return {
    dataLost: () => tell('data-lost'),
    guestsFull: () => turns.take('guests-full-told', () => tell('guests-full'), { keptMs: AGAIN_MS }),
  };
}
